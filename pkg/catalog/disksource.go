package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
)

// content is one of the keys that specify the content of a disk, with its value. The
// value of a boolean that is set is "true".
type content struct{ key, value string }

func (s *Source) contents() [13]content {
	return [...]content{
		{"dataSource", s.DataSource},
		{"image", s.Image},
		{"registry", s.Registry},
		{"http", s.HTTP},
		{"s3", s.S3},
		{"gcs", s.GCS},
		{"pvc", s.PVC},
		{"snapshot", s.Snapshot},
		{"containerDisk", s.ContainerDisk},
		{"claim", s.Claim},
		{"emptyDisk", whether(s.EmptyDisk)},
		{"upload", whether(s.Upload)},
		{"blank", whether(s.Blank)},
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
	for _, c := range s.contents() {
		if c.value != "" {
			kinds = append(kinds, c.key)
		}
	}
	return kinds
}

// Parts returns what identifies the content: if any part changes, the content is
// different. Credentials are not included.
func (s *Source) Parts() []string {
	parts := make([]string, 0, 3)
	for _, c := range s.contents() {
		if c.value != "" {
			parts = append(parts, c.key, c.value)
		}
	}
	return append(parts, s.Version)
}

// String returns the source as a listing shows it, such as
// "dataSource openshift-virtualization-os-images/rhel9" or "blank".
func (s *Source) String() string {
	for _, c := range s.contents() {
		switch c.value {
		case "":
		case "true":
			return c.key
		default:
			return c.key + " " + secret.Masked(c.value)
		}
	}
	return ""
}

// Problems returns what is wrong with the values of a source, each with what is
// accepted: references that are not `namespace/name`, addresses without the scheme that
// CDI requires, credentials that are not used. It does not check that there is exactly
// one source; see [Source.Kinds].
func (s *Source) Problems() []Problem {
	var found []Problem
	for _, c := range s.contents() {
		if c.value == "" {
			continue
		}
		if text := contentProblem(c); text != "" {
			found = append(found, Problem{c.key, text})
		}
	}
	return append(found, s.credentialProblems()...)
}

// Credentials returns the keys whose addresses contain credentials.
func (s *Source) Credentials() []string {
	var keys []string
	for _, c := range s.contents() {
		if secret.InURL(c.value) {
			keys = append(keys, c.key)
		}
	}
	return keys
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
	case "claim":
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

func (s *Source) credentialProblems() []Problem {
	if s.Secret == "" && s.CertConfigMap == "" {
		return nil
	}
	return append(
		s.credentialProblem("secret", s.Secret, "registry", "http", "s3", "gcs"),
		s.credentialProblem("certConfigMap", s.CertConfigMap, "registry", "http", "s3")...)
}

// credentialProblem checks a reference that only some kinds of sources use. A named
// image may be of any kind.
func (s *Source) credentialProblem(key, name string, of ...string) []Problem {
	used := func(kind string) bool { return kind == "image" || slices.Contains(of, kind) }
	text := nameProblem(key, name)
	switch {
	case name == "":
		return nil
	case !slices.ContainsFunc(s.Kinds(), used):
		text = fmt.Sprintf("%s is used by nothing here; it goes with %s", key, orList(of))
	case text == "":
		return nil
	}
	return []Problem{{key, text}}
}

// NormalizeSource prepares a source as written for merging over another one. A map that
// sets one of the keys that specify the content gets nulls for the others, so that a
// `registry` replaces an inherited `dataSource` instead of being added to it. The
// `version` of the other content is also cleared. What is written stays, even two such
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
	keys := new(Source).contents()
	out := *n
	out.Fields = slices.Grow(slices.Clone(n.Fields), len(keys))
	null := &source.Node{Kind: source.Null, Line: n.Line, Col: n.Col, File: n.File}
	for _, c := range append(keys[:], content{key: "version"}) {
		if n.Field(c.key) == nil {
			out.Fields = append(out.Fields, source.Field{Key: c.key, Line: n.Line, Col: n.Col, Value: null})
		}
	}
	return &out
}

// givenContent returns the entries of a source as written that specify the content. An
// empty string or `blank: false` does not.
func givenContent(n *source.Node) []source.Field {
	var given []source.Field
	for _, c := range new(Source).contents() {
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
