package world

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// LayerState is what becomes of the objects of a layer of the platform without a user.
type LayerState string

// The states of layers.
const (
	// Applied is that of layers whose objects are synced with every commit, and of everything outside of layers.
	Applied LayerState = "applied"
	// Waiting is that of layers which a user syncs, because of `action: DryRun`, or because they need such a layer.
	Waiting LayerState = "waiting"
	// Paused is that of layers which are neither compared nor synced, because of `action: Ignore`, and of objects that
	// are left to others.
	Paused LayerState = "paused"
	// Unmanaged is that of layers which Git has, and leaves to others: their objects stay as those made them.
	Unmanaged LayerState = "unmanaged"
	// Gone is that of layers that Git does not have: their objects stay in the cluster.
	Gone LayerState = "gone"
)

// Layers are the layers of a platform in one state of Git. Nil for a fleet or manifests.
type Layers struct {
	States map[string]LayerState  // by the name of the layer
	Of     map[manifest.ID]string // the layer that renders an object
	// Namespaces are those of objects that have none in Git, by the name of the layer.
	Namespaces map[string]string
	// Reviews are those of layers with an approval, in the order of the layers.
	Reviews []*approval.Layer
}

// State returns the state of a layer.
func (l *Layers) State(layer string) LayerState {
	switch {
	case l == nil || layer == "":
		return Applied
	case l.States[layer] == "":
		return Gone
	}
	return l.States[layer]
}

// Layer returns the name of the layer that renders an object, or "".
func (l *Layers) Layer(id manifest.ID) string {
	if l == nil {
		return ""
	}
	return l.Of[id]
}
