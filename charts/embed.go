// Package charts holds the Helm charts of the layers beneath the virtual
// machines. Each directory is a chart that also works alone; README.md says how
// they are made.
package charts

import "embed"

// FS holds what Helm reads of every chart, beneath the chart's name:
// Chart.yaml, values.yaml, values.schema.json and templates. vmrender-lib, which
// has no values, is the library whose copy is in each of the others.
//
//go:embed */Chart.yaml */values.yaml */values.schema.json all:*/templates
var FS embed.FS
