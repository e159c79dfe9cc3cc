package delivery

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/machine"
)

// cronField is one of the five fields of a schedule, from the minute to the day of the
// week.
var cronField = lazyregexp.New(`^[0-9A-Za-z*/,?-]+$`)

// parseWindow reads a schedule followed by a duration, such as "0 22 * * 6 4h", in UTC.
func parseWindow(text string) (argocd.SyncWindow, error) {
	fields := strings.Fields(text)
	if len(fields) != 6 || slices.ContainsFunc(fields[:5], func(f string) bool { return !cronField().MatchString(f) }) {
		return argocd.SyncWindow{}, fmt.Errorf("--restart-window %q: not a window; expected the five fields of a schedule "+
			"and a duration, such as \"0 22 * * 6 4h\"", text)
	}
	d, err := time.ParseDuration(fields[5])
	if err != nil || d <= 0 {
		return argocd.SyncWindow{}, fmt.Errorf(
			"--restart-window %q: %q is not a duration; expected one such as 4h or 90m", text, fields[5])
	}
	return argocd.SyncWindow{
		Kind: "allow", Schedule: strings.Join(fields[:5], " "), Duration: fields[5], ManualSync: true,
	}, nil
}

func (o *Options) checkWindow() error {
	if o.RestartWindow == "" {
		return nil
	}
	_, err := parseWindow(o.RestartWindow)
	return err
}

// checkPlanURL returns an error for a text that is not the link to a page.
func checkPlanURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("--plan-url: not the URL of a page, or one with credentials; expected https://HOST/PATH")
	}
	return nil
}

// restarting returns the names, or the patterns of names, of the Applications in which a
// sync itself can restart or replace VMs: those with cattle. Of an ApplicationSet, it
// is all or none: one pattern names them.
func (p *Plan) restarting(o order) []string {
	if !slices.ContainsFunc(p.fleet.Machines, func(m *machine.Machine) bool { return m.Lifecycle.Cattle() }) {
		return nil
	}
	if p.options.AppSet {
		return []string{o.name + "-*"}
	}
	return []string{o.name}
}

// windows returns the sync windows of the project: one for the Applications that restart
// VMs, if the options request it.
func (p *Plan) windows(o order, found *findings) []argocd.SyncWindow {
	if p.options.RestartWindow == "" {
		return nil
	}
	names := p.restarting(o)
	if len(names) == 0 {
		found.notef("no sync restarts VMs of the fleet, so that the project has no --restart-window")
		return nil
	}
	w, err := parseWindow(p.options.RestartWindow)
	found.add(err)
	w.Applications = names
	found.notef("outside of the --restart-window, Argo CD syncs nothing of %s by itself, reverts and pets in it "+
		"included; `argocd app sync` does%s", strings.Join(names, ", "), p.parked())
	return []argocd.SyncWindow{w}
}

// parked returns what else a sync outside of the window needs, or "". The controller of a rolling ApplicationSet begins
// a sync without asking the window, which the window then parks; as long as it is parked, no other one begins (Argo CD
// v3.2, applicationset/controllers/applicationset_controller.go, syncDesiredApplications; argo-cd issue 29307).
func (p *Plan) parked() string {
	if len(p.options.Rolling) == 0 {
		return ""
	}
	return ", after `argocd app terminate-op`: with --rolling, a sync that the window has parked is in its way"
}
