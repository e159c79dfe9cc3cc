package compare_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/upgrade"
)

// given returns whether flags are among names.
func given(names ...string) func(string) bool {
	return func(flag string) bool { return slices.Contains(names, flag) }
}

// request returns a request in which --to has its default.
func request(change func(*compare.Request), args ...string) compare.Request {
	r := compare.Request{Args: args, To: compare.Own{Revision: "worktree"}, Given: given()}
	if change != nil {
		change(&r)
	}
	return r
}

func TestChoose(t *testing.T) {
	files := func(path, revision string) compare.Side {
		return compare.Side{Origin: compare.Files, Path: path, Revision: revision}
	}
	set := func(path string) compare.Side { return compare.Side{Origin: compare.Set, Path: path} }
	with := func(s compare.Side, change func(*compare.Side)) compare.Side { change(&s); return s }
	for name, c := range map[string]struct {
		request compare.Request
		want    compare.Sides
		git     bool
	}{
		"a revision and the files as they are": {
			request(func(r *compare.Request) { r.From.Revision = "main" }, "fleet"),
			compare.Sides{From: files("fleet", "main"), To: files("fleet", "worktree")},
			true,
		},
		"two revisions of the working directory": {
			request(func(r *compare.Request) { r.From.Revision, r.To.Revision = "v1", "v2" }),
			compare.Sides{From: files(".", "v1"), To: files(".", "v2")},
			true,
		},
		"the files as they are, and a revision": {
			request(func(r *compare.Request) { r.From.Revision, r.To.Revision = "worktree", "v2" }),
			compare.Sides{From: files(".", "worktree"), To: files(".", "v2")},
			true,
		},
		"two overlays of the same files": {
			request(func(r *compare.Request) { r.From.Overlays, r.To.Overlays = []string{"a"}, []string{"b"} }),
			compare.Sides{
				From: with(files(".", "worktree"), func(s *compare.Side) { s.Overlays = []string{"a"} }),
				To:   with(files(".", "worktree"), func(s *compare.Side) { s.Overlays = []string{"b"} }),
			},
			false,
		},
		"another var than a revision": {
			request(func(r *compare.Request) { r.From.Revision, r.To.Sets = "main", []string{"a=1"} }),
			compare.Sides{
				From: files(".", "main"),
				To:   with(files(".", "worktree"), func(s *compare.Side) { s.Sets = []string{"a=1"} }),
			},
			true,
		},
		"an upgrade, which counts the KubeVirt of OpenShift": {
			request(func(r *compare.Request) {
				r.From.Targets, r.To.Targets = []string{"openshift=4.19"}, []string{"openshift=4.20"}
			}),
			compare.Sides{
				From:    with(files(".", "worktree"), func(s *compare.Side) { s.Target = openshift.From }),
				To:      with(files(".", "worktree"), func(s *compare.Side) { s.Target = openshift.To }),
				Upgrade: openshift,
			},
			false,
		},
		"two sets": {
			request(nil, "old", "-"),
			compare.Sides{From: set("old"), To: set("-")},
			false,
		},
		"two sets, with the state in the cluster": {
			request(func(r *compare.Request) { r.Live = true }, "old", "new"),
			compare.Sides{From: set("old"), To: set("new")},
			false,
		},
		"two sets, one with an overlay": {
			request(func(r *compare.Request) { r.To.Overlays = []string{"b"} }, "old", "new"),
			compare.Sides{From: set("old"), To: with(set("new"), func(s *compare.Side) { s.Overlays = []string{"b"} })},
			false,
		},
		"the cluster and the files as they are": {
			request(func(r *compare.Request) { r.Live = true }, "fleet"),
			compare.Sides{From: compare.Side{Origin: compare.Cluster}, To: files("fleet", "worktree")},
			false,
		},
		"the cluster and manifests on standard input": {
			request(func(r *compare.Request) { r.Live = true }, "-"),
			compare.Sides{From: compare.Side{Origin: compare.Cluster}, To: files("-", "worktree")},
			false,
		},
		"a revision, with the state in the cluster": {
			request(func(r *compare.Request) { r.Live, r.From.Revision = true, "main" }),
			compare.Sides{From: files(".", "main"), To: files(".", "worktree")},
			true,
		},
		"an overlay of one side, with the state in the cluster": {
			request(func(r *compare.Request) { r.Live, r.To.Overlays = true, []string{"b"} }),
			compare.Sides{
				From: files(".", "worktree"),
				To:   with(files(".", "worktree"), func(s *compare.Side) { s.Overlays = []string{"b"} }),
			},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			sides, err := compare.Choose(c.request)
			require.NoError(t, err)
			require.Equal(t, c.want, sides)
			require.Equal(t, c.git, sides.ReadsGit())
		})
	}
}

