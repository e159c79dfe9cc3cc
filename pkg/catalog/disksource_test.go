package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/source"
)

func TestSourceProblems(t *testing.T) {
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{DataSource: "rhel9"}, `invalid dataSource "rhel9"; expected namespace/name`},
		{Source{Snapshot: "a/b/c"}, `invalid snapshot "a/b/c"; expected namespace/name`},
		{Source{DataVolume: "a/b"}, `invalid dataVolume "a/b"; expected a name of lower case letters, digits, "-" and "."`},
		{Source{Claim: "My_Claim"}, `invalid claim "My_Claim"; expected a name of lower case letters, digits, "-" and "."`},
		{
			Source{Registry: "https://quay.io/a"},
			`invalid registry address "https://quay.io/a"; expected one that starts with docker:// or oci-archive://`,
		},
		{Source{HTTP: "ftp://a/b"}, `invalid http address "ftp://a/b"; expected one that starts with http:// or https://`},
		{
			Source{S3: "bucket/disk"},
			`invalid s3 address "bucket/disk"; expected one that starts with s3://, http:// or https://`,
		},
		{Source{GCS: "gs://"}, `invalid gcs address "gs://"; expected one that starts with gs://, http:// or https://`},
		{
			Source{ContainerDisk: "docker://quay.io/a"},
			`invalid image "docker://quay.io/a"; a containerDisk has no scheme: did you mean "quay.io/a"?`,
		},
		{
			Source{ContainerDisk: "a b"},
			`invalid image "a b"; expected an image reference such as "quay.io/containerdisks/fedora:42"`,
		},
		{
			Source{GCS: "gs://a/b", CertConfigMap: "ca"},
			"certConfigMap is used by nothing here; it goes with registry, http or s3",
		},
		{
			Source{HTTP: "https://a/b", Secret: "S"},
			`invalid secret "S"; expected a name of lower case letters, digits, "-" and "."`,
		},
		{Source{Image: "golden", Secret: "s", CertConfigMap: "c"}, ""},
		{Source{Secret: "s"}, ""},
		{Source{Secret: "S"}, `invalid secret "S"; expected a name of lower case letters, digits, "-" and "."`},
		{Source{Claim: "a", CertConfigMap: "s"}, "certConfigMap is used by nothing here; it goes with registry, http or s3"},
		{Source{ContainerDisk: "a/b", Secret: "s", PullPolicy: "Always", Path: "/disk/a.qcow2"}, ""},
		{Source{ContainerDisk: "a/b", Path: "../a"}, `invalid path "../a"; ` +
			`expected the absolute path of a file in the image, such as "/disk/root.qcow2"`},
		{Source{ConfigMap: "a", VolumeLabel: "OEMDRV"}, ""},
		{Source{ConfigMap: "a", PullPolicy: "Always"}, "pullPolicy is used by nothing here; it goes with containerDisk"},
	} {
		var all []string
		for _, p := range c.source.Problems() {
			all = append(all, p.Text)
		}
		require.Equal(t, c.want, strings.Join(all, "\n"))
	}
}

func TestKindsAndParts(t *testing.T) {
	two := Source{PVC: "a/b", Blank: true}
	require.Equal(t, []string{"pvc", "blank"}, two.Kinds())
	require.Empty(t, new(Source).Kinds())
	require.Equal(t, []string{"secret"}, (&Source{Secret: "s"}).Kinds())
	require.Equal(t, []string{"http"}, (&Source{HTTP: "http://a", Secret: "s"}).Kinds())
	one := Source{Registry: "docker://a/b", Version: "7", Secret: "s"}
	require.Equal(t, []string{"registry", "docker://a/b", "7"}, one.Parts())
	require.Equal(t, []string{"upload", "true", ""}, (&Source{Upload: true}).Parts())
	require.Equal(t, "upload", (&Source{Upload: true}).String())
	require.Empty(t, new(Source).String())
}

func TestNormalizeSource(t *testing.T) {
	const more = `,"configMap":null,"serviceAccount":null,"downwardMetrics":null,"cloudInit":null,` +
		`"sysprep":null,"volume":null,"vddk":null,"imageio":null,"dataSourceRef":null`
	const ofContent = `,"pullPolicy":null,"path":null,"volumeLabel":null}`
	for text, want := range map[string]string{
		`{registry: "docker://a/b", version: "1"}`: `{"dataSource":null,"registry":"docker://a/b","version":"1",` +
			`"image":null,"http":null,"s3":null,"gcs":null,"pvc":null,"snapshot":null,"containerDisk":null,"claim":null,` +
			`"dataVolume":null,"emptyDisk":null,"upload":null,"blank":null` + more + ofContent,
		`{pvc: a/b, claim: c}`: `{"pvc":"a/b","claim":"c","dataSource":null,"image":null,"registry":null,` +
			`"http":null,"s3":null,"gcs":null,"snapshot":null,"containerDisk":null,` +
			`"dataVolume":null,"emptyDisk":null,"upload":null,"blank":null` + more + `,"version":null` + ofContent,
		`{version: "2"}`: `{"version":"2"}`,
		`{secret: s}`:    `{"secret":"s"}`,
		`{blank: false}`: `{"blank":false}`,
		`blank`:          `"blank"`,
	} {
		var diags source.Diagnostics
		n := source.Parse(&source.File{Name: "f", Data: []byte(text + "\n")}, &diags)[0]
		once := NormalizeSource(n)
		require.JSONEq(t, want, string(source.AppendJSON(nil, once)))
		require.JSONEq(t, want, string(source.AppendJSON(nil, NormalizeSource(once))), "a second time changes nothing")
	}
	require.Nil(t, NormalizeSource(nil))
}

func TestIsQuantity(t *testing.T) {
	for _, s := range []string{
		"30Gi", "1536Mi", "1.5Ti", "1", "512M", "4k", "0.5Gi", "2E", ".5Gi", "1.", "8Ei", "3Pi", "7P", "6T",
	} {
		checkQuantity(t, s, true)
	}
	for _, s := range []string{
		"", "Gi", "0", "0Gi", "0.0", "-1Gi", "+1Gi", "30GB", "30gi", "30 Gi", "1.2.3", "lots", "1K", ".", ".Gi", "3m", "1e3",
	} {
		checkQuantity(t, s, false)
	}
}

func FuzzIsQuantity(f *testing.F) {
	f.Add("30Gi")
	f.Add("1.5Ti")
	f.Add("0.Gi")
	f.Fuzz(func(t *testing.T, s string) { checkQuantity(t, s, isQuantity(s)) })
}

// checkQuantity compares isQuantity with Kubernetes's parser: it must accept exactly the
// quantities above zero.
func checkQuantity(t *testing.T, s string, want bool) {
	t.Helper()
	require.Equal(t, want, isQuantity(s), "%q", s)
	if want {
		q, err := resource.ParseQuantity(s)
		require.NoError(t, err, "%q", s)
		require.Positive(t, q.Sign(), "%q", s)
	}
}

func TestLabelProblem(t *testing.T) {
	for _, name := range []string{"u1.medium", "db", "A_b-c.9"} {
		require.Empty(t, labelProblem(name))
	}
	for _, name := range []string{"", "-a", "a.", "a/b", "a b"} {
		require.NotEmpty(t, labelProblem(name), "%q", name)
	}
	require.Contains(t, labelProblem(string(make([]byte, 64))), "64 characters")
}
