// Package schema holds the JSON Schemas of a fleet's files, for editors and for
// the command that prints them. They are generated from the types of pkg/fleet,
// pkg/catalog and pkg/layers and the comments on them.
package schema

import "embed"

// FS holds fleet.schema.json (fleet.yaml and overlays), defaults.schema.json
// (_defaults.yaml), vms.schema.json (all other files) and platform.schema.json
// (platform.yaml), in JSON Schema draft 7.
//
//go:generate go run ../internal/gen
//go:embed *.schema.json
var FS embed.FS
