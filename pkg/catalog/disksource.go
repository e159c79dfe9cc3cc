package catalog

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
)

// contents are the keys that specify the content of a disk, with their values. The value of a boolean that is set is
// "true".
var contents = []struct {
	key   string
	value func(*Source) string
}{
	{"dataSource", func(s *Source) string { return s.DataSource }},
	{"image", func(s *Source) string { return s.Image }},
	{"registry", func(s *Source) string { return s.Registry }},
	{"http", func(s *Source) string { return s.HTTP }},
	{"s3", func(s *Source) string { return s.S3 }},
	{"gcs", func(s *Source) string { return s.GCS }},
	{"pvc", func(s *Source) string { return s.PVC }},
	{"snapshot", func(s *Source) string { return s.Snapshot }},
	{"containerDisk", func(s *Source) string { return s.ContainerDisk }},
	{"claim", func(s *Source) string { return s.Claim }},
	{"dataVolume", func(s *Source) string { return s.DataVolume }},
	{"emptyDisk", func(s *Source) string { return whether(s.EmptyDisk) }},
	{"upload", func(s *Source) string { return whether(s.Upload) }},
	{"blank", func(s *Source) string { return whether(s.Blank) }},
	{"configMap", func(s *Source) string { return s.ConfigMap }},
	{"serviceAccount", func(s *Source) string { return s.ServiceAccount }},
	{"downwardMetrics", func(s *Source) string { return whether(s.DownwardMetrics) }},
	{"cloudInit", func(s *Source) string { return whether(s.CloudInit) }},
	{"sysprep", func(s *Source) string { return whether(s.Sysprep) }},
	{"volume", func(s *Source) string { return written(s.Volume) }},
	{"vddk", func(s *Source) string { return written(s.VDDK) }},
	{"imageio", func(s *Source) string { return written(s.ImageIO) }},
	{"dataSourceRef", func(s *Source) string { return written(s.DataSourceRef) }},
}

// content is one of the contents of a source.
type content struct{ key, value string }

// written returns the JSON of a source in the form of CDI, or "" if it is not set.
func written(n *source.Node) string {
	if !n.IsSet() {
		return ""
	}
	return string(source.AppendJSON(nil, n))
}

// set returns the keys that specify the content and are set, with their values. A Secret is content if there is no
// other: otherwise it is the credentials of the other.
func (s *Source) set() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		none := true
		for i := range contents {
			if value := contents[i].value(s); value != "" {
				none = false
				if !yield(contents[i].key, value) {
					return
				}
			}
		}
		if none && s.Secret != "" {
			yield("secret", s.Secret)
		}
	}
}

func whether(set bool) string {
	if set {
		return "true"
	}
	return ""
}

// Kinds returns the keys that specify the content and are set. A usable source has
// exactly one, such as "dataSource".
func (s *Source) Kinds() []string {
	var kinds []string
	for key := range s.set() {
		kinds = append(kinds, key)
	}
	return kinds
}

// Kind returns the first of the [Source.Kinds], or "" if there is none.
func (s *Source) Kind() string {
	for key := range s.set() {
		return key
	}
	return ""
}

// Parts returns what identifies the content: if any part changes, the content is
// different. Credentials are not included.
func (s *Source) Parts() []string {
	parts := make([]string, 0, 3)
	for key, value := range s.set() {
		parts = append(parts, key, value)
	}
	return append(parts, s.Version)
}

// String returns the source as a listing shows it, such as
// "dataSource openshift-virtualization-os-images/rhel9" or "blank".
func (s *Source) String() string {
	for key, value := range s.set() {
		if value == "true" || strings.HasPrefix(value, "{") {
			return key
		}
		return key + " " + secret.Masked(value)
	}
	return ""
}

// Problems returns what is wrong with the values of a source, each with what is
// accepted: references that are not `namespace/name`, addresses without the scheme that
// CDI requires, credentials that are not used. It does not check that there is exactly
// one source; see [Source.Kinds].
func (s *Source) Problems() []Problem {
	var found []Problem
	for key, value := range s.set() {
		if text := contentProblem(content{key, value}); text != "" {
			found = append(found, Problem{key, text})
		}
	}
	found = append(found, s.foreignProblems()...)
	return append(found, s.companionProblems()...)
}

// Credentials returns the keys whose addresses contain credentials.
func (s *Source) Credentials() []string {
	var keys []string
	for key, value := range s.set() {
		if secret.InURL(value) {
			keys = append(keys, key)
		}
	}
	return keys
}

