package pages

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// secret is in the cloud-init data of every VM. No page may contain it.
const secret = "correct-horse"

// reacts are the versions of React of the pages that load the extension: that of Argo CD up to 3.4, and from 3.5 on.
var reacts = map[string]func(*testing.T) string{
	"react16": func(t *testing.T) string {
		return npm(t, "react@16.14.0", "umd/react.production.min.js") + "\n" +
			npm(t, "react-dom@16.14.0", "umd/react-dom.production.min.js") +
			"\nwindow.show = (e, into) => { ReactDOM.render(e, into); };"
	},
	"react19": func(t *testing.T) string {
		return "const modules = {}; const require = (name) => modules[name];\n" +
			common("react", npm(t, "react@19.3.1", "cjs/react.production.js")) +
			common("scheduler", npm(t, "scheduler@0.28.0", "cjs/scheduler.production.js")) +
			common("react-dom", npm(t, "react-dom@19.3.1", "cjs/react-dom.production.js")) +
			common("react-dom/client", npm(t, "react-dom@19.3.1", "cjs/react-dom-client.production.js")) +
			"\nwindow.React = modules.react; window.show = (e, into, root = modules['react-dom/client'].createRoot(into)) => { root.render(e); return root; };"
	},
}

// common returns a script that loads a CommonJS module under a name.
func common(name, text string) string {
	return fmt.Sprintf("(() => { const module = { exports: {} }; ((module, exports) => {%s\n})(module, module.exports); "+
		"modules[%q] = module.exports; })();\n", text, name)
}

type object = map[string]any

// theFleet has a VM that changes, one that is held, one that goes, and one that comes.
const (
	theFleet = `{apiVersion: vmrender.io/v1alpha1, kind: Fleet, metadata: {name: shop}, policy: {approve: restart}, target: {image: "registry.example.com/vmrender:1"}}`
	theVMs   = `
defaults: {namespace: shop, os: debian13, flavor: medium, cloudInit: {userData: "#cloud-config\npassword: ` + secret + `\n"}}
vms:
  db: {disks: {root: 40Gi, data: 100Gi}, maintenance: "Sun 02:00-04:00 Europe/Berlin"}
  web: {disks: {root: 40Gi}}
  old: {disks: {root: 40Gi}}
`
)

// rendered returns the objects of a fleet with the values, and writes them into a file.
func rendered(t *testing.T, values, file string) []object {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"fleet.yaml": theFleet, "vms.yaml": values} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	text, err := exec.CommandContext(t.Context(), filepath.Join(directory, "vmrender"), "template", dir, "-o", "json").Output()
	require.NoError(t, err)
	require.Contains(t, string(text), secret)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	var list struct{ Items []object }
	require.NoError(t, json.Unmarshal(text, &list))
	return list.Items
}

func metadata(o object) object { return o["metadata"].(object) }

func textOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// played is what a page that plays Argo CD knows.
type played struct {
	Application object   `json:"application"`
	Tree        object   `json:"tree"`
	VM          object   `json:"vm"`
	Managed     []object `json:"managed"`
	Instance    string   `json:"instance"`
	Fails       bool     `json:"fails"`

	approve string // the line that `vmrender plan` prints for db
}

