// Package schema contains the JSON Schemas of a fleet's files, for editors, of what
// vmrender prints as JSON, and for the command that prints them. They are generated from
// the types and comments in pkg/values, pkg/catalog, pkg/layers, pkg/patch and pkg/report.
package schema

import "embed"

// FS contains fleet.schema.json (fleet.yaml), overlay.schema.json (overlays),
// defaults.schema.json (_defaults.yaml), vms.schema.json (all other files) and
// platform.schema.json (platform.yaml), in JSON Schema draft 7, and kubernetes.schema.json,
// which the others refer to.
//
//go:generate go run ../internal/gen
//go:embed fleet.schema.json overlay.schema.json defaults.schema.json vms.schema.json platform.schema.json kubernetes.schema.json
var FS embed.FS

// Output contains plan.schema.json (`vmrender plan -o json`), status.schema.json (`vmrender
// status -o json`), drain.schema.json (`vmrender status --drain NODE -o json`) and
// drill.schema.json (`vmrender drill -o json`), in JSON Schema draft 7.
//
//go:embed plan.schema.json status.schema.json drain.schema.json drill.schema.json
var Output embed.FS
