package machine

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/template"
)

// patchTimes returns the times at which Ansible patches the VM, or nil if there are none or they are wrong.
func (d *draft) patchTimes(text string) *PatchTimes {
	if text == "" {
		return nil
	}
	times, err := schedule.ParseTimes(text)
	switch path := []string{"lifecycle", "ansible", "schedule"}; {
	case err != nil && template.Is(text):
		d.errorf(d.entry.At(path...), rule.BadValue, strings.Join(path, "."), "no templates here; %s", err)
		return nil
	case err != nil: // which is reported with the forms of the keys
		return nil
	}
	return &PatchTimes{text, times}
}