// play returns an Application between two commits, with what the cluster adds to its VMs.
func play(t *testing.T) *played {
	t.Helper()
	files := t.TempDir()
	before, after := filepath.Join(files, "before.json"), filepath.Join(files, "after.json")
	was := rendered(t, theVMs, before)
	now := rendered(t, strings.NewReplacer("db: {", "db: {cpu: {cores: 4}, memory: 8Gi, ", "  old: ", "  new: ").Replace(theVMs), after)
	p := &played{Instance: textOf(t, object{"status": object{
		"nodeName": "node-7", "interfaces": []object{{"name": "default", "ipAddress": "10.0.0.7"}},
	}})}
	p.approve = approval(t, before, after)
	var resources, nodes []object
	for _, o := range was {
		nodes = append(nodes, node(o))
		if o["kind"] == "VirtualMachine" && metadata(o)["name"] == "db" {
			o["status"] = object{"printableStatus": "Running", "conditions": []object{
				{"type": "Ready", "status": "True"}, {"type": "RestartRequired", "status": "True", "message": "a non-live-updatable field was changed"},
			}}
			metadata(o)["annotations"].(object)["link.argocd.argoproj.io/console"] = "Console|https://console.example.com/db"
			metadata(o)["annotations"].(object)["link.argocd.argoproj.io/bad"] = "Bad|javascript:alert(1)"
			p.VM = o
		}
		if o["kind"] == "VirtualMachine" && metadata(o)["name"] == "web" {
			o["status"] = object{"printableStatus": "Stopped"}
			metadata(o)["annotations"].(object)["vmrender.io/held"] = "restart restart=1111-2222"
		}
		if metadata(o)["name"] == "old" && o["kind"] == "VirtualMachine" {
			resources = append(resources, object{"group": "kubevirt.io", "kind": "VirtualMachine", "namespace": "shop", "name": "old", "requiresPruning": true})
		}
	}
	nodes = append(nodes, object{"group": "kubevirt.io", "kind": "VirtualMachineInstance", "version": "v1", "namespace": "shop", "name": "db"})
	p.Managed = managed(t, was, now)
	p.Tree = object{"nodes": nodes}
	message := "spec.template.spec.domain.cpu.cores is of level restart and needs an approval of restart, which is missing; " +
		"see vmrender plan, and add approve: {restart: " + strings.TrimPrefix(p.approve, "approve: ") + "} to the VM"
	p.Application = object{
		"metadata": object{"name": "shop", "namespace": "argocd"},
		"spec":     object{"source": object{"path": "sites/a", "plugin": object{"name": "vmrender"}}},
		"status": object{"resources": resources, "operationState": object{"syncResult": object{
			"revision":  "0123abcd",
			"resources": []object{{"group": "kubevirt.io", "kind": "VirtualMachine", "namespace": "shop", "name": "db", "message": message}},
		}}},
	}
	return p
}

// node returns the entry of an object in the tree of an Application.
func node(o object) object {
	group, _, _ := strings.Cut(o["apiVersion"].(string), "/")
	out := object{"group": group, "kind": o["kind"], "namespace": "shop", "name": metadata(o)["name"]}
	if o["kind"] == "DataVolume" && metadata(o)["name"] == "db-data" {
		out["health"] = object{"status": "Progressing", "message": "ImportInProgress 45.00%"}
	} else {
		out["health"] = object{"status": "Healthy", "message": "Succeeded"}
	}
	if o["kind"] == "VirtualMachine" {
		out["health"] = object{"status": "Healthy", "message": "Running"}
	}
	return out
}

// managed returns what /managed-resources answers, also of Secrets, which the extension must not ask for.
func managed(t *testing.T, was, now []object) []object {
	t.Helper()
	byName := map[string]object{}
	for i, side := range [][]object{was, now} {
		for _, o := range side {
			id := fmt.Sprint(o["kind"], metadata(o)["name"])
			if byName[id] == nil {
				group, _, _ := strings.Cut(o["apiVersion"].(string), "/")
				byName[id] = object{"group": group, "kind": o["kind"], "namespace": "shop", "name": metadata(o)["name"]}
			}
			fields := [][]string{{"liveState", "normalizedLiveState"}, {"targetState", "predictedLiveState"}}[i]
			for _, f := range fields {
				byName[id][f] = textOf(t, o)
			}
		}
	}
	var out []object
	for _, o := range byName {
		out = append(out, o)
	}
	return out
}

// approval returns the line of an approval that a plan prints for the VM db.
func approval(t *testing.T, before, after string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(directory, "vmrender"), "plan", before, after, "-o", "json", "--gate=false")
	text, err := cmd.Output()
	require.NoError(t, err)
	var plan struct {
		VMs []struct {
			Name string
			Gate struct{ Write string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &plan))
	for _, v := range plan.VMs {
		if v.Name == "db" {
			return v.Gate.Write
		}
	}
	require.Fail(t, "no plan of db")
	return ""
}

