package resolve

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/template"
)

// times returns the times that a key has as text, or nil if there are none, and whether they are valid.
func (d *draft) times(text string, key ...string) (*machine.Times, bool) {
	if text == "" {
		return nil, true
	}
	times, err := schedule.ParseTimes(text)
	if err != nil && template.Is(text) { // others are reported with the forms of the keys
		d.errorf(d.entry.At(key...), rule.BadValue, strings.Join(key, "."), "no templates here; %s", err)
	}
	return &machine.Times{Text: text, Times: times}, err == nil
}

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
	return d.isForPet(t.key, t.cattle) && d.isWell(t)
}

// isForPet reports whether the VM is a pet, and if it is cattle with the key in its own entry, that this has no effect.
func (d *draft) isForPet(key, cattle string) bool {
	if !d.traits.Pet && d.entry.Own(d.entry.Keys.Get(key)) {
		d.diags.Warnf(d.entry.KeyAt(key), rule.NoEffect, d.entry.Path+"."+key, "is for pets%s", cattle)
	}
	return d.traits.Pet
}

// isWell reports whether the times are valid, and reports what is wrong with them.
func (d *draft) isWell(t timed) bool {
	path := t.key + "." + t.part
	switch {
	case t.text == "":
		d.errorf(d.entry.KeyAt(t.key), rule.MissingKey, path, "missing; expected %s", t.form)
	case t.problem != nil && template.Is(t.text):
		d.errorf(d.entry.At(t.key, t.part), rule.BadValue, path, "no templates here; %s", t.problem)
	}
	return t.problem == nil // which is reported with the forms of the keys
}
