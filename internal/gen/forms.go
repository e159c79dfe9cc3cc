package main

import (
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/source"
)

// shortForm is what may be written for a map of some type: pkg/fleet turns it
// into the map, in shorthand.go for VM keys and in shortitems.go for list items.
type shortForm struct {
	noun, nouns string // as the reference words it
	example     string // short and long, for the reference
	schema      func() *jsonschema.Schema
}

var shortForms = map[reflect.Type]shortForm{
	reflect.TypeFor[fleet.CPU]():          {"integer", "integers", "`cpu: 4` is 4 virtual CPUs, as sockets or as cores, whichever suits the operating system", positive},
	reflect.TypeFor[fleet.Memory]():       {"quantity", "quantities", "`memory: 16Gi` is `memory: {guest: 16Gi}`", quantity},
	reflect.TypeFor[fleet.Matcher]():      {"name", "names", "`instancetype: u1.medium` is `instancetype: {name: u1.medium}`", text},
	reflect.TypeFor[fleet.Disk]():         {"quantity", "quantities", "`data: 120Gi` is `data: {size: 120Gi}`", quantity},
	reflect.TypeFor[fleet.Source]():       {"`blank`", "`blank`", "`source: blank` is `source: {blank: true}`; only disks have it", oneOf("blank")},
	reflect.TypeFor[fleet.NIC]():          {"network", "networks", "`[pod, vlan2003]` is `[{network: pod}, {network: vlan2003}]`", text},
	reflect.TypeFor[fleet.Port]():         {"port", "ports", "`[80]` is `[{port: 80}]`", port},
	reflect.TypeFor[fleet.CPUFeature]():   {"name", "names", "`[vmx]` is `[{name: vmx}]`", text},
	reflect.TypeFor[fleet.Device]():       {"device", "devices", "`[nvidia.com/GA102GL_A10]` is `[{device: nvidia.com/GA102GL_A10}]`", text},
	reflect.TypeFor[fleet.Firmware]():     {"type", "types", "`firmware: efi` is `firmware: {type: efi}`", oneOf("bios", "efi", "secureboot")},
	reflect.TypeFor[fleet.TPM]():          {"boolean", "booleans", "`tpm: true` is a TPM that forgets its state, `tpm: false` is none", boolean},
	reflect.TypeFor[fleet.Service]():      {"port", "ports", "`https: 443` is `https: {port: 443}`", port},
	reflect.TypeFor[layers.IgnoreField](): {"pointer", "pointers", "`[/spec/size]` is `[{pointer: /spec/size}]`", text},
	reflect.TypeFor[fleet.Lifecycle]():    {"type", "types", "`lifecycle: cattle` is `lifecycle: {type: cattle}`", oneOf("pet", "cattle")},
}

func text() *jsonschema.Schema    { return &jsonschema.Schema{Type: "string"} }
func boolean() *jsonschema.Schema { return &jsonschema.Schema{Type: "boolean"} }

func positive() *jsonschema.Schema { return &jsonschema.Schema{Type: "integer", Minimum: "1"} }

func port() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: "65535"}
}

func oneOf(words ...string) func() *jsonschema.Schema {
	return func() *jsonschema.Schema {
		s := text()
		for _, w := range words {
			s.Enum = append(s.Enum, w)
		}
		return s
	}
}

func quantity() *jsonschema.Schema {
	s := text()
	limitFormat(s, "quantity")
	return s
}

// limitFormat restricts a string to a `format` tag. Numbers of bytes need no
// quotes; one of under 1Mi is a unit forgotten, however it is written.
func limitFormat(s *jsonschema.Schema, format string) {
	switch format {
	case "quantity":
		s.Type, s.Extras = "", map[string]any{"type": []string{"string", "integer"}}
		s.Pattern = `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(k|[MGTPE]i?|Ki|[eE]\+?[0-9]+)$|^\+?[0-9]{7,}$`
		s.Minimum = "1048576"
	case "ip":
		s.Pattern = `^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-fA-F.]*:[0-9a-fA-F:.]*)$`
	case "cidr": // a route's destination may be `default`
		s.Pattern = `^([0-9a-fA-F:.]+/[0-9]{1,3}|default)$`
	}
}

// ownForm gives the schemas of types that do not follow from their fields.
func ownForm(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[source.Node]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[fleet.Command]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text(), {Type: "array", Items: text()}}}
	case reflect.TypeFor[fleet.IntOrPercent]():
		percent := &jsonschema.Schema{Type: "string", Pattern: `^([1-9][0-9]*|(100|[1-9][0-9]?)%)$`}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, percent}}
	}
	return nil
}

// foreignForm is a value in the words of Kubernetes or KubeVirt, by the `ref`
// tag of its field.
type foreignForm struct{ typ, noun, where string }

var foreignForms = map[string]foreignForm{
	"VirtualMachine":            {"object", "map", "Written as the fields of KubeVirt's VirtualMachine."},
	"accessCredentials":         {"array", "list", "Written as in KubeVirt's VirtualMachine, under `spec.template.spec`."},
	"affinity":                  {"object", "map", "Written as in a Pod's `spec`."},
	"livenessProbe":             {"object", "map", "Written as in KubeVirt's VirtualMachine, under `spec.template.spec`."},
	"readinessProbe":            {"object", "map", "Written as in KubeVirt's VirtualMachine, under `spec.template.spec`."},
	"tolerations":               {"array", "list", "Written as in a Pod's `spec`."},
	"topologySpreadConstraints": {"array", "list", "Written as in a Pod's `spec`."},
}
