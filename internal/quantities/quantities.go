// Package quantities parses Kubernetes quantities of files and clusters whose content is not checked yet.
package quantities

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Parse parses a quantity such as 16Gi, 500m or 1e3. A text of more than 40 characters, or with an exponent of more
// than 4 characters, is an error, which is [resource.ErrFormatWrong]: for 1e-2147483648, [resource.ParseQuantity]
// computes all digits, which takes hours (k8s.io/apimachinery, pkg/api/resource, v0.36.6).
func Parse(text string) (resource.Quantity, error) {
	const length, exponent = 40, 4
	i := strings.LastIndexAny(text, "eE") + 1
	if len(text) > length || i > 0 && len(text)-i > exponent {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(text)
}
