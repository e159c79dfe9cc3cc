// Package manifest handles Kubernetes objects as text: it identifies them, reads
// streams of them, and writes them as YAML documents or as JSON Lists.
//
// An [Object] is an identity and the object's compact JSON. [New] and [Encode]
// create that JSON from typed API structs, without the empty status, resources
// and timestamps that encoding/json would add. [AppendYAML] converts it to
// block-style YAML. A [Writer] writes objects to a stream one by one, in memory
// that does not grow with their number. [Read] reads such a stream.
//
// The same objects always result in the same bytes. The package implements the
// Kubernetes conventions for objects, and nothing specific to any kind.
package manifest
