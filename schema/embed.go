// Package schema holds the JSON Schemas of a fleet's files, for editors and for
// the command that prints them. They are generated from the types of pkg/fleet
// and pkg/catalog and the comments on them.
package schema

import "embed"

// FS holds fleet.schema.json (fleet.yaml and overlays), defaults.schema.json
// (_defaults.yaml) and vms.schema.json (all other files), in JSON Schema draft 7.
//
//go:generate go run ../internal/gen
//go:embed *.schema.json
var FS embed.FS
