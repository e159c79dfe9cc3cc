// Package held reads and writes the files of VMs that are held: what a VM was when Git last approved it, which is
// rendered in place of a change until that is approved. The files are in a hidden directory, so that no version of
// vmrender reads them as values.
package held

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/kinds"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// Dir is the directory of the files, below that of fleet.yaml. Those of an environment are in a directory with its
// name.
const Dir = ".held"

// The header of a file.
const (
	apiVersion = "vmrender.io/v1alpha1"
	kind       = "HeldVM"
	comment    = "# `vmrender hold` writes this file, and removes it when the change of the VM is approved.\n"
)

// File is what holds a VM.
type File struct {
	Namespace, Name string
	// Level is the level of the change that is held, such as "restart".
	Level string
	// Approvals release the VM: one for each risk of the change, with the same token.
	Approvals []Approval
	// Why are the causes of the change, in a sentence each.
	Why []string
	// Manifests are the objects that are held.
	Manifests []*source.Node
	// Path is the path of the file.
	Path string
}

// Approval is an approval that a change needs.
type Approval struct {
	Risk  string
	Token string // FROM-TO
}

// NameOf returns the name of the file of a VM. A namespace has no dot.
func NameOf(namespace, name string) string { return namespace + "." + name + ".yaml" }

// Pos returns the place of the file.
func (f *File) Pos() source.Pos { return source.Pos{File: f.Path} }

// Ends returns the digest of what the VM was, and of what it becomes.
func (f *File) Ends() (from, to string) {
	from, to, _ = strings.Cut(f.Approvals[0].Token, "-")
	return from, to
}

// Annotation returns the value of the annotation of a held VM: its level and its approvals.
func (f *File) Annotation() string { return f.Level + " " + Join(f.Approvals) }

// Join returns approvals as one text, such as "restart=FROM-TO,data=FROM-TO".
func Join(approvals []Approval) string {
	all := make([]string, len(approvals))
	for i, a := range approvals {
		all[i] = a.Risk + "=" + a.Token
	}
	return strings.Join(all, ",")
}

// Split returns the level and the approvals of the annotation of a held VM.
func Split(annotation string) (level string, approvals []Approval) {
	level, text, _ := strings.Cut(annotation, " ")
	for one := range strings.SplitSeq(text, ",") {
		risk, token, _ := strings.Cut(one, "=")
		approvals = append(approvals, Approval{risk, token})
	}
	return level, approvals
}

// Line returns the line for the entry of a VM that gives approvals.
func Line(approvals []Approval) string {
	if len(approvals) == 1 && approvals[0].Risk == approval.Risks()[0] {
		return "approve: " + approvals[0].Token
	}
	all := make([]string, len(approvals))
	for i, a := range approvals {
		all[i] = a.Risk + ": " + a.Token
	}
	return "approve: {" + strings.Join(all, ", ") + "}"
}

// Holds reports whether objects of a kind are held with their VM: the VM, its disks, what acts on it, and what is of no
// known kind. Others, such as Secrets and Services, are rendered as they are in the files.
func Holds(group, kind string) bool {
	switch group {
	case "kubevirt.io", "pool.kubevirt.io", "cdi.kubevirt.io", "tower.ansible.com", "batch":
		return true
	case "":
		return kind == "PersistentVolumeClaim"
	}
	row := kinds.Of(group, kind)
	return row.Acts() || !row.Known()
}

// header is the first document of a file.
type header struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Level      string   `json:"level"`
	Approvals  string   `json:"approvals"`
	Why        []string `json:"why,omitempty"`
	Digest     string   `json:"digest,omitempty"`
}

type metadata struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Encode returns the content of a file that holds manifests, which are compact JSON. It returns an error if the file
// would not be read as what it is.
func (f *File) Encode(manifests [][]byte) ([]byte, error) {
	h := header{
		APIVersion: apiVersion, Kind: kind, Metadata: metadata{f.Namespace, f.Name},
		Level: f.Level, Approvals: Join(f.Approvals), Why: f.Why,
	}
	head, err := manifest.Encode(nil, &h)
	if err != nil {
		return nil, err
	}
	h.Digest = digest(append([][]byte{head}, manifests...))
	if head, err = manifest.Encode(nil, &h); err != nil {
		return nil, err
	}
	text := manifest.AppendYAML([]byte(comment), head)
	for _, m := range manifests {
		text = manifest.AppendYAML(append(text, "---\n"...), m)
	}
	read, err := parse(&source.File{Name: NameOf(f.Namespace, f.Name), Data: text})
	if err == nil && !slices.EqualFunc(read.Manifests, manifests, isSame) {
		err = errors.New("its manifests are not the same in a file")
	}
	return text, err
}

func isSame(n *source.Node, json []byte) bool {
	return string(source.AppendJSON(nil, n)) == string(json)
}