// openshift is an upgrade of OpenShift, with the versions of KubeVirt that package openshift knows.
var openshift = &upgrade.Upgrade{
	From: map[string]string{"openshift": "4.19", "kubevirt": "1.5"},
	To:   map[string]string{"openshift": "4.20", "kubevirt": "1.6"},
}

func TestFlagsExcludeEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		request compare.Request
		want    string
	}{
		"nothing": {request(nil), "nothing to compare with; expected --from REVISION, or two sets of manifests"},
		"--from and two sets": {
			request(func(r *compare.Request) { r.From.Revision, r.Given = "main", given("from") }, "a", "b"),
			"--from is for one PATH; remove it, or the second argument",
		},
		"--to and two sets": {
			request(func(r *compare.Request) { r.Given = given("to") }, "a", "b"),
			"--to is for one PATH; remove it, or the second argument",
		},
		"--target-from and two sets": {
			request(func(r *compare.Request) {
				r.From.Targets, r.To.Targets = []string{"cdi=1.60"}, []string{"cdi=1.61"}
				r.Given = given("target-from", "target-to")
			}, "a", "b"),
			"--target-from is for one PATH; remove it, or the second argument",
		},
		"standard input twice": {
			request(nil, "-", "-"), `both arguments are "-"; standard input can be only one of them`,
		},
		"standard input in a revision": {
			request(func(r *compare.Request) { r.From.Revision = "main" }, "-"),
			`"-" has no revisions; name two sets of manifests, of which one can be "-"`,
		},
		"standard input with overlays": {
			request(func(r *compare.Request) { r.To.Overlays = []string{"b"} }, "-"),
			`"-" has no revisions; name two sets of manifests, of which one can be "-"`,
		},
		"no new revision": {
			request(func(r *compare.Request) { r.From.Revision, r.To.Revision = "main", "" }),
			"--to is empty; expected a revision, or worktree",
		},
		"one revision twice": {
			request(func(r *compare.Request) { r.From.Revision, r.To.Revision = "main", "main" }),
			`--from and --to are both "main"; expected two revisions, or a flag for one side, such as --to-overlay`,
		},
		"--to without --from, with the state in the cluster": {
			request(func(r *compare.Request) { r.Live, r.To.Revision, r.Given = true, "main", given("to") }),
			"--live alone compares the files as they are with the cluster; --to needs --from REVISION",
		},
		"half an upgrade": {
			request(func(r *compare.Request) { r.To.Targets = []string{"kubevirt=1.9"} }),
			"--target-to kubevirt=1.9; expected also --target-from kubevirt=VERSION",
		},
		"a downgrade": {
			request(func(r *compare.Request) {
				r.From.Targets, r.To.Targets = []string{"kubevirt=1.8"}, []string{"kubevirt=1.7"}
			}),
			"--target-from kubevirt=1.8 is newer than --target-to kubevirt=1.7; expected an upgrade",
		},
		"an upgrade to the same version": {
			request(func(r *compare.Request) {
				r.From.Targets, r.To.Targets = []string{"kubevirt=1.8"}, []string{"kubevirt=1.8"}
			}),
			"--target-from and --target-to have the same versions; expected an upgrade",
		},
		"two versions of one product": {
			request(func(r *compare.Request) { r.From.Targets = []string{"kubevirt=1.7", "kubevirt=1.8"} }),
			"--target-from kubevirt=1.7 and kubevirt=1.8; expected one version",
		},
		"an unknown product": {
			request(func(r *compare.Request) { r.From.Targets = []string{"kubevrt=1.7"} }),
			`--target-from: unknown product "kubevrt"; did you mean "kubevirt"?`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compare.Choose(c.request)
			require.EqualError(t, err, c.want)
		})
	}
}
