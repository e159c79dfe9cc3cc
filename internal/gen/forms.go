package main

import (
	"maps"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// shortForms maps types to their short forms.
var shortForms = func() map[reflect.Type]values.Form {
	forms := maps.Clone(values.Forms)
	forms[reflect.TypeFor[layers.IgnoreField]()] = values.Form{
		Key: "pointer", Noun: "pointer", Example: "`[/spec/size]` is `[{pointer: /spec/size}]`",
	}
	forms[reflect.TypeFor[layers.Unmanaged]()] = values.Form{
		Key: "object", Noun: "object", Example: "`[MachineConfig/a]` is `[{object: MachineConfig/a}]`",
	}
	forms[reflect.TypeFor[layers.ChartSource]()] = values.Form{
		Key: "name", Noun: "name", Example: "`network` is `{name: network}`",
	}
	return forms
}()

// shortSchema returns the schema of the short form of a type: that of the field
// whose value the short form is.
func shortSchema(t reflect.Type, form *values.Form) *jsonschema.Schema {
	if word, ok := strings.CutPrefix(form.Noun, "`"); ok { // the only word that there is
		return &jsonschema.Schema{Type: "string", Enum: []any{strings.TrimSuffix(word, "`")}}
	}
	field := shortField(t, form.Key)
	inner, _ := target(field.Type, "")
	s := &jsonschema.Schema{Type: kindTypes[inner.Kind()]}
	limit(s, field.Tag)
	named(s, field.Tag.Get("names"))
	return s
}

// kindTypes maps the kinds of value that a short form can have to JSON types.
var kindTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int32: "integer", reflect.Uint32: "integer",
}

// shortField returns the field whose value a short form is.
func shortField(t reflect.Type, name string) reflect.StructField {
	for field := range t.Fields() {
		if name == "" && field.Tag.Get("source") == "short" || name != "" && values.Key(field) == name {
			return field
		}
	}
	panic("no field for the short form of " + t.String())
}

func text() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// limitFormat restricts a string to a `format` tag. A quantity can also be an
// unquoted number of bytes. A number below 1Mi is an error, quoted or not: its unit
// is probably missing.
func limitFormat(s *jsonschema.Schema, format string) {
	explainPattern(s, format)
	switch format {
	case "quantity":
		s.Type, s.Extras["type"] = "", []string{"string", "integer"}
		s.Pattern = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(k|[MGTPE]i?|Ki|[eE]\+?[0-9]+)$|^\+?[0-9]{7,}$`
		s.AllOf = []*jsonschema.Schema{smallNumbers()}
	case "ip":
		s.Pattern = `^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*)$`
	case "token":
		s.Pattern = `^(none|[0-9a-f]{32})-[0-9a-f]{32}$`
	case "tokens":
		risk := "(" + strings.Join(approval.Risks(), "|") + ")"
		s.Pattern = `^` + risk + `(\+` + risk + `)*\.[0-9a-f]{32}\.[A-Za-z0-9_-]+$`
	case "window":
		s.Pattern = `^\s*\S+\s+[0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}\s+\S+\s*$`
	case "schedule":
		s.Pattern = `^\s*(\S+\s+){2}\S+\s*$|^\s*(\S+\s+){5}\S+\s*$`
	case "cidr": // a route's destination may be `default`
		s.Pattern = `^([0-9a-fA-F:.]+/[0-9]{1,3}|default)$`
	}
}

// ownForm returns the schema of a type that does not follow from its fields, or
// nil if it does.
func ownForm(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[source.Node]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[values.Command]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text(), {Type: "array", Items: text()}}}
	case reflect.TypeFor[values.Amount]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text(), {Type: "number"}}}
	case reflect.TypeFor[versions.OpenShift]():
		release := &jsonschema.Schema{Type: "string", Pattern: `^4\.[0-9]{1,2}$`}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"}, release}}
	case reflect.TypeFor[values.DriversDisk]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"}, text()}}
	case reflect.TypeFor[values.IntOrPercent]():
		percent := &jsonschema.Schema{Type: "string", Pattern: `^(100|[1-9][0-9]?)%$`}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, percent}}
	}
	return nil
}

// foreignForm is a value in a format of Kubernetes or KubeVirt.
type foreignForm struct{ typ, noun, where string }

// foreignForms maps the `ref` tags of fields to the formats of their values.
var foreignForms = map[string]foreignForm{
	"DataVolume":                {"object", "map", "Written as CDI's DataVolume: `metadata` and `spec`."},
	"Disk":                      {"object", "map", "Written as an item of `disks` in KubeVirt's VirtualMachine."},
	"VirtualMachine":            {"object", "map", "Written as the fields of KubeVirt's VirtualMachine."},
	"Interface":                 {"object", "map", "Written as in `interfaces` of KubeVirt's VirtualMachine."},
	"Service":                   {"object", "map", "Written as the fields of Kubernetes' Service."},
	"cloudConfig":               {"object", "map", "Written as cloud-init's cloud-config."},
	"VirtualMachinePool":        {"object", "map", "Written as in the `spec` of KubeVirt's VirtualMachinePool."},
	"accessCredentials":         {"array", "list", "Written as in KubeVirt's VirtualMachine, under `spec.template.spec`."},
	"affinity":                  {"object", "map", "Written as in a Pod's `spec`."},
	"manifest":                  {"object", "manifests", "Written as in Kubernetes."},
	"livenessProbe":             {"object", "map", "Written as in KubeVirt's VirtualMachine, under `spec.template.spec`."},
	"dataSourceRef":             {"object", "map", "Written as in a DataVolume, under `spec.storage`."},
	"imageio":                   {"object", "map", "Written as in a DataVolume, under `spec.source`."},
	"volume":                    {"object", "map", "Written as in `volumes` of the VirtualMachine, without `name`."},
	"vddk":                      {"object", "map", "Written as in a DataVolume, under `spec.source`."},
	"readinessProbe":            {"object", "map", "Written as in KubeVirt's VirtualMachine, under `spec.template.spec`."},
	"tolerations":               {"array", "list", "Written as in a Pod's `spec`."},
	"topologySpreadConstraints": {"array", "list", "Written as in a Pod's `spec`."},
}
