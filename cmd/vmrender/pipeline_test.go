package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
)

func machines(t testing.TB, n int) []*fleet.Machine {
	t.Helper()
	f, diags := fleet.Load(writeFleet(t, fmt.Sprintf("vms:\n  a: {replicas: %d}\n", n)), fleet.Options{})
	require.Empty(t, diags.Sorted())
	require.Len(t, f.Machines, n)
	return f.Machines
}

func TestPipelineKeepsOrder(t *testing.T) {
	all := machines(t, 5*batchSize+1)
	for _, n := range []int{1, batchSize - 1, batchSize, batchSize + 1, len(all)} {
		for _, jobs := range []uint{1, 2, 3, 16} {
			var got []*fleet.Machine
			diags, err := newPipeline(jobs).each(t.Context(), all[:n], func(m *fleet.Machine, objects [][]byte) error {
				got = append(got, m)
				require.Len(t, objects, 2, "a DataVolume and a VirtualMachine")
				require.Contains(t, string(objects[1]), fmt.Sprintf(`"name":%q`, m.Name))
				return nil
			})
			require.NoError(t, err)
			require.Zero(t, diags.Len())
			require.Equal(t, all[:n], got)
		}
	}
}

func TestPipelineWithoutMachines(t *testing.T) {
	diags, err := newPipeline(4).each(t.Context(), nil, func(*fleet.Machine, [][]byte) error {
		return errors.New("not called")
	})
	require.NoError(t, err)
	require.Zero(t, diags.Len())
}

func TestPipelineStopsAtTheFirstError(t *testing.T) {
	full := errors.New("disk full")
	taken := 0
	_, err := newPipeline(2).each(t.Context(), machines(t, 3*batchSize), func(*fleet.Machine, [][]byte) error {
		if taken++; taken > batchSize {
			return full
		}
		return nil
	})
	require.ErrorIs(t, err, full)
	require.Equal(t, batchSize+1, taken)
}

func TestPipelineStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	taken := 0
	_, err := newPipeline(2).each(ctx, machines(t, 10*batchSize), func(*fleet.Machine, [][]byte) error {
		taken++
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, batchSize, taken)
}

// A machine that is wrong only in rendering ends the stream before its batch.
func TestPipelineHandsNothingWrongOver(t *testing.T) {
	dir := writeFleet(t, fmt.Sprintf("vms:\n  a: {replicas: %d}\n  b: {affinity: {nodeAfinity: {}}}\n", batchSize))
	f, diags := fleet.Load(dir, fleet.Options{})
	require.Empty(t, diags.Sorted())
	taken := 0
	found, err := newPipeline(2).each(t.Context(), f.Machines, func(*fleet.Machine, [][]byte) error {
		taken++
		return nil
	})
	require.ErrorIs(t, err, errReported)
	require.Len(t, found.Sorted(), 1)
	require.Equal(t, batchSize, taken)
}

func BenchmarkPipeline(b *testing.B) {
	all := machines(b, 1000)
	p := newPipeline(1)
	for b.Loop() {
		_, err := p.each(b.Context(), all, func(*fleet.Machine, [][]byte) error { return nil })
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(all)), "µs/VM")
}
