package depcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "github.com/vmrender/vmrender/"
	root   = "../.." // the module's root, relative to this package
)

// Dependencies, grouped by what they would let a room do.
var (
	cluster    = []string{"net/http", "os/exec", "helm.sh/helm", "k8s.io/client-go"}
	kubernetes = []string{"k8s.io", "sigs.k8s.io/structured-merge-diff"}
	kubevirt   = []string{"kubevirt.io"}
	helm       = []string{"helm.sh/helm"}
	argocd     = []string{"github.com/argoproj"}
	yaml       = []string{"go.yaml.in/yaml", "gopkg.in/yaml.v3", "sigs.k8s.io/yaml"}
	system     = []string{"os", "io/fs"}

	// impure is the packages that rendering must not import.
	impure = []string{"net/http", "os/exec", "crypto/rand", "math/rand", "log"}
)

// room is a directory of the module and the packages below it.
type room struct {
	dir     string
	ours    []string // rooms that it may import
	reach   []string // import paths, and all below them, that no chain of imports may lead to
	imports []string // import paths, and all below them, that its own files must not name
}

var rooms = []room{
	{dir: "pkg/rule", reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, yaml, system)},
	{
		dir:     "pkg/source",
		ours:    []string{"pkg/rule", "internal/suggest"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: impure,
	},
	{
		dir:     "pkg/edit",
		ours:    []string{"pkg/source"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/node", ours: []string{"pkg/manifest", "pkg/patch", "pkg/source"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/secret", ours: []string{"internal/lazyregexp"},
		reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir:     "pkg/catalog",
		ours:    []string{"pkg/rule", "pkg/secret", "pkg/source", "internal/sizes", "internal/suggest"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: impure,
	},
	{
		dir:     "pkg/patch",
		ours:    []string{"pkg/rule", "pkg/source", "internal/suggest"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir:     "pkg/versions",
		ours:    []string{"pkg/rule", "pkg/source", "internal/lazyregexp"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml, system),
	},
	{dir: "pkg/approval", reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, yaml, system)},
	{
		dir: "pkg/schedule", ours: []string{"internal/suggest"},
		reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/held", ours: []string{"pkg/approval", "pkg/kinds", "pkg/manifest", "pkg/rule", "pkg/source"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/hold",
		ours: []string{
			"pkg/cluster", "pkg/gate", "pkg/held", "pkg/impact", "pkg/labels", "pkg/manifest", "pkg/plan", "pkg/source",
			"internal/files",
		},
		reach: join(cluster, argocd), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/limits", ours: []string{"pkg/gate", "pkg/impact", "pkg/plan", "pkg/values"},
		reach: join(cluster, argocd), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/values",
		ours: []string{
			"pkg/rule", "pkg/schedule", "pkg/source", "pkg/catalog", "pkg/patch", "pkg/versions", "internal/lazyregexp",
			"internal/quantities", "internal/sizes", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: join(impure, system),
	},
	{
		dir:     "pkg/template",
		ours:    []string{"internal/lazyregexp", "internal/suggest"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir:     "pkg/platform",
		ours:    []string{"pkg/node", "pkg/rule", "pkg/source", "pkg/template", "internal/lazyregexp", "internal/suggest"},
		reach:   join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml),
	},
	{
		dir: "pkg/fleet",
		ours: []string{
			"pkg/approval", "pkg/held", "pkg/rule", "pkg/secret", "pkg/source", "pkg/catalog", "pkg/values", "pkg/platform",
			"pkg/versions", "internal/lazyregexp", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: impure,
	},
	{
		dir: "pkg/machine",
		ours: []string{
			"pkg/approval", "pkg/catalog", "pkg/fleet", "pkg/held", "pkg/patch", "pkg/rule", "pkg/schedule",
			"pkg/source", "pkg/values",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/validation",
		ours: []string{
			"pkg/catalog", "pkg/fleet", "pkg/machine", "pkg/rule", "pkg/source", "pkg/values", "pkg/versions",
			"internal/quantities", "internal/sizes", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/resolve",
		ours: []string{
			"pkg/approval", "pkg/catalog", "pkg/fleet", "pkg/held", "pkg/kinds", "pkg/labels", "pkg/machine",
			"pkg/rule", "pkg/schedule", "pkg/source", "pkg/template", "pkg/validation", "pkg/values",
			"pkg/versions", "internal/lazyregexp", "internal/sizes", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/inventory",
		ours: []string{
			"pkg/catalog", "pkg/fleet", "pkg/labels", "pkg/machine", "pkg/resolve", "pkg/rule", "pkg/source",
			"pkg/template", "pkg/values", "pkg/versions", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/explain",
		ours: []string{
			"pkg/catalog", "pkg/fleet", "pkg/machine", "pkg/resolve", "pkg/rule", "pkg/source", "pkg/template",
			"pkg/values", "internal/lazyregexp", "internal/quantities", "internal/sizes", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/kinds", ours: []string{"internal/lazyregexp"}, reach: join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/outcome", ours: []string{"pkg/rule", "pkg/labels", "pkg/argocd", "pkg/flux"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/admission", ours: []string{"pkg/rule", "pkg/versions", "internal/sizes"},
		reach: join(cluster, argocd), imports: join(impure, yaml, system),
	},
	{
		dir:   "pkg/keys",
		ours:  []string{"pkg/catalog", "pkg/machine", "pkg/node", "pkg/source", "pkg/values"},
		reach: join(cluster, argocd), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/lifecycle",
		ours: []string{
			"pkg/argocd", "pkg/flux", "pkg/labels", "pkg/machine", "pkg/outcome", "pkg/values", "pkg/versions",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/forklift", ours: []string{"pkg/labels", "pkg/lifecycle", "pkg/machine", "pkg/values"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir:   "pkg/cloudinit",
		ours:  []string{"pkg/keys", "pkg/machine", "pkg/manifest", "pkg/patch", "pkg/rule", "pkg/source", "pkg/values"},
		reach: join(cluster, argocd), imports: join(impure, yaml, system, kubevirt),
	},
	{
		dir: "pkg/render",
		ours: []string{
			"pkg/admission", "pkg/approval", "pkg/cloudinit", "pkg/forklift", "pkg/held", "pkg/keys", "pkg/kinds",
			"pkg/lifecycle", "pkg/outcome",
			"pkg/machine", "pkg/values",
			"pkg/catalog", "pkg/patch",
			"pkg/rule", "pkg/schedule", "pkg/source",
			"pkg/manifest", "pkg/labels",
			"pkg/argocd", "pkg/flux", "pkg/versions",
		},
		reach:   join(cluster, argocd),
		imports: join(impure, yaml, system),
	},
	{dir: "pkg/labels", reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, system)},
	{dir: "pkg/manifest", reach: join(cluster, argocd, kubevirt), imports: impure},
	// What a sync does: the cluster as it is, what changes do to it, both states of Git next to it, and the whole.
	{
		dir: "pkg/cluster",
		ours: []string{
			"pkg/argocd", "pkg/flux", "pkg/labels", "pkg/manifest", "pkg/versions", "pkg/world", "internal/quantities",
			"internal/wording",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/diff", ours: []string{"pkg/manifest", "internal/quantities"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/impact",
		ours: []string{
			"pkg/approval", "pkg/argocd", "pkg/cluster", "pkg/diff", "pkg/kinds", "pkg/labels", "pkg/manifest", "pkg/secret",
			"pkg/flux", "pkg/versions", "pkg/world", "internal/quantities", "internal/sizes", "internal/wording",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/pairs",
		ours: []string{
			"pkg/approval", "pkg/argocd", "pkg/cluster", "pkg/diff", "pkg/impact", "pkg/labels", "pkg/manifest", "pkg/world",
			"pkg/flux", "internal/quantities", "internal/wording",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir:   "pkg/gate",
		ours:  []string{"pkg/approval", "pkg/cluster", "pkg/diff", "pkg/impact", "pkg/labels", "pkg/manifest"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/upgrade",
		ours: []string{
			"pkg/cluster", "pkg/impact", "pkg/manifest", "pkg/versions", "pkg/world", "internal/quantities",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/status",
		ours: []string{
			"pkg/approval", "pkg/cluster", "pkg/diff", "pkg/held", "pkg/impact", "pkg/labels", "pkg/manifest", "pkg/pairs",
			"pkg/world",
			"internal/quantities", "internal/suggest", "internal/wording",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml, system),
	},
	// The volume policies of Velero are YAML.
	{
		dir: "pkg/drill",
		ours: []string{
			"pkg/cluster", "pkg/impact", "pkg/labels", "pkg/manifest", "pkg/pairs", "pkg/world", "internal/wording",
		},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, system),
	},
	{
		dir: "pkg/plan",
		ours: []string{
			"pkg/admission", "pkg/approval", "pkg/argocd", "pkg/cluster", "pkg/diff", "pkg/gate", "pkg/impact", "pkg/labels",
			"pkg/manifest", "pkg/pairs", "pkg/upgrade", "pkg/world", "internal/quantities", "internal/wording",
		},
		reach:   join(cluster, argocd),
		imports: join(impure, yaml, system),
	},
	// The network data of cloud-init is YAML.
	{
		dir: "pkg/world", ours: []string{"pkg/approval", "pkg/manifest"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, system),
	},
	{
		dir: "pkg/draft",
		ours: []string{
			"pkg/argocd", "pkg/catalog", "pkg/diff", "pkg/keys", "pkg/labels", "pkg/machine", "pkg/manifest", "pkg/node",
			"pkg/patch", "pkg/rule", "pkg/secret", "pkg/source", "pkg/values", "internal/wording",
		},
		reach: join(cluster, argocd), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/exports", ours: []string{"pkg/manifest", "internal/lazyregexp", "internal/suggest"},
		reach: join(cluster, argocd, kubevirt), imports: join(impure, yaml),
	},
	{
		dir: "pkg/selfservice",
		ours: []string{
			"pkg/catalog", "pkg/fleet", "pkg/inventory", "pkg/labels", "pkg/manifest", "pkg/outcome", "pkg/render", "pkg/rule",
			"pkg/source", "internal/lazyregexp",
		},
		reach:   join(cluster, argocd),
		imports: join(impure, yaml, kubevirt),
	},
	{
		dir: "pkg/adopt",
		ours: []string{
			"pkg/rule", "pkg/source", "pkg/catalog", "pkg/values", "pkg/fleet", "pkg/inventory", "pkg/machine", "pkg/render",
			"pkg/manifest", "pkg/draft", "pkg/node", "pkg/edit", "pkg/labels", "pkg/argocd", "pkg/pairs", "pkg/admission",
			"pkg/cluster", "pkg/impact", "internal/files", "internal/lazyregexp", "internal/suggest", "internal/wording",
		},
		reach:   join(cluster, argocd),
		imports: join(impure, yaml),
	},
	{
		dir: "pkg/writeback",
		ours: []string{
			"pkg/adopt", "pkg/argocd", "pkg/catalog", "pkg/draft", "pkg/edit", "pkg/fleet", "pkg/inventory", "pkg/labels",
			"pkg/machine", "pkg/manifest", "pkg/node", "pkg/render", "pkg/secret", "pkg/source", "pkg/values", "internal/files",
			"internal/wording",
		},
		reach:   join(cluster, argocd),
		imports: join(impure, yaml, kubevirt),
	},
	{
		dir: "pkg/report",
		ours: []string{
			"pkg/approval", "pkg/hold", "pkg/limits", "pkg/rule", "pkg/source", "pkg/manifest", "pkg/gate", "pkg/impact",
			"pkg/plan", "pkg/status", "pkg/drill",
		},
		reach: join(cluster, argocd), imports: impure,
	},
	{
		dir: "pkg/report/problems", ours: []string{"pkg/rule", "pkg/source"},
		reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/report/html",
		ours: []string{
			"pkg/machine", "pkg/impact", "pkg/plan", "pkg/report", "pkg/report/problems", "pkg/values", "pkg/catalog",
			"pkg/source",
		},
		reach:   join(cluster, argocd),
		imports: join(impure, yaml, system),
	},
	// Only this room may import Helm's engine, which includes the cluster's client.
	{
		dir: "pkg/layers",
		ours: []string{
			"pkg/approval", "pkg/kinds", "pkg/manifest", "pkg/rule", "pkg/secret", "pkg/source", "pkg/patch", "pkg/platform",
			"pkg/argocd", "pkg/labels", "pkg/versions", "charts", "apps", "internal/lazyregexp", "internal/suggest",
		},
		reach:   join(argocd, kubevirt),
		imports: impure,
	},
	{
		dir: "pkg/argocd", ours: []string{"internal/lazyregexp"},
		reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, system),
	},
	// The expressions for health are data.
	{
		dir: "pkg/flux", ours: []string{"pkg/labels"}, reach: join(cluster, argocd, kubernetes, kubevirt), imports: impure,
	},
	{dir: "pkg/argocd/plugin", reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, system)},
	// The fields that Argo CD ignores are data in plugin.
	{
		dir: "pkg/sizing", ours: []string{"pkg/argocd/plugin", "plugin"}, reach: join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, yaml, system),
	},
	{
		dir: "pkg/delivery",
		ours: []string{
			"pkg/fleet", "pkg/inventory", "pkg/machine", "pkg/versions", "pkg/argocd", "pkg/argocd/plugin", "pkg/labels",
			"pkg/sizing", "pkg/source", "plugin", "internal/lazyregexp", "internal/suggest",
		},
		reach:   join(cluster, argocd, kubevirt),
		imports: impure,
	},
	{
		dir:     "pkg/output",
		ours:    []string{"pkg/manifest", "pkg/render", "internal/files", "internal/lazyregexp"},
		reach:   join(cluster, argocd),
		imports: impure,
	},
	// The library of KRM functions reaches net/http and os/exec by the parsers of OpenAPI, and uses neither.
	{
		dir: "pkg/krm",
		ours: []string{
			"pkg/fleet", "pkg/inventory", "pkg/manifest", "pkg/output", "pkg/render", "pkg/rule", "pkg/source", "pkg/values",
			"internal/suggest",
		},
		reach:   join([]string{"k8s.io/client-go", "sigs.k8s.io/kustomize/kyaml/fn"}, helm, argocd),
		imports: join(impure, yaml),
	},
	// The SDK reaches net/http and os/exec for transports that the server does not use.
	{
		dir: "pkg/assistant", ours: []string{"pkg/fleet"},
		reach: join([]string{"k8s.io/client-go"}, helm, argocd, kubevirt), imports: join(impure, yaml),
	},
	// Git is run as a program. This package knows nothing about a fleet except its file
	// names.
	{
		dir:     "pkg/revision",
		ours:    []string{"pkg/source", "internal/lazyregexp", "internal/suggest"},
		reach:   join([]string{"net/http"}, helm, argocd, kubernetes, kubevirt),
		imports: yaml,
	},
	{
		dir: "pkg/starter", ours: []string{"pkg/catalog", "internal/files", "schema"}, reach: join(cluster, argocd),
		imports: impure,
	},
	// This package decides which sides exist and loads them, with Git and Helm's engine.
	{
		dir: "pkg/compare",
		ours: []string{
			"pkg/rule", "pkg/source", "pkg/cluster", "pkg/fleet", "pkg/inventory", "pkg/machine", "pkg/render", "pkg/manifest",
			"pkg/layers", "pkg/upgrade",
			"pkg/revision", "pkg/values", "pkg/versions", "pkg/world", "internal/suggest",
		},
		reach: argocd, imports: join(impure, yaml, system, helm),
	},
	// Helm's engine renders the chart of an import.
	{
		dir: "pkg/intake",
		ours: []string{
			"pkg/adopt", "pkg/compare", "pkg/exports", "pkg/layers", "pkg/manifest", "pkg/rule", "pkg/source", "pkg/world",
		},
		reach: argocd, imports: join(impure, yaml, helm),
	},
	// These packages talk to a cluster. Only the command line imports them.
	{
		dir:   "pkg/live",
		ours:  []string{"pkg/cluster", "pkg/compare", "pkg/manifest", "pkg/rollout", "pkg/rule", "pkg/source"},
		reach: argocd, imports: join([]string{"os/exec"}, yaml, helm),
	},
	{
		dir:     "pkg/rollout",
		ours:    []string{"pkg/approval", "pkg/argocd", "pkg/labels", "pkg/manifest", "pkg/schedule", "internal/lazyregexp"},
		reach:   join(helm, argocd),
		imports: []string{"os/exec"},
	},
	{
		dir: "pkg/images",
		ours: []string{
			"pkg/edit", "pkg/rule", "pkg/secret", "pkg/source", "pkg/fleet", "pkg/template", "pkg/manifest", "internal/files",
		},
		reach:   join(helm, argocd),
		imports: []string{"os/exec"},
	},

	{
		dir:     "cmd/vmrender",
		ours:    []string{"pkg", "schema", "internal/cli", "internal/process", "internal/suggest"},
		reach:   argocd,
		imports: helm,
	},
	// The sidecar runs vmrender to render a platform: see TestFewFilesRunPrograms.
	{
		dir: "cmd/vmrender-cmp",
		ours: []string{
			"pkg/rule", "pkg/source", "pkg/fleet", "pkg/inventory", "pkg/platform", "pkg/render", "pkg/manifest",
			"pkg/argocd/plugin", "pkg/output", "pkg/report/problems", "internal/confine", "internal/process", "internal/suggest",
		},
		reach: join([]string{"net/http", "helm.sh/helm", "k8s.io/client-go", "sigs.k8s.io/kustomize"}, argocd),
	},

	// Embedded files.
	{dir: "charts", reach: join(cluster, argocd)},
	{dir: "apps", reach: join(cluster, argocd)},
	{dir: "plugin", reach: join(cluster, argocd)},
	{dir: "schema", ours: []string{"internal/suggest"}, reach: join(cluster, argocd)},

	{dir: "examples"},
	{dir: "internal/depcheck"},
	// These are for tests only: no room may import them.
	{dir: "internal/golden"},
	{dir: "internal/docblocks", ours: []string{"internal/lazyregexp"}},
	{dir: "internal/fleettest", ours: []string{"pkg/fleet", "pkg/inventory", "pkg/machine", "pkg/source"}, reach: argocd},
	{dir: "internal/fleetgen", ours: []string{"pkg/approval", "schema"}, reach: join(cluster, argocd)},
	{dir: "internal/style"},
	{
		dir: "internal/svgtext", ours: []string{"internal/lazyregexp"},
		reach: join(cluster, argocd, kubernetes), imports: join(impure, system),
	},
	{
		dir: "internal/cli", ours: []string{"pkg/report", "pkg/report/problems", "internal/suggest"},
		reach: join(cluster, argocd),
	},
	{dir: "internal/files", reach: join(cluster, argocd, kubernetes, kubevirt)},
	{dir: "internal/suggest", reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, system)},
	{dir: "internal/lazyregexp", reach: join(cluster, argocd, kubernetes)},
	{dir: "internal/sizes", reach: join(cluster, argocd, kubernetes, kubevirt), imports: join(impure, system)},
	{
		dir: "internal/wording", ours: []string{"pkg/secret"}, reach: join(cluster, argocd, kubernetes, kubevirt),
		imports: join(impure, system),
	},
	{dir: "internal/quantities", reach: join(cluster, argocd, kubevirt), imports: join(impure, system)},
	{dir: "internal/process", reach: join(cluster, argocd, kubernetes)},
	// This package is initialized before all others and starts its own program: see
	// TestStartsFirst of cmd/vmrender-cmp.
	{
		dir: "internal/confine", reach: join(cluster, argocd, kubernetes, kubevirt),
		imports: []string{"fmt", "strings", "strconv", "bytes"},
	},
}

// machinery is the module at which a search for a forbidden dependency ends. Typed
// Kubernetes objects always need net/http: apimachinery v0.34 imports it for its status
// codes (pkg/api/errors), its panic handler (pkg/util/runtime) and its address and port
// helpers (pkg/util/net).
const machinery = "k8s.io/apimachinery"

func join(lists ...[]string) []string { return slices.Concat(lists...) }

// pkg is a package as the go command reports it, without tests and their imports.
type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
}

// graph maps import paths to packages.
type graph map[string]pkg

func TestImportRules(t *testing.T) {
	g := load(t)
	for _, r := range rooms {
		t.Run(r.dir, func(t *testing.T) {
			require.Empty(t, r.violations(g, rooms))
		})
	}
}

// TestFewFilesRunPrograms checks that only two shipped files run other programs, so that
// it is easy to review what is run: the sidecar runs vmrender's programs, and the command
// line runs Git.
func TestFewFilesRunPrograms(t *testing.T) {
	const sidecar = "cmd/vmrender-cmp"
	g := load(t)
	var files []string
	for path, p := range g {
		if dir, ok := strings.CutPrefix(path, module); ok && shipped(p) && slices.Contains(p.Imports, "os/exec") {
			files = append(files, importers(t, dir, "os/exec")...)
		}
	}
	require.ElementsMatch(t, []string{"cmd/vmrender-cmp/execute.go", "pkg/revision/git.go"}, files)

	p := g[module+sidecar]
	p.Imports = slices.DeleteFunc(slices.Clone(p.Imports), func(path string) bool { return path == "os/exec" })
	g[p.ImportPath] = p
	require.Nil(t, g.chain(p, []string{"os/exec"}))
}

// importers returns the files of a package that import a path, except tests.
func importers(t *testing.T, dir, path string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	require.NoError(t, err)
	var found []string
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		imports := slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
		if imports && !strings.HasSuffix(name, "_test.go") {
			found = append(found, dir+"/"+filepath.Base(name))
		}
	}
	return found
}

func TestEveryPackageHasARoom(t *testing.T) {
	g := load(t)
	for path, p := range g {
		if dir, ok := strings.CutPrefix(path, module); ok && shipped(p) {
			require.NotEmpty(t, roomOf(dir, rooms).dir, "%s has no line in the table of rooms", path)
		}
	}
}

// TestRulesAreTrue checks that every room in the table exists, and imports every
// room that it may import.
func TestRulesAreTrue(t *testing.T) {
	g := load(t)
	for _, r := range rooms {
		imports := r.imported(g)
		require.NotNil(t, imports, "%s has a line in the table of rooms, and no package", r.dir)
		for _, other := range r.ours {
			used := slices.ContainsFunc(imports, func(path string) bool { return within(path, []string{module + other}) })
			require.True(t, used, "%s may import %s, and does not", r.dir, other)
		}
	}
	require.Nil(t, room{dir: "pkg/none"}.imported(g))
}

func TestViolationsAreFound(t *testing.T) {
	cellar := room{
		dir: "pkg/cellar", ours: []string{"pkg/manifest"},
		reach: cluster, imports: []string{"os", "math/rand"},
	}
	g := graph{}
	for path, imports := range map[string][]string{
		module + "pkg/cellar":       {"fmt", "os", module + "pkg/manifest", module + "pkg/fleet", "example.com/far"},
		module + "pkg/cellar/inner": {module + "pkg/cellar", "math/rand/v2"},
		module + "pkg/cellars":      {"os"},      // another room, whose name only has the same beginning
		module + "pkg/manifest":     {"os/exec"}, // allowed in that room, but within reach of this one
		module + "pkg/fleet":        nil,
		"example.com/far":           {"example.com/farther", machinery + "/pkg/util/net"},
		"example.com/farther":       {"helm.sh/helmet", "k8s.io/client-go/rest"},
		machinery + "/pkg/util/net": {"net/http"},
	} {
		g[path] = pkg{ImportPath: path, Imports: imports}
	}
	require.ElementsMatch(t, []string{
		module + "pkg/cellar imports " + module + "pkg/fleet",
		module + "pkg/cellar imports os",
		module + "pkg/cellar reaches " + module + "pkg/manifest > os/exec",
		module + "pkg/cellar/inner imports math/rand/v2",
		module + "pkg/cellar/inner reaches " + module + "pkg/cellar > " + module + "pkg/manifest > os/exec",
	}, cellar.violations(g, []room{cellar}))

	g[module+"pkg/manifest"] = pkg{ImportPath: module + "pkg/manifest"}
	require.Contains(t, cellar.violations(g, []room{cellar}),
		module+"pkg/cellar reaches example.com/far > example.com/farther > k8s.io/client-go/rest")

	inner := room{dir: "pkg/cellar/inner", ours: []string{"pkg/cellar"}}
	require.Empty(t, inner.violations(g, []room{cellar, inner}), "the innermost room counts")
}

// imported returns the packages of the room and their imports, or nil if there are
// no packages.
func (r room) imported(g graph) []string {
	var paths []string
	for path, p := range g {
		if dir, ok := strings.CutPrefix(path, module); ok && within(dir, []string{r.dir}) {
			paths = append(append(paths, path), p.Imports...)
		}
	}
	return paths
}

// violations returns the imports of the room's shipped packages that break its rules.
func (r room) violations(g graph, all []room) []string {
	var found []string
	for path, p := range g {
		dir, ok := strings.CutPrefix(path, module)
		if !ok || roomOf(dir, all).dir != r.dir || !shipped(p) {
			continue
		}
		for _, imported := range p.Imports {
			if !r.mayImport(imported) {
				found = append(found, path+" imports "+imported)
			}
		}
		if chain := g.chain(p, r.reach); chain != nil {
			found = append(found, path+" reaches "+strings.Join(chain, " > "))
		}
	}
	return found
}

func (r room) mayImport(path string) bool {
	if dir, ok := strings.CutPrefix(path, module); ok {
		return within(dir, []string{r.dir}) || within(dir, r.ours)
	}
	return !within(path, r.imports)
}

// chain returns the imports that lead from p to the nearest forbidden package, or nil if
// there are none.
func (g graph) chain(p pkg, forbidden []string) []string {
	cameFrom := map[string]string{p.ImportPath: ""}
	queue := []string{p.ImportPath}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if within(path, forbidden) {
			return trace(cameFrom, path)
		}
		if within(path, []string{machinery}) {
			continue
		}
		for _, next := range g[path].Imports {
			if _, seen := cameFrom[next]; !seen {
				cameFrom[next] = path
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// trace returns the chain that leads to path, without the start of the search.
func trace(cameFrom map[string]string, path string) []string {
	var chain []string
	for ; cameFrom[path] != ""; path = cameFrom[path] {
		chain = append(chain, path)
	}
	slices.Reverse(chain)
	return chain
}

// roomOf returns the innermost room that contains a directory, or a zero room.
func roomOf(dir string, all []room) room {
	var best room
	for _, r := range all {
		if within(dir, []string{r.dir}) && len(r.dir) > len(best.dir) {
			best = r
		}
	}
	return best
}

// shipped reports whether users get a package, as opposed to a program that only
// generates files.
func shipped(p pkg) bool {
	return p.Name != "main" || strings.HasPrefix(p.ImportPath, module+"cmd/")
}

// within reports whether path is one of the prefixes or is below one.
func within(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}

// load returns all packages of the module and everything that they import, for the
// platform that they ship on. It ignores packages that do not build (-e), which the
// compiler reports.
func load(t *testing.T) graph {
	t.Helper()
	touchTree(t)
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-json=ImportPath,Name,Imports", "./...")
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	require.NoError(t, err, stderr.String())

	g := graph{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			require.Contains(t, g, module+"internal/depcheck", stderr.String())
			return g
		} else if err != nil {
			require.NoError(t, err)
		}
		g[p.ImportPath] = p
	}
}

// touchTree reads the module's directories. The go command caches a test's result until a
// file or directory that the test itself opened changes. It does not see what a child
// process opens.
func touchTree(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root {
			return fs.SkipDir
		}
		return err
	}))
}