// foreignForms are the sources in the form of CDI, with the keys that it requires (containerized-data-importer
// pkg/apiserver/webhooks, v1.65.0).
var foreignForms = []struct {
	key      string
	value    func(*Source) *source.Node
	required []string
}{
	{"vddk", func(s *Source) *source.Node { return s.VDDK }, []string{
		"url", "uuid", "backingFile", "thumbprint", "secretRef",
	}},
	{"imageio", func(s *Source) *source.Node { return s.ImageIO }, []string{"url", "diskId", "secretRef"}},
	{"dataSourceRef", func(s *Source) *source.Node { return s.DataSourceRef }, []string{"kind", "name"}},
}

// foreignProblems returns what CDI refuses in the sources that are in its form, except for unknown keys.
func (s *Source) foreignProblems() []Problem {
	var found []Problem
	for _, f := range foreignForms {
		n := f.value(s)
		if !n.IsSet() {
			continue
		}
		var missing []string
		for _, key := range f.required {
			if value := n.Get(key); value == nil || isZero(value) {
				missing = append(missing, key)
			}
		}
		if len(missing) > 0 {
			found = append(found, Problem{f.key, "missing " + strings.Join(missing, ", ")})
		} else if text := foreignProblem(f.key, n); text != "" {
			found = append(found, Problem{f.key, text})
		}
	}
	if text := volumeProblem(s.Volume); text != "" {
		found = append(found, Problem{"volume", text})
	}
	return found
}

func foreignProblem(key string, n *source.Node) string {
	given := func(key string) bool { value := n.Get(key); return value != nil && !isZero(value) }
	switch {
	case key == "imageio" && !given("certConfigMap") && !given("insecureSkipVerify"):
		return "missing certConfigMap, or insecureSkipVerify: true"
	case key == "dataSourceRef" && given("namespace"):
		return "CDI takes no object of another namespace; remove namespace"
	case key == "dataSourceRef" && !given("apiGroup") && n.Get("kind").Str() != "PersistentVolumeClaim":
		return "missing apiGroup of the kind"
	case key != "dataSourceRef":
		return foreignURLProblem(key, n.Get("url").Str())
	}
	return ""
}

func foreignURLProblem(key, url string) string {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return ""
	}
	return fmt.Sprintf("invalid url %q of %s; expected one that starts with https://", secret.MaskedAddress(url), key)
}

// Problem describes what is wrong with the value of one key of a disk source.
type Problem struct {
	Key  string // such as "http"
	Text string // the problem; then, after a semicolon, what is accepted
}

func contentProblem(c content) string {
	switch c.key {
	case "dataSource", "pvc", "snapshot":
		return referenceProblem(c.key, c.value)
	case "claim", "dataVolume", "configMap", "serviceAccount", "secret":
		return nameProblem(c.key, c.value)
	case "containerDisk":
		return containerDiskProblem(c.value)
	}
	return urlProblem(c.key, c.value)
}

// schemes are the prefixes of addresses that CDI's importers accept, by key
// (containerized-data-importer doc/datavolumes.md and doc/image-from-registry.md).
var schemes = map[string][]string{
	"registry": {"docker://", "oci-archive://"},
	"http":     {"http://", "https://"},
	"s3":       {"s3://", "http://", "https://"},
	"gcs":      {"gs://", "http://", "https://"},
}

func urlProblem(key, value string) string {
	accepted, ok := schemes[key]
	if !ok {
		return ""
	}
	for _, scheme := range accepted {
		if rest, ok := strings.CutPrefix(value, scheme); ok && rest != "" && !strings.ContainsAny(rest, " \t\n") {
			return ""
		}
	}
	value = secret.MaskedAddress(value)
	if !strings.Contains(value, "://") && key == "registry" && value != secret.Hidden {
		return fmt.Sprintf("invalid %s address %q; did you mean %q?", key, value, accepted[0]+value)
	}
	return fmt.Sprintf("invalid %s address %q; expected one that starts with %s", key, value, orList(accepted))
}

// Meant returns the source that a string was probably meant to be, as in YAML, or "".
func (*Source) Meant(text string) string {
	scheme, rest, hasScheme := strings.Cut(text, "://")
	host, _, isPath := strings.Cut(text, "/")
	var key string
	switch {
	case hasScheme && rest != "":
		key = map[string]string{"http": "http", "https": "http", "s3": "s3", "gs": "gcs", "docker": "registry"}[scheme]
	case isPath && strings.ContainsAny(host, ".:"):
		key = "containerDisk"
	case isPath:
		return fmt.Sprintf("{dataSource: %q} or {pvc: %q}", text, text)
	default:
		key = "image"
	}
	if key == "" || strings.ContainsAny(text, " \t\n") {
		return ""
	}
	return fmt.Sprintf("{%s: %q}", key, secret.MaskedAddress(text))
}