// pageOf is a page that plays Argo CD: it answers the extension's requests, and shows a component that it registers.
// The colors are those of Argo CD's themes (argo-ui, src/styles/theme.scss).
const pageOf = `<!doctype html><html lang="en"><title>Argo CD</title><meta name="viewport" content="width=device-width"><style>
body { margin: 0; font-family: sans-serif; } .theme-light { background: #fff; color: #363c4a; } .theme-dark { background: #100f0f; color: #dedede; }
</style><body class="theme-THEME"><div id="root"></div><script>REACT</script><script>
const played = PLAYED;
window.asked = [];
window.fetch = (url) => {
	const asked = new URL(url), kind = asked.searchParams.get('kind');
	window.asked.push(asked.pathname.split('/').pop() + ' ' + kind + ' ' + asked.searchParams.get('appNamespace'));
	const answer = (body, ok) => Promise.resolve({ ok, status: ok ? 200 : 403, statusText: 'Forbidden', json: () => Promise.resolve(body) });
	if (played.fails) return answer({ message: 'permission denied: applications, get' }, false);
	if (asked.pathname.endsWith('/resource')) return answer({ manifest: played.instance }, true);
	return answer({ items: played.managed.filter((i) => i.kind === kind) }, true);
};
window.extensionsAPI = {
	registerResourceExtension: (component, group, kind, title) => { window.tab = component; window.tabOf = group + '/' + kind + ' ' + title; },
	registerAppViewExtension: (component, title) => { window.view = component; },
};
</script><script>EXTENSION</script><script>
window.draw = (p) => React.createElement(window.SHOWN, { application: p.application, resource: p.vm, tree: p.tree });
window.show = ((show) => { let root; return (e) => { root = show(e, document.getElementById('root'), root); }; })(show);
show(draw(played));
</script></body></html>`

// openExtension shows a component, tab or view, of the extension.
func openExtension(t *testing.T, react, theme, shown string, p *played) *tab {
	t.Helper()
	extension, err := os.ReadFile("../../plugin/kustomize/extension-vmrender.js")
	require.NoError(t, err)
	script := func(text string) string { return strings.ReplaceAll(text, "</script", `<\/script`) }
	page := strings.NewReplacer("THEME", theme, "REACT", script(reacts[react](t)), "PLAYED", script(textOf(t, p)),
		"EXTENSION", script(string(extension)), "SHOWN", shown).Replace(pageOf)
	name := fmt.Sprint("extension-", react, theme, shown, p.Fails)
	require.NoError(t, os.WriteFile(filepath.Join(directory, name+".html"), []byte(page), 0o600))
	b := open(t, name, look{})
	b.wait(`document.querySelector('.vmr') !== null && !document.body.innerText.includes('Loading')`)
	return b
}

func (b *tab) shown() string { return eval[string](b, `document.getElementById('root').innerText`) }

func TestExtensionTab(t *testing.T) {
	p := play(t)
	for react := range reacts {
		t.Run(react, func(t *testing.T) {
			b := openExtension(t, react, "light", "tab", p)
			b.wait(`document.body.innerText.includes('node-7')`)
			require.Equal(t, "kubevirt.io/VirtualMachine VM", eval[string](b, `tabOf`))
			text := b.shown()
			for _, want := range []string{
				"Running", "10.0.0.7", "db-data: ImportInProgress 45.00%", "waits for a restart: a non-live-updatable field was changed",
				"its maintenance restarts it (Sun 02:00-04:00 Europe/Berlin)", p.approve, "restart to refused [?]",
				"of the processors, only sockets can change while the VM runs", "vmrender plan sites/a --from 0123abcd --live cluster", "Console",
			} {
				require.Contains(t, text, want)
			}
			require.NotContains(t, text, "Bad")
			requireNoSecret(b)
			eval[any](b, `document.querySelector('.vmr button').click(), null`)
			b.wait(`document.querySelector('.vmr button').textContent === 'Copied'`)
		})
	}
}

