package admission

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmrender/vmrender/pkg/rule"
)

// Sources of the rules.
const (
	sourceInstance   = "KubeVirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go"
	sourceMachine    = "KubeVirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go"
	sourceNIC        = "KubeVirt v1.8.4, pkg/network/admitter/netiface.go"
	sourceNetwork    = "KubeVirt v1.8.4, pkg/network/admitter/netsource.go"
	sourceBinding    = "KubeVirt v1.8.4, pkg/network/admitter/binding.go"
	sourceState      = "KubeVirt v1.8.4, pkg/network/admitter/admit.go"
	sourceDisk       = "KubeVirt v1.8.4, pkg/storage/admitters/disks.go"
	sourceTemplate   = "KubeVirt v1.8.4, pkg/storage/admitters/data-volume-template.go"
	sourceMemory     = "KubeVirt v1.8.4, pkg/liveupdate/memory/memory.go"
	sourceSize       = "KubeVirt v1.8.4, pkg/instancetype/apply"
	sourceInfer      = "KubeVirt v1.8.4, pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go"
	sourceAMD        = "KubeVirt v1.8.4, pkg/virt-api/webhooks/amd64.go"
	sourceARM        = "KubeVirt v1.8.4, pkg/virt-api/webhooks/arm64.go"
	sourceS390       = "KubeVirt v1.8.4, pkg/virt-api/webhooks/s390x.go"
	sourceHyperV     = "KubeVirt v1.8.4, pkg/virt-api/webhooks/hyperv.go"
	sourceScheduler  = "KubeVirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/validate-k8s-utils.go"
	sourcePod        = "Kubernetes v1.36, pkg/apis/core/validation/validation.go"
	sourceQuantity   = "Kubernetes v1.36, staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go"
	sourceFit        = "Kubernetes v1.36, pkg/scheduler/framework/plugins/noderesources/fit.go"
	sourceMigration  = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleVolumeUpdateRequest"
	sourceDefinition = "KubeVirt v1.8.4, pkg/virt-operator/resource/generate/components/validations_generated.go"
)

var noTemplate = Rule{
	ID: "template", Kind: rule.MissingKey, Field: "/spec.template", Problem: "missing template", Source: sourceDefinition,
}

func quoted(text string) string { return strconv.Quote(text) }

func indexed(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func unnamed[T any](*T) string { return "" }

// isTrue reports whether a switch is set to true, and isOn whether it is set, and not to false.
func isTrue(b *bool) bool { return b != nil && *b }

func isOn(b *bool) bool { return b == nil || *b }

// enum returns the rule that a field has one of some values, or none.
func enum[T any](r Rule, what string, get func(*T) string, accepted ...string) row[T] {
	r.Problem = "invalid " + what + " %q; accepted: " + strings.Join(accepted, ", ")
	return row[T]{Rule: r, got: get, broken: func(_ *subject, v *T) bool {
		text := get(v)
		return text != "" && !slices.Contains(accepted, text)
	}}
}

// plain returns a rule whose condition needs nothing but the field.
func plain[T any](broken func(*T) bool) func(*subject, *T) bool {
	return func(_ *subject, v *T) bool { return broken(v) }
}

// textOfPointer returns the text that a pointer points at, or "".
func textOfPointer[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// count returns how many of some conditions hold.
func count(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// hasDuplicates reports whether two entries of a list have the same key.
func hasDuplicates[T any](list []T, key func(*T) string) bool {
	for i := range list {
		for k := range list[:i] {
			if key(&list[i]) == key(&list[k]) {
				return true
			}
		}
	}
	return false
}

// isRepeated reports whether an entry of a list is the same as an earlier one.
func isRepeated[T any](list []T, entry *T, isSame func(*T) bool) bool {
	for i := range list {
		if &list[i] == entry {
			return false
		}
		if isSame(&list[i]) {
			return true
		}
	}
	return false
}

// invalid returns the text of a problem that Kubernetes' own validation finds.
func invalid(e *field.Error) string {
	switch e.Type {
	case field.ErrorTypeRequired:
		return "missing: " + e.Detail
	case field.ErrorTypeNotSupported:
		return "invalid value " + quoted(text(e.BadValue)) + "; " + strings.Replace(e.Detail, "supported values", "accepted", 1)
	case field.ErrorTypeForbidden:
		return "not allowed: " + e.Detail
	}
	return "invalid value " + quoted(text(e.BadValue)) + "; " + e.Detail
}