// digest returns the digest of a file: of the header without it, and of the manifests.
func digest(all [][]byte) string {
	h := sha256.New()
	for _, text := range all {
		_, _ = h.Write(append(slices.Clip(text), '\n')) // never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// cure is what to do about a file that is not as it was written.
const cure = "; run `vmrender hold`, which writes it"

// Read reads a file. It returns nil if it has reported a problem.
func Read(path string, diags *source.Diagnostics) *File {
	data, err := source.ReadFile(path)
	if err != nil {
		diags.Errorf(source.Pos{File: path}, rule.Unreadable, "", "%s", err)
		return nil
	}
	f, err := parse(&source.File{Name: path, Data: data})
	if err == nil && NameOf(f.Namespace, f.Name) != filepath.Base(path) {
		err = &problem{source.Pos{File: path, Line: 1, Col: 1}, "metadata", fmt.Sprintf(
			"the file is of the VM %s/%s; expected the name %s", f.Namespace, f.Name, NameOf(f.Namespace, f.Name))}
	}
	if at, ok := errors.AsType[*problem](err); ok {
		diags.Errorf(at.pos, rule.Held, at.path, "%s%s", at.text, cure)
		return nil
	}
	return f
}

// problem is what is wrong with a file.
type problem struct {
	pos        source.Pos
	path, text string
}

// Error returns the text of the problem.
func (p *problem) Error() string { return p.text }

// parse reads the content of a file. Its errors are problems.
func parse(file *source.File) (*File, error) {
	var diags source.Diagnostics
	docs := source.Parse(file, &diags)
	if all := diags.Sorted(); len(all) > 0 {
		return nil, &problem{all[0].Pos, all[0].Path, all[0].Message}
	}
	if len(docs) < 2 {
		return nil, &problem{source.Pos{File: file.Name}, "", "no manifests"}
	}
	head := docs[0]
	if head.Get("apiVersion").Str() != apiVersion || head.Get("kind").Str() != kind {
		return nil, &problem{head.Pos(), "kind", fmt.Sprintf("expected %s of %s", kind, apiVersion)}
	}
	all := [][]byte{source.AppendJSON(nil, head.Without("digest"))}
	for _, doc := range docs[1:] {
		all = append(all, source.AppendJSON(nil, doc))
	}
	if head.Get("digest").Str() != digest(all) {
		at := head.Pos()
		if d := head.Get("digest"); d != nil {
			at = d.Pos()
		}
		return nil, &problem{at, "digest", "the file has changed since `vmrender hold` wrote it"}
	}
	return fileOf(head, docs[1:], file.Name)
}

// fileOf returns what a file of the right digest contains.
func fileOf(head *source.Node, manifests []*source.Node, path string) (*File, error) {
	f := &File{
		Namespace: head.Get("metadata", "namespace").Str(), Name: head.Get("metadata", "name").Str(),
		Manifests: manifests, Path: path,
	}
	f.Level, f.Approvals = Split(head.Get("level").Str() + " " + head.Get("approvals").Str())
	if why := head.Get("why"); why != nil {
		for _, n := range why.Items {
			f.Why = append(f.Why, n.Str())
		}
	}
	for _, a := range f.Approvals {
		if _, _, ok := approval.Split(a.Token); !ok || a.Token != f.Approvals[0].Token {
			return nil, &problem{head.Pos(), "approvals", fmt.Sprintf("%q is not a token", a.Token)}
		}
	}
	if f.machine() == nil {
		return nil, &problem{manifests[0].Pos(), "", fmt.Sprintf(
			"no VirtualMachine or VirtualMachinePool %s/%s among the manifests", f.Namespace, f.Name)}
	}
	return f, nil
}

// machine returns the manifest of the VM or the pool.
func (f *File) machine() *source.Node {
	for _, m := range f.Manifests {
		if IsMachine(m) && m.Get("metadata", "namespace").Str() == f.Namespace && m.Get("metadata", "name").Str() == f.Name {
			return m
		}
	}
	return nil
}

// IsMachine reports whether a manifest is that of a VirtualMachine or a VirtualMachinePool.
func IsMachine(m *source.Node) bool {
	group, _, _ := strings.Cut(m.Get("apiVersion").Str(), "/")
	return group == "kubevirt.io" && m.Get("kind").Str() == "VirtualMachine" ||
		group == "pool.kubevirt.io" && m.Get("kind").Str() == "VirtualMachinePool"
}

// MachineAnnotation returns an annotation of the held VM, or "".
func (f *File) MachineAnnotation(key string) string {
	return f.machine().Get("metadata", "annotations", key).Str()
}

// Annotated returns a manifest with an annotation: the keys of annotations are sorted.
func Annotated(m *source.Node, key, value string) *source.Node {
	text := *m
	text.Kind, text.Style, text.Text, text.Fields = source.String, source.DoubleQuoted, value, nil
	return replaced(m, "metadata", func(meta *source.Node) *source.Node {
		return replaced(meta, "annotations", func(old *source.Node) *source.Node {
			out := old.WithFields()
			at, _ := slices.BinarySearchFunc(out.Fields, key, func(f source.Field, key string) int {
				return strings.Compare(f.Key, key)
			})
			out.Fields = slices.Insert(out.Fields, at, source.Field{Key: key, Value: &text, Line: m.Line, Col: m.Col})
			return out
		})
	})
}

// Relabeled returns a manifest with another value of a label, if it has the label.
func Relabeled(m *source.Node, key, value string) *source.Node {
	if m.Get("metadata", "labels", key) == nil {
		return m
	}
	return replaced(m, "metadata", func(meta *source.Node) *source.Node {
		return replaced(meta, "labels", func(all *source.Node) *source.Node {
			return replaced(all, key, func(old *source.Node) *source.Node {
				text := *old
				text.Text = value
				return &text
			})
		})
	})
}

// Bare returns a manifest without an annotation.
func Bare(m *source.Node, key string) *source.Node {
	if m.Get("metadata", "annotations", key) == nil {
		return m
	}
	return replaced(m, "metadata", func(meta *source.Node) *source.Node {
		if len(meta.Get("annotations").Fields) == 1 {
			return meta.Without("annotations")
		}
		return replaced(meta, "annotations", func(old *source.Node) *source.Node { return old.Without(key) })
	})
}

// replaced returns a map with another value of a key, which is an empty map if it was not set.
func replaced(n *source.Node, key string, with func(*source.Node) *source.Node) *source.Node {
	out := n.WithFields()
	for i := range out.Fields {
		if out.Fields[i].Key == key {
			out.Fields[i].Value = with(out.Fields[i].Value)
			return out
		}
	}
	out.Add(key, with(source.EmptyMap(n)))
	return out
}
