// Package apps holds the data that make the app-of-apps: the table of layers.
package apps

import _ "embed"

// Layers is layers.yaml, the table of the layers that a platform can have; its
// first lines say what the columns are.
//
//go:embed layers.yaml
var Layers []byte
