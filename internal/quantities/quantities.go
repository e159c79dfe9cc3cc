// Package quantities parses Kubernetes quantities from files and clusters, before their content is checked.
package quantities

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Parse parses a quantity such as 16Gi, 500m or 1e3. A number with more than 40 characters or an exponent of more than
// 4 is an error, which is [resource.ErrFormatWrong]: for 1e-2147483648, [resource.ParseQuantity] computes all digits,
// which takes hours (k8s.io/apimachinery, pkg/api/resource, v0.36.6).
func Parse(text string) (resource.Quantity, error) {
	const mantissa, exponent = 40, 4
	i := strings.LastIndexAny(text, "eE") + 1
	if len(text) > mantissa || i > 0 && len(text)-i > exponent {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(text)
}
