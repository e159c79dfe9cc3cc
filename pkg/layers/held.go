package layers

import "slices"

// heldWaves is added to the waves of layers that are held back, so that they come after
// all others and hold back no other layer.
const heldWaves = 1000

// held returns the names of the layers that wait for a user, although their action is to be applied, or that need kinds
// of a layer that waits or is held back itself.
func (p *loaded) held(layers []rendered, opts Options) map[string]bool {
	held := map[string]bool{}
	for _, r := range layers { // by wave: what a layer needs comes before it
		held[r.name] = r.waits || slices.ContainsFunc(p.needed(r, opts), func(from string) bool {
			return held[from] || p.layer(from).pending()
		})
	}
	return held
}

// needed returns the names of the other layers that provide what a layer needs.
func (p *loaded) needed(r rendered, opts Options) []string {
	var names []string
	for _, n := range r.kinds() {
		if p.isServed(n, opts) {
			continue
		}
		from := p.provider(n, r, opts)
		isThere := from != "" && p.layer(from).pending() && p.layer(from).hasAlready(object{need: n})
		if from != "" && from != r.name && !isThere && !slices.Contains(names, from) {
			names = append(names, from)
		}
	}
	return names
}

// layer returns the layer of a name that exists.
func (p *loaded) layer(name string) *layer {
	return &p.layers[slices.IndexFunc(p.layers, func(l layer) bool { return l.name == name })]
}
