// Package manifest holds Kubernetes objects as text: who an object is, how a
// stream of objects is read, and how one is written as YAML documents or as
// one JSON List.
//
// An [Object] is an identity and the object's compact JSON. [New] and [Encode]
// make that JSON from typed API structs, without the empty status, resources
// and timestamps that encoding/json would add. [AppendYAML] turns it into
// block-style YAML. A [Writer] puts objects on a stream as they come, in
// memory that does not grow with their number. [Read] is the way back.
//
// The same objects give the same bytes, always. The package knows Kubernetes'
// conventions for objects and nothing about any particular kind.
package manifest
