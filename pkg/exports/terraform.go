package exports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// State is what a state or a plan of Terraform or OpenTofu contains of Kubernetes.
type State struct {
	Objects []Managed // in the order of the file
	// Problems are the resources whose objects could not be read, and Notes those that contain none. Both are sorted.
	Problems, Notes []Finding
}

// Managed is an object that Terraform manages.
type Managed struct {
	manifest.Object
	Address string // of its resource, such as module.site["a"].kubernetes_manifest.vm[0]
	// Sensitive is true if Terraform marks something of the object as sensitive: its values must not be printed.
	Sensitive bool
}

// Finding is what a user should know of a file of Terraform. It contains no values of attributes.
type Finding struct {
	Line, Col int    // in the file, from 1; 0 if unknown
	Address   string // of the resource, or its type; may be empty
	Text      string // what is wrong, and what helps
}

// firstKey is the beginning of a JSON object.
var firstKey = lazyregexp.New(`^\s*\{\s*"([a-z_]+)"\s*:`)

// firstKeys are the keys that a state or a plan can begin with, as Terraform and OpenTofu write them, or in
// alphabetical order (hashicorp/terraform v1.9, internal/command/jsonstate, jsonplan, and
// internal/states/statefile/version4.go; opentofu/opentofu v1.9, internal/encryption/base.go). No object of Kubernetes
// begins with one of them.
var firstKeys = []string{
	"format_version", "terraform_version", "version", "serial", "lineage", "outputs", "resources", "check_results",
	"encrypted_data", "encryption_version", "meta", "applyable", "checks", "complete", "configuration", "values",
	"planned_values", "modules",
}

// zipMagic is the beginning of a zip archive, the form in which `terraform plan -out` writes a plan
// (hashicorp/terraform v1.9, internal/plans/planfile/writer.go).
const zipMagic = "PK\x03\x04"

// IsTerraform reports whether a file is a state or a plan of Terraform or OpenTofu, by its first 512 bytes.
func IsTerraform(head []byte) bool {
	if bytes.HasPrefix(head, []byte(zipMagic)) {
		return true
	}
	m := firstKey().FindSubmatch(head)
	return m != nil && slices.Contains(firstKeys, string(m[1]))
}

// ReadTerraform reads the objects of a state or a plan of Terraform or OpenTofu: what `terraform show -json` prints, of
// which the planned values count, and terraform.tfstate (version 4). Secrets and data sources are left out. Resources
// that contain no objects of Kubernetes are notes. No finding contains the value of an attribute, because Terraform
// stores sensitive ones like all others.
func ReadTerraform(r io.Reader) State {
	text, err := io.ReadAll(io.LimitReader(r, maxTotal+1))
	switch {
	case err != nil:
		return failed(Finding{Text: err.Error()})
	case len(text) > maxTotal:
		return failed(Finding{Text: fmt.Sprintf("larger than %d MiB", maxTotal>>20)})
	case bytes.HasPrefix(text, []byte(zipMagic)):
		return failed(Finding{Text: "a plan in Terraform's binary format, or another zip archive; " +
			"write the plan as JSON: terraform show -json FILE > plan.json"})
	}
	var top document
	if err := decodeNumbers(text, &top); err != nil {
		return failed(syntax(text, err))
	}
	if problem := top.problem(); problem != "" {
		return failed(Finding{Text: problem})
	}
	s := State{}
	others := map[string][]string{}
	for _, found := range top.resources() {
		s.add(&found, others)
	}
	for kind, addresses := range others {
		slices.Sort(addresses)
		s.Notes = append(s.Notes, Finding{Address: kind, Text: "not imported, because resources of this type contain " +
			"no objects of Kubernetes that import reads: " + strings.Join(addresses, ", ")})
	}
	for _, list := range [][]Finding{s.Problems, s.Notes} {
		slices.SortFunc(list, func(a, b Finding) int {
			return cmp.Or(strings.Compare(a.Address, b.Address), strings.Compare(a.Text, b.Text))
		})
	}
	return s
}

func failed(f Finding) State { return State{Problems: []Finding{f}} }

// decodeNumbers decodes one JSON value, and keeps numbers as they are written.
func decodeNumbers(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text after the JSON object; expected the output of one command")
	}
	return nil
}

// syntax returns the finding of a file that is no JSON of Terraform, with the position. It quotes nothing of the file.
func syntax(text []byte, err error) Finding {
	offset := int64(len(text))
	problem := "the JSON ends early; write the file again: terraform show -json"
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		if offset = at.Offset; offset < int64(len(text)) {
			problem = "broken JSON; expected the output of terraform show -json, or terraform.tfstate"
		}
	} else if at, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = at.Offset
		problem = fmt.Sprintf("%s: unexpected %s; expected the output of terraform show -json, or terraform.tfstate",
			cmp.Or(at.Field, "the file"), at.Value)
	} else if !errors.Is(err, io.ErrUnexpectedEOF) {
		return Finding{Text: err.Error()}
	}
	before := text[:max(0, min(offset, int64(len(text))))]
	line := bytes.Count(before, []byte("\n"))
	return Finding{Line: line + 1, Col: max(1, len(before)-1-bytes.LastIndexByte(before, '\n')), Text: problem}
}

