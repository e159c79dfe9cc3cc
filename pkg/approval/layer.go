package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// stateSize is the number of hexadecimal digits of the digest of one object's state in a token. A state is compared
// with the few of one token, so that another one passes once in a million times.
const stateSize = 6

// Review is the approval of a layer of a platform: what the layer renders and, if the review has seen a cluster, the
// states of the objects that the layer changes there.
type Review struct {
	Rendered string   // the digest of [Rendered], or "" if nothing is approved
	IsLive   bool     // whether the review has seen a cluster
	Live     []string // the digests of [Subject.State] of what differs from Git there, sorted
}

var reviewForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^r([0-9a-f]{16})(?:-l((?:[0-9a-f]{6})*))?$`)
})

// ParseReview reads the approval of a layer: [None], rRENDERED or rRENDERED-lLIVE.
func ParseReview(text string) (Review, error) {
	if text == None {
		return Review{}, nil
	}
	m := reviewForm().FindStringSubmatch(text)
	if m == nil {
		return Review{}, errors.New("not a token of a layer")
	}
	r := Review{Rendered: m[1], IsLive: strings.Contains(text, "-")}
	for live := m[2]; live != ""; live = live[stateSize:] {
		r.Live = append(r.Live, live[:stateSize])
	}
	return r, nil
}

// String returns the approval as it is written.
func (r Review) String() string {
	switch {
	case r.Rendered == "":
		return None
	case !r.IsLive:
		return "r" + r.Rendered
	}
	states := slices.Clone(r.Live)
	slices.Sort(states)
	return "r" + r.Rendered + "-l" + strings.Join(slices.Compact(states), "")
}

// Layer is what a layer of a platform renders, with its approval.
type Layer struct {
	Name     string `json:"layer"`
	Approved string `json:"approved"` // as written
	Rendered string `json:"rendered"` // the digest of what it renders now
	// Namespace is that of objects that have none in Git, if their kind has one.
	Namespace string    `json:"namespace,omitempty"`
	Subjects  []Subject `json:"objects"`
}

// IsRendered reports whether the approval is of what the layer renders.
func (l *Layer) IsRendered() bool {
	r, err := ParseReview(l.Approved)
	return err == nil && r.Rendered == l.Rendered
}

// IsStale reports whether an object is neither as it was when the layer was reviewed, nor as Git has it. A review
// without a cluster accepts every state.
func (l *Layer) IsStale(s *Subject, live map[string]any) bool {
	r, err := ParseReview(l.Approved)
	state := s.State(live)
	return err == nil && r.IsLive && state != s.Becomes && !slices.Contains(r.Live, state)
}

// Token returns the approval of the layer in the cluster whose objects a function returns, nil for one that does not
// exist. Without a function, it is that of a review that has seen no cluster.
func (l *Layer) Token(live func(*Subject) map[string]any) string {
	r := Review{Rendered: l.Rendered, IsLive: live != nil}
	for i := range l.Subjects {
		if !r.IsLive {
			break
		}
		if s := &l.Subjects[i]; s.State(live(s)) != s.Becomes {
			r.Live = append(r.Live, s.State(live(s)))
		}
	}
	return r.String()
}

// Rendered returns the digest of the objects of a layer, in any order: 16 hexadecimal digits.
func Rendered(layer, namespace string, objects []map[string]any) string {
	texts := make([]string, 0, len(objects))
	for _, o := range objects {
		texts = append(texts, string(encode(o)))
	}
	slices.Sort(texts)
	return hash(layer, namespace, texts)[:16]
}

// Subject is an object that a review is about: its fields in Git, without their values, and the digest of these.
type Subject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Fields     any    `json:"fields"`  // maps and lists, with null for every value
	Becomes    string `json:"becomes"` // the state after a sync

	inGit any
}

// SubjectOf returns an object of a layer as the subject of its review.
func SubjectOf(object map[string]any) Subject {
	meta, _ := object["metadata"].(map[string]any)
	var s Subject
	s.APIVersion, _ = object["apiVersion"].(string)
	s.Kind, _ = object["kind"].(string)
	s.Name, _ = meta["name"].(string)
	s.Namespace, _ = meta["namespace"].(string)
	s.inGit = content(object)
	s.Fields = fieldsOf(s.inGit)
	s.Becomes = s.State(object)
	return s
}

// String returns the identity for users, such as "KubeletConfig virt-worker".
func (s *Subject) String() string {
	if s.Namespace == "" {
		return s.Kind + " " + s.Name
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}

// Group returns the API group, or "" for core objects.
func (s *Subject) Group() string {
	group, _, found := strings.Cut(s.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// State returns a digest of the fields that Git has, in an object of the cluster; nil if it does not exist.
func (s *Subject) State(live map[string]any) string {
	if live == nil {
		return hash(s.Group(), s.String(), "absent")[:stateSize]
	}
	return hash(s.Group(), s.String(), project(s.Fields, content(live)))[:stateSize]
}

// Differences returns the paths of the fields in which an object of the cluster differs from Git, without values; only
// for a subject of [SubjectOf].
func (s *Subject) Differences(live map[string]any) []string {
	if live == nil {
		return []string{"(absent)"}
	}
	var out []string
	differences("", s.inGit, project(s.Fields, content(live)), &out)
	return out
}

// content returns an object without what identifies it: a version of its API is another spelling of the same object.
func content(object map[string]any) map[string]any {
	out := maps.Clone(object)
	for _, key := range []string{"apiVersion", "kind", "status"} {
		delete(out, key)
	}
	if meta, ok := out["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		delete(meta, "name")
		delete(meta, "namespace")
		if out["metadata"] = meta; len(meta) == 0 {
			delete(out, "metadata")
		}
	}
	return out
}

// fieldsOf returns a value with null for all that is neither a map nor a list.
func fieldsOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = fieldsOf(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fieldsOf(v[i])
		}
		return out
	}
	return nil
}

// project returns what a value has of some fields. A list of another length is returned as it is.
func project(fields, v any) any {
	switch f := fields.(type) {
	case map[string]any:
		in, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := map[string]any{}
		for key, field := range f {
			out[key] = project(field, in[key])
		}
		return out
	case []any:
		in, ok := v.([]any)
		if !ok || len(in) != len(f) {
			return v
		}
		out := make([]any, len(in))
		for i := range in {
			out[i] = project(f[i], in[i])
		}
		return out
	}
	return v
}

// differences collects the paths at which two values differ, sorted.
func differences(path string, a, b any, out *[]string) {
	if bytes.Equal(encode(a), encode(b)) {
		return
	}
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		*out = append(*out, path)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(x)) {
		differences(strings.TrimPrefix(path+"."+key, "."), x[key], y[key], out)
	}
}

// hash returns the digest of values, in hexadecimal digits.
func hash(values ...any) string {
	sum := sha256.Sum256(encode(values))
	return hex.EncodeToString(sum[:])
}

// encode returns the JSON of a decoded value, with sorted keys.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding a decoded value: %v", err))
	}
	return text
}
