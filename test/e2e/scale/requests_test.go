package scale

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	all := map[string]int{"GET": 1}
	require.NoError(t, addRequests(all, []byte(`# HELP apiserver_request_total Counter
apiserver_request_total{code="200",resource="pods",verb="GET"} 7
apiserver_request_total{code="404",resource="pods",verb="GET"} 1
apiserver_request_total{code="200",resource="virtualmachines",verb="APPLY"} 1.2e+04
apiserver_request_duration_seconds{verb="GET"} 9
`)))
	require.Equal(t, map[string]int{"GET": 9, "APPLY": 12000}, all)
	require.Equal(t, map[string]int{"GET": 8}, since(map[string]int{"GET": 1, "APPLY": 12000}, all))
	require.ErrorContains(t, addRequests(all, []byte("apiserver_request_total{code=\"200\"} 1\n")), "unexpected metric")
}
