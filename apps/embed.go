// Package apps contains the data of the app-of-apps: the table of layers.
package apps

import _ "embed"

// Layers is layers.yaml, the table of the layers that a platform can have. Its
// first lines describe the columns.
//
//go:embed layers.yaml
var Layers []byte
