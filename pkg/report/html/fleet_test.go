package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	unescape "html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/report/html"
	"github.com/vmrender/vmrender/pkg/source"
)

// values has one of each: pets and cattle, a pool, an instance type, disks of all kinds,
// dependencies, and secrets in all possible places.
const values = `
defaults: {namespace: prod, os: fedora, flavor: small}
vms:
  db:
    disks:
      root: 30Gi
      data: {size: 100Gi, storageClass: fast}
      more: {size: 10Gi, expandTo: 20Gi}
      old: {source: {claim: old-data}}
      clone: {source: {pvc: prod/golden}}
      scratch: {size: 5Gi, source: {emptyDisk: true}}
    nics: [pod, {network: lab/vlan7, ip: 10.7.0.5/24, mac: "02:00:00:00:00:01"}]
    cloudInit: {password: hunter2, runcmd: [login hunter2]}
  web: {replicas: 3, dependsOn: [db], lifecycle: cattle, services: {http: 80}}
  cache:
    {dependsOn: [prod/db, prod/web], wave: 4, namespace: edge, disks: {root: {size: 8Gi, source: {
      http: "https://user:hunter2@images.example.com/a.qcow2?sig=hunter2"}}}}
  workers: {replicas: 4, lifecycle: {type: cattle, strategy: pool}, cpu: 2, memory: 3Gi, flavor: null}
  big:
    {flavor: null, cpu: null, memory: null, instancetype: u1.large, gpus: [{device: nvidia.com/A10}],
     tpm: {persistent: true}, nodeSelector: {zone: a}}
`

func load(t testing.TB, values string) html.Fleet {
	t.Helper()
	f, diags := inventory.Load("-", fleet.Options{
		Stdin: strings.NewReader(values), Image: "registry.example.com/vmrender:1",
	})
	require.False(t, diags.HasErrors(), "%v", diags.Sorted())
	return html.Fleet{
		Version: "v1.2.3", Name: "site-a", Path: "sites/a", Overlays: []string{"stage.yaml"},
		Target: f.Header.Target, Catalog: f.Catalog, Machines: f.Machines, Warnings: diags.Sorted(),
	}
}

func write(t testing.TB, f html.Fleet) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, f.Write(&out))
	return out.String()
}

var (
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	policy  = regexp.MustCompile(`Policy" content="([^"]*)"`)
	data    = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
)

// TestFleet compares a page without its style and script, which do not depend on the
// fleet.
func TestFleet(t *testing.T) {
	page := write(t, load(t, values))
	require.Equal(t, page, write(t, load(t, values)))
	page = policy.ReplaceAllString(page, `Policy" content="…"`)
	page = scripts.ReplaceAllString(styles.ReplaceAllString(page, "<style>…</style>"), "<script>…</script>")
	golden.Equal(t, "testdata/fleet.html", page)
}

func TestEmptyFleet(t *testing.T) {
	page := write(t, html.Fleet{Name: "none", Path: "."})
	require.Contains(t, page, "There are no VMs.")
	require.NotContains(t, page, "<svg width")
}

// TestPolicy checks that the policy allows only the style and the script of the page, by
// their hashes, and that the page refers to no other site.
func TestPolicy(t *testing.T) {
	page := write(t, load(t, values))
	digest := func(pattern *regexp.Regexp) string {
		sum := sha256.Sum256([]byte(pattern.FindStringSubmatch(page)[1]))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	require.Equal(t, fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "+
		"base-uri 'none'; form-action 'none'", digest(styles), digest(scripts)),
		unescape.UnescapeString(policy.FindStringSubmatch(page)[1]))
	markup := styles.ReplaceAllString(scripts.ReplaceAllString(page, ""), "")
	require.NotRegexp(t, `(?i)\s(src|srcset|action|style|on\w+)=`, markup)
	require.NotRegexp(t, `href="[^#]`, page)
	require.NotRegexp(t, `url\((https?:|//)|@import`, page)
}

func TestNoSecrets(t *testing.T) {
	page := write(t, load(t, values))
	require.NotContains(t, page, "hunter2")
	require.Contains(t, page, "http https://***@images.example.com/a.qcow2?***")
}

// TestHostileTexts checks that no text can become markup or break out of the data block.
func TestHostileTexts(t *testing.T) {
	const hostile = "</script><img src=x onerror=alert(1)>\u2028<!--<script>&amp;\"'`${x}"
	f := load(t, values)
	f.Name, f.Path, f.Overlays = hostile, hostile, []string{hostile}
	f.Warnings = []source.Diagnostic{{Pos: source.Pos{File: hostile}, Path: hostile, Message: hostile}}
	f.Machines[0].Name, f.Machines[0].Namespace, f.Machines[0].NICs[0].Network = hostile, hostile, hostile
	page := write(t, f)
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, "<!--")
	require.NotContains(t, page, "\u2028<")
	require.Len(t, regexp.MustCompile(`<script`).FindAllString(page, -1), 2)
	var read struct{ Texts []string }
	require.NoError(t, json.Unmarshal([]byte(data.FindStringSubmatch(page)[1]), &read))
	require.Contains(t, read.Texts, hostile)
}

// TestLargeFleet checks that the page of a large fleet is small enough to be emailed, and
// that the drawings do not grow with the fleet.
func TestLargeFleet(t *testing.T) {
	var b strings.Builder
	b.WriteString("defaults: {os: rhel9, flavor: small, nics: [pod]}\nvms:\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "  vm-%04d: {namespace: ns-%d, disks: {root: 40Gi, data: %dGi}, nics: [pod, {network: lab/vlan%d}]",
			i, i%250, 10+i%9, i%300)
		if i > 0 {
			fmt.Fprintf(&b, ", dependsOn: [ns-%d/vm-%04d]", (i/2)%250, i/2)
		}
		b.WriteString("}\n")
	}
	page := write(t, load(t, b.String()))
	require.Less(t, len(page), 5<<20)
	require.Less(t, strings.Count(page, `<g class="`), 400)
	require.Less(t, strings.Count(page, `class="arrow"`), 1000)
	require.Contains(t, page, "rows not drawn.")
	require.Contains(t, page, "networks not drawn.")
	require.Contains(t, page, "groups not drawn.")
}

func TestManyWarnings(t *testing.T) {
	f := load(t, values)
	f.Warnings = nil
	for i := range 250 {
		f.Warnings = append(f.Warnings, source.Diagnostic{Severity: source.Warning, Message: fmt.Sprint("warning ", i)})
	}
	page := write(t, f)
	require.Contains(t, page, "warning 199<")
	require.NotContains(t, page, "warning 200<")
	require.Contains(t, page, "50 warnings not shown")
	require.Contains(t, page, "<dd>250</dd>")
}
