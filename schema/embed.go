// Package schema contains the JSON Schemas of a fleet's files, for editors and for
// the command that prints them. They are generated from the types and comments in
// pkg/values, pkg/catalog, pkg/layers and pkg/patch.
package schema

import "embed"

// FS contains fleet.schema.json (fleet.yaml and overlays), defaults.schema.json
// (_defaults.yaml), vms.schema.json (all other files) and platform.schema.json
// (platform.yaml), in JSON Schema draft 7.
//
//go:generate go run ../internal/gen
//go:embed *.schema.json
var FS embed.FS
