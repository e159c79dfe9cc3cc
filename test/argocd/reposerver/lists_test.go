package reposerver

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/stretchr/testify/require"
)

// BenchmarkLists reports the CPU time that repo-server takes to parse a VM, by the number of VMs per List in the
// manifests. It is the reason for the size of manifest.Lists.
func BenchmarkLists(b *testing.B) {
	const vms = 4_000
	vm, err := os.ReadFile("../../../pkg/manifest/testdata/objects/vm-linux.golden.json")
	require.NoError(b, err)
	for _, size := range []int{1, 16, 50, 100, 1_000, vms} {
		text := lists(bytes.TrimSpace(vm), vms, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			before := cpu(b)
			for b.Loop() {
				parsed, err := kube.SplitYAML(text)
				require.NoError(b, err)
				require.Len(b, parsed, vms/size)
			}
			b.ReportMetric(float64(cpu(b)-before)/1e3/float64(b.N*vms), "cpu-µs/vm")
		})
	}
}

// lists returns count copies of an object, in Lists of one size.
func lists(object []byte, count, size int) []byte {
	list := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"List","items":[%s]}`+"\n",
		bytes.Join(slices.Repeat([][]byte{object}, size), []byte(",\n")))
	return bytes.Repeat(list, count/size)
}

// cpu returns the CPU time of the process in nanoseconds.
func cpu(b *testing.B) int64 {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}
