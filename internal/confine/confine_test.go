package confine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/confine"
)

// A crash is reported as one line that does not contain the process's stacks.
func TestCrash(t *testing.T) {
	const memory = "needs more than 256 MiB of memory"
	for stderr, want := range map[string]string{
		"":                            "",
		"vms.yaml:1:1: the panic: no": "",
		"runtime: out of memory: cannot allocate 4194304-byte block (1 in use)\nfatal error: out of memory\n": memory,
		"fatal error: runtime: cannot allocate memory":                                                        memory,
		"runtime: failed to create new OS thread (have 5 already; errno=11)\nfatal error: newosproc\n":        memory,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n":              memory,
		"SIGSEGV: segmentation violation\nPC=0x4332dd m=3 sigcode=1 addr=0x0\n\ngoroutine 0":                  memory,

		"a warning\npanic: index out of range [1]\n\ngoroutine 1 [running]:": "stopped: panic: index out of range [1]",
	} {
		crash := confine.Crash(stderr)
		require.Equal(t, want == "", crash == "", stderr)
		require.True(t, strings.HasPrefix(crash, want), crash)
	}
	require.Len(t, confine.Crash("panic: "+strings.Repeat("x", 1000)), len("stopped: ")+300)
}
