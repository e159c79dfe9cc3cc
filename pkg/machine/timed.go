package machine

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/template"
)

// timed is a key for pets with times at which a CronJob acts.
type timed struct {
	key, part string // such as "maintenance" and "window"
	text      string // the times, as written
	form      string // how they are written
	problem   error  // with the times
	cattle    string // why the key is not for cattle, and what to write
}

// counts reports whether the key has an effect, and reports what is wrong with it. That of a higher level has none on
// cattle.
func (d *draft) counts(t timed) bool {
	at, path := d.entry.At(t.key, t.part), t.key+"."+t.part
	switch {
	case !d.traits.Pet:
		if d.entry.Own(d.entry.Keys.Get(t.key)) {
			d.diags.Warnf(d.entry.KeyAt(t.key), rule.NoEffect, d.entry.Path+"."+t.key, "is for pets%s", t.cattle)
		}
		return false
	case t.text == "":
		d.errorf(d.entry.KeyAt(t.key), rule.MissingKey, path, "missing; expected %s", t.form)
	case t.problem != nil && template.Is(t.text):
		d.errorf(at, rule.BadValue, path, "no templates here; %s", t.problem)
	}
	return t.problem == nil // which is reported with the forms of the keys
}
