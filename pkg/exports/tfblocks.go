package exports

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// field is how an attribute of a provider with blocks becomes a field of an object.
type field struct {
	name   string // "" for the attribute's own in camel case
	isList bool   // its blocks are a list; otherwise the field is its only block
	inline bool   // the fields of its block are those of the object around it
	asIs   bool   // the keys in it are those of users
	number bool   // the text is a number
	absent bool   // the object that is applied does not have it
}

// fields are the attributes whose fields do not follow from their names (kubevirt/terraform-provider-kubevirt e21a96a,
// kubevirt/schema, and the JSON names of kubevirt.io/api/core/v1).
var fields = map[string]field{
	"data_volume_templates":      {isList: true},
	"volume":                     {name: "volumes", isList: true},
	"volume_source":              {inline: true},
	"disk_device":                {inline: true},
	"interface":                  {name: "interfaces", isList: true},
	"network":                    {name: "networks", isList: true},
	"network_source":             {inline: true},
	"tolerations":                {isList: true},
	"toleration_seconds":         {number: true},
	"pod_dns_config":             {name: "dnsConfig"},
	"option":                     {name: "options", isList: true},
	"node_selector_term":         {name: "nodeSelectorTerms", isList: true},
	"match_expressions":          {isList: true},
	"match_fields":               {isList: true},
	"vm_network_cidr":            {name: "vmNetworkCIDR"},
	"read_only":                  {name: "readonly"},
	"over_commit_guest_overhead": {name: "overcommitGuestOverhead"},
	"user_data_secret_ref":       {name: "secretRef"},
	"annotations":                {asIs: true},
	"labels":                     {asIs: true},
	"match_labels":               {asIs: true},
	"node_selector":              {asIs: true},
	"requests":                   {asIs: true},
	"limits":                     {asIs: true},
	"generation":                 {absent: true},
	"resource_version":           {absent: true},
	"self_link":                  {absent: true},
	"uid":                        {absent: true},

	"preferred_during_scheduling_ignored_during_execution": {isList: true},
}

// fieldsIn are those that differ between the blocks around them.
var fieldsIn = map[[2]string]field{
	{"devices", "disk"}: {name: "disks", isList: true},
	{"pod_affinity", "required_during_scheduling_ignored_during_execution"}:      {isList: true},
	{"pod_anti_affinity", "required_during_scheduling_ignored_during_execution"}: {isList: true},
}

// bindings are the names of bindings of NICs (kubevirt/schema/virtualmachineinstance/domain_spec.go).
var bindings = map[string]string{
	"InterfaceBridge": "bridge", "InterfaceSlirp": "slirp", "InterfaceMasquerade": "masquerade", "InterfaceSRIOV": "sriov",
}

// fromBlocks returns the reader of a type of resource whose blocks `metadata` and `spec` have the fields of a kind.
func fromBlocks(apiVersion, kind string) reader {
	return func(values tree) (manifest.Object, error) {
		t := fieldsOf("", tree{"metadata": values["metadata"], "spec": values["spec"]})
		t["apiVersion"], t["kind"] = apiVersion, kind
		return objectOf(t)
	}
}

// fieldsOf returns a block as an object. The provider writes attributes that are not set as null, "", false or an empty
// list; none of them differs in Kubernetes from a field that is absent.
func fieldsOf(block string, values tree) tree {
	out := tree{}
	for name, value := range values {
		f, isSpecial := fieldsIn[[2]string{block, name}]
		if !isSpecial {
			f = fields[name]
		}
		key := f.name
		if key == "" {
			key = camelCase(name)
		}
		value = f.value(name, value)
		inner, isObject := value.(tree)
		switch binding := bindings[manifest.Text(values, name)]; {
		case f.absent || value == nil:
		case name == "interface_binding_method" && binding != "":
			out[binding] = tree{}
		case f.inline && isObject:
			maps.Copy(out, inner)
		default:
			out[key] = value
		}
	}
	return out
}

// value returns the value of a field; nil if it is not set.
func (f field) value(name string, v any) any {
	switch v := v.(type) {
	case string:
		if f.number && v != "" {
			return json.Number(v)
		}
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	case tree:
		if len(v) == 0 {
			return nil
		}
		if !f.asIs {
			return fieldsOf(name, v)
		}
	case []any:
		return f.blocks(name, v)
	}
	return v
}

// blocks returns the value of a field with blocks, or with a list of texts.
func (f field) blocks(name string, list []any) any {
	if len(list) == 0 {
		return nil
	}
	out := make([]any, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case tree:
			out[i] = fieldsOf(name, v)
		case nil: // a block without attributes
			out[i] = tree{}
		default:
			return list
		}
	}
	if !f.isList && len(out) == 1 {
		return out[0]
	}
	return out
}

// camelCase returns the name of a field: dataVolume for data_volume.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
