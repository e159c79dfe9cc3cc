// Package plugin holds what installs the plugin into Argo CD.
package plugin

import _ "embed"

// Customizations is the table of what Argo CD should know about kinds that
// vmrender renders or depends on; its comments say what is in it.
//
//go:embed customizations/customizations.yaml
var Customizations []byte
