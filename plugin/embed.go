// Package plugin contains the files that install the plugin into Argo CD.
package plugin

import _ "embed"

// Customizations is the table of health checks, actions and ignored fields for the
// kinds that vmrender renders or depends on. Its comments describe the keys.
//
//go:embed customizations/customizations.yaml
var Customizations []byte

// HelmValues are the values for the chart argo-cd that add the sidecar.
//
//go:embed helm/values.yaml
var HelmValues string
