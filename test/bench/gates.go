package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// gates counts everything that does not depend on the machine, prints the targets for it, and
// fails if one is missed. It builds neither Helm nor Argo CD.
func gates(ctx context.Context, opts options) error {
	bin, err := buildSidecar(ctx, opts.Root, opts.Dir)
	if err != nil {
		return err
	}
	opts.Most = largestForSidecar
	dir, remove, err := newInputs(opts)
	if err != nil {
		return err
	}
	defer remove()
	all := slices.DeleteFunc(dir.planned(bin, opts.Most, 1), func(s *series) bool { return s.Tool != toolSidecar })
	for _, s := range all {
		s.Rounds = 1
	}
	if err := measureAll(ctx, bin.Launch, all, showPass); err != nil {
		return err
	}
	say("counting instructions")
	if err := countInstructions(ctx, all); err != nil {
		return err
	}
	judged := slices.DeleteFunc(targets(all, realPath{}), func(t target) bool { return t.Gate != counted })
	_, err = fmt.Fprint(os.Stdout, tableOf(judged))
	if missing := missedGates(judged, counted); err == nil && len(missing) > 0 {
		err = fmt.Errorf("missed: %s", strings.Join(missing, "; "))
	}
	return err
}