// TestExtensionOfAnother checks that a tab that shows another VM of another Application has nothing of the last one while
// it loads, and that a VM that the Application does not have itself is not called unchanged.
func TestExtensionOfAnother(t *testing.T) {
	for react := range reacts {
		t.Run(react, func(t *testing.T) {
			b := openExtension(t, react, "light", "tab", play(t))
			b.wait(`document.body.innerText.includes('restart to refused [?]')`)
			eval[any](b, `(() => {
				const p = JSON.parse(JSON.stringify(played)), fetch = window.fetch;
				window.fetch = (url) => new Promise((done) => { window.release = window.release || []; window.release.push(() => done(fetch(url))); });
				p.application.metadata.name = 'other';
				p.vm.metadata.name = 'pool-0';
				show(draw(p));
				return null;
			})()`)
			b.wait(`window.release !== undefined && window.release.length >= 3`)
			require.Contains(t, b.shown(), "Loading")
			require.NotContains(t, b.shown(), "restart to refused [?]")
			require.NotContains(t, b.shown(), "node-7")
			eval[any](b, `window.release.forEach((r) => r()), null`)
			b.wait(`!document.body.innerText.includes('Loading')`)
			require.Contains(t, b.shown(), "This VM is not in the Application itself (a pool or another object owns it)")
			require.NotContains(t, b.shown(), "changes nothing")
		})
	}
}

func TestExtensionView(t *testing.T) {
	p := play(t)
	for react := range reacts {
		t.Run(react, func(t *testing.T) {
			b := openExtension(t, react, "light", "view", p)
			require.Equal(t, []string{"shop/new", "shop/db", "shop/old", "shop/web"}, eval[[]string](b, `[...document.querySelectorAll('tbody th')].map((e) => e.innerText)`))
			rows := eval[[]string](b, `[...document.querySelectorAll('tbody tr')].map((e) => e.innerText)`)
			require.Contains(t, rows[0], "not in the cluster\tcreate to recreate [?]")
			require.Contains(t, rows[1], p.approve)
			require.Contains(t, rows[2], "lifecycle: {removal: approved}")
			require.Contains(t, rows[3], "approve: 1111-2222")
			requireNoSecret(b)

			eval[any](b, `(() => {
				const p = JSON.parse(JSON.stringify(played));
				window.fetch = () => new Promise(() => {});
				p.application.metadata.name = 'other';
				show(draw(p));
				return null;
			})()`)
			b.wait(`document.querySelectorAll('tbody tr').length === 3`)
			for _, row := range eval[[]string](b, `[...document.querySelectorAll('tbody tr')].map((e) => e.innerText)`) {
				require.Contains(t, row, "Loading", "not yet known is not unchanged")
			}
		})
	}
}

// requireNoSecret fails if a page shows a value, or has asked for more than VMs, their disks and the instance.
func requireNoSecret(b *tab) {
	b.t.Helper()
	require.NotContains(b.t, eval[string](b, `document.getElementById('root').outerHTML`), secret)
	for _, asked := range eval[[]string](b, `asked`) {
		require.Contains(b.t, []string{
			"managed-resources VirtualMachine argocd", "managed-resources DataVolume argocd",
			"managed-resources PersistentVolumeClaim argocd", "resource VirtualMachineInstance argocd",
		}, asked)
	}
}

// TestExtensionLook checks that texts have enough contrast in both themes, that controls have names and tables headers,
// and that the page fits a window.
func TestExtensionLook(t *testing.T) {
	p := play(t)
	for _, theme := range []string{"light", "dark"} {
		for _, shown := range []string{"tab", "view"} {
			b := openExtension(t, "react16", theme, shown, p)
			require.Empty(t, eval[[]string](b, faint))
			require.Zero(t, eval[int](b, `[...document.querySelectorAll('button')].filter((e) => !e.textContent).length`))
			require.Zero(t, eval[int](b, `document.querySelectorAll('th:not([scope])').length`))
			b.resize(390)
			require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth`), int64(390))
		}
	}
}

// TestExtensionError checks that an error of the API is a message, and that the rest of the page is there.
func TestExtensionError(t *testing.T) {
	p := play(t)
	p.Fails = true
	for _, shown := range []string{"tab", "view"} {
		b := openExtension(t, "react19", "dark", shown, p)
		b.wait(`document.querySelector('[role=alert]') !== null`)
		require.Contains(t, eval[string](b, `document.querySelector('[role=alert]').innerText`), "403 permission denied: applications, get")
		require.Contains(t, b.shown(), p.approve)
	}
}
