package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
)

// A pet that is removed from the repository keeps its disks and addresses, because it continues to run. A VM that gets one
// of them, in the same commit or a later one, has it at the same time. The plan of the commit shows this; that of a later
// commit needs the state in the cluster, because only that has the pet.
func TestHeirOfRemovedPet(t *testing.T) {
	t.Parallel()
	s := newHotplug(t, "heir", `vms:
  db: {disks: {data: 10Gi}}
  net: {nics: [{network: default/blue, mac: "02:00:00:00:00:01"}]}
  log: {disks: {data: 10Gi}, nics: [{network: default/blue, mac: "02:00:00:00:00:02"}]}
`)
	before := s.moment()

	s.write("vms.yaml", `vms:
  heir: {disks: {data: {size: 10Gi, claimName: db-data}}}
  twin: {nics: [{network: default/blue, mac: "02:00:00:00:00:01"}]}
`)
	left := verdict{impact.Left, "left"}
	plan := map[string]verdict{
		"db": left, "net": left, "log": left,
		"heir": {impact.DataLoss, "two-writers"}, "twin": {impact.Recreate, "same-address"},
	}
	require.Equal(t, plan, s.verdicts())
	require.Equal(t, plan, s.verdictsLive())
	revision := s.push("Others in their place")
	s.wait(leftOver(revision, "db"))
	s.eventually("both at once", func() bool { now := s.moment(); return now.runs("heir") && now.runs("twin") })
	require.Equal(t, []string{"db", "heir"}, s.moment().holders("db-data"))
	require.Equal(t, []string{"net", "twin"}, s.moment().holders("default/blue 02:00:00:00:00:01"))
	require.Equal(t, map[string]impact.Level{"heir": impact.DataLoss, "twin": impact.Recreate}, s.requireNotMilder(plan, before))

	before = s.moment()
	s.write("more.yaml", `vms:
  later: {disks: {data: {source: {claim: log-data}}}}
  namesake: {nics: [{network: default/blue, mac: "02:00:00:00:00:02"}]}
`)
	created := verdict{impact.Create, "created"}
	require.Equal(t, map[string]verdict{"later": created, "namesake": created}, s.verdicts())
	plan = s.verdictsLive()
	require.Equal(t, verdict{impact.DataLoss, "two-writers"}, plan["later"])
	require.Equal(t, verdict{impact.Recreate, "same-address"}, plan["namesake"])
	revision = s.push("Two more")
	s.wait(leftOver(revision, "log"))
	s.eventually("both at once", func() bool { now := s.moment(); return now.runs("later") && now.runs("namesake") })
	require.Equal(t, []string{"later", "log"}, s.moment().holders("log-data"))
	require.Equal(t, []string{"log", "namesake"}, s.moment().holders("default/blue 02:00:00:00:00:02"))
	require.Equal(t, map[string]impact.Level{"later": impact.DataLoss, "namesake": impact.Recreate}, s.requireNotMilder(plan, before))
	s.stands(map[string]string{"db": "left-over", "net": "left-over", "log": "left-over"})
}