func containerDiskProblem(image string) string {
	image = secret.Masked(image)
	if _, bare, ok := strings.Cut(image, "://"); ok {
		return fmt.Sprintf("invalid image %q; a containerDisk has no scheme: did you mean %q?", image, bare)
	}
	if strings.ContainsAny(image, " \t\n") {
		return fmt.Sprintf("invalid image %q; expected an image reference such as %q",
			image, "quay.io/containerdisks/fedora:42")
	}
	return ""
}

// companions are the keys next to the one that specifies the content, with the kinds of content that use them. A named
// image may be of any kind.
var companions = []struct {
	key   string
	value func(*Source) string
	of    []string
}{
	{"secret", func(s *Source) string { return s.Secret }, []string{"registry", "http", "s3", "gcs", "containerDisk"}},
	{"certConfigMap", func(s *Source) string { return s.CertConfigMap }, []string{"registry", "http", "s3"}},
	{"pullPolicy", func(s *Source) string { return s.PullPolicy }, []string{"containerDisk"}},
	{"path", func(s *Source) string { return s.Path }, []string{"containerDisk"}},
	{"volumeLabel", func(s *Source) string { return s.VolumeLabel }, []string{"configMap", "secret"}},
}

// companionProblems reports the keys that nothing here uses, and what is wrong with the others.
func (s *Source) companionProblems() []Problem {
	var found []Problem
	var kinds []string
	for _, c := range companions {
		value := c.value(s)
		if value == "" {
			continue
		}
		if kinds == nil {
			kinds = s.Kinds()
		}
		used := func(kind string) bool { return kind == "image" || kind == c.key || slices.Contains(c.of, kind) }
		switch {
		case slices.Contains(kinds, c.key): // a Secret with files is checked as content
		case !slices.ContainsFunc(kinds, used):
			text := fmt.Sprintf("%s is used by nothing here; it goes with %s", c.key, orList(c.of))
			found = append(found, Problem{c.key, text})
		default:
			if text := companionProblem(c.key, value); text != "" {
				found = append(found, Problem{c.key, text})
			}
		}
	}
	return found
}

func companionProblem(key, value string) string {
	switch {
	case key == "secret" || key == "certConfigMap":
		return nameProblem(key, value)
	case key == "path" && (path.Clean(value) != value || !path.IsAbs(value) || value == "/"):
		return fmt.Sprintf("invalid path %q; expected the absolute path of a file in the image, "+
			"such as \"/disk/root.qcow2\"", value)
	}
	return ""
}

// NormalizeSource prepares a source as written for merging over another one. A map that
// sets one of the keys that specify the content gets nulls for the others, so that a
// `registry` replaces an inherited `dataSource` instead of being added to it. The
// `version` of the other content, and what else belongs to it, is also cleared. What is written stays, even two such
// keys. Maps that set none, such as `{version: "2"}`, and values that are not maps do
// not change.
func NormalizeSource(n *source.Node) *source.Node {
	if n == nil || n.Kind != source.Map {
		return n
	}
	set := givenContent(n)
	if set == nil {
		return n
	}
	out := *n
	out.Fields = slices.Grow(slices.Clone(n.Fields), len(contents)+len(ofContent))
	null := &source.Node{Kind: source.Null, Line: n.Line, Col: n.Col, File: n.File}
	unset := func(key string) {
		if n.Field(key) == nil {
			out.Fields = append(out.Fields, source.Field{Key: key, Line: n.Line, Col: n.Col, Value: null})
		}
	}
	for i := range contents {
		unset(contents[i].key)
	}
	for _, key := range ofContent {
		unset(key)
	}
	return &out
}

// ofContent are the keys that belong to one content, and are cleared with it. Credentials may be those of the next.
var ofContent = []string{"version", "pullPolicy", "path", "volumeLabel"}

// givenContent returns the entries of a source as written that specify the content. An
// empty string or `blank: false` does not.
func givenContent(n *source.Node) []source.Field {
	var given []source.Field
	for _, c := range contents {
		if f := n.Field(c.key); f != nil && !isZero(f.Value) {
			given = append(given, *f)
		}
	}
	return given
}

func isZero(n *source.Node) bool {
	switch n.Kind {
	case source.Null:
		return true
	case source.Bool:
		return strings.EqualFold(n.Text, "false")
	case source.String:
		return n.Text == ""
	}
	return false
}