// document is a file of Terraform: terraform.tfstate, or the output of `terraform show -json` for a state (`values`) or
// a plan (`planned_values`).
type document struct {
	Version   json.Number     `json:"version"`
	Resources []stateResource `json:"resources"`

	FormatVersion string  `json:"format_version"`
	Values        *values `json:"values"`
	PlannedValues *values `json:"planned_values"`

	EncryptedData json.RawMessage `json:"encrypted_data"`
}

// problem returns why the file is not one of those that are read, or "".
func (d *document) problem() string {
	major, _, _ := strings.Cut(d.FormatVersion, ".")
	switch {
	case d.EncryptedData != nil:
		return "an encrypted state of OpenTofu; decrypt it in the directory of its configuration: " +
			"tofu show -json > state.json"
	case d.FormatVersion != "":
		if major != "0" && major != "1" {
			return fmt.Sprintf("format_version %q; accepted: 0.x and 1.x, as terraform show -json prints", d.FormatVersion)
		}
		return ""
	case d.Version == "4":
		return ""
	case d.Version != "":
		return fmt.Sprintf("a state of version %q; accepted: version 4, which Terraform 0.12 and later write: "+
			"terraform state pull > state.json", d.Version)
	}
	return "JSON of Terraform without format_version and version; " +
		"accepted: the output of terraform show -json, and terraform.tfstate"
}

// values are the resources of a state or a plan, as `terraform show -json` prints them.
type values struct {
	Root module `json:"root_module"`
}

type module struct {
	Resources []shownResource `json:"resources"`
	Children  []module        `json:"child_modules"`
}

type shownResource struct {
	Address string `json:"address"`
	Mode    string `json:"mode"`
	Type    string `json:"type"`
	Deposed string `json:"deposed_key"`
	Values  tree   `json:"values"`
	Marks   tree   `json:"sensitive_values"` // true in the place of each sensitive value
}

// stateResource is a resource of a state of version 4, with an instance for each key of count or for_each.
type stateResource struct {
	Module    string     `json:"module"`
	Mode      string     `json:"mode"`
	Type      string     `json:"type"`
	Name      string     `json:"name"`
	Instances []instance `json:"instances"`
}

type instance struct {
	Key        any    `json:"index_key"`
	Deposed    string `json:"deposed"`
	Attributes tree   `json:"attributes"`
	Marks      []any  `json:"sensitive_attributes"` // paths, which are lists of steps
}

// resources returns all resources of the file.
func (d *document) resources() []resource {
	var out []resource
	for _, of := range []*values{d.PlannedValues, d.Values} {
		if of != nil {
			return of.Root.resources()
		}
	}
	for i := range d.Resources {
		out = append(out, d.Resources[i].resources()...)
	}
	return out
}

// resources returns the resources of a module and of those below it.
func (m *module) resources() []resource {
	var out []resource
	for _, r := range m.Resources {
		if r.Mode != "data" {
			out = append(out, resource{
				address: r.Address, kind: r.Type, values: r.Values, isDeposed: r.Deposed != "", isSensitive: isMarked(r.Marks),
			})
		}
	}
	for i := range m.Children {
		out = append(out, m.Children[i].resources()...)
	}
	return out
}

// resources returns the instances of a resource.
func (r *stateResource) resources() []resource {
	if r.Mode == "data" {
		return nil
	}
	at := r.Type + "." + r.Name
	if r.Module != "" {
		at = r.Module + "." + at
	}
	out := make([]resource, len(r.Instances))
	for i, of := range r.Instances {
		out[i] = resource{
			address: at + keyOf(of.Key), kind: r.Type, values: of.Attributes, isDeposed: of.Deposed != "",
			isSensitive: slices.ContainsFunc(of.Marks, isMarkedPath),
		}
	}
	return out
}

// keyOf returns the key of an instance as it is written in an address: [0] of count, ["a"] of for_each.
func keyOf(key any) string {
	switch key := key.(type) {
	case json.Number:
		return "[" + key.String() + "]"
	case string:
		return "[" + strconv.Quote(key) + "]"
	}
	return ""
}

// attributes are those that contain objects.
var attributes = []string{"object", "manifest", "yaml_body", "metadata", "spec"}

// isMarked reports whether a value in an attribute that contains an object is sensitive.
func isMarked(marks tree) bool {
	return slices.ContainsFunc(attributes, func(name string) bool { return hasTrue(marks[name]) })
}

// isMarkedPath reports whether the path of a sensitive value is in an attribute that contains an object.
func isMarkedPath(path any) bool {
	steps, _ := path.([]any)
	return len(steps) > 0 && slices.Contains(attributes, manifest.Text(steps[0], "value"))
}

func hasTrue(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		return slices.ContainsFunc(v, hasTrue)
	case tree:
		for _, below := range v {
			if hasTrue(below) {
				return true
			}
		}
	}
	return false
}
