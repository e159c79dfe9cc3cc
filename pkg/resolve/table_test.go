package resolve_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/machine"
)

// row is a VM with some keys and the expected result: see resolve, refuse and warn.
type row struct{ name, keys, want string }

// resolve resolves a VM for each row without a problem; want is the output of show for
// it.
func resolve(t *testing.T, show func(*machine.Machine) string, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			m, problems := inSite(t, r.keys)
			require.Empty(t, problems)
			require.Equal(t, r.want, show(m), r.keys)
		})
	}
}

// refuse resolves a VM for each row with one error that contains want.
func refuse(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run("refuses-"+r.name, func(t *testing.T) {
			_, problems := inSite(t, r.keys)
			require.Len(t, problems, 1, r.keys)
			require.Contains(t, problems[0], r.want)
			require.NotContains(t, problems[0], ": warning: ")
		})
	}
}

// warn resolves a VM for each row with one warning that begins with want.
func warn(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run("warns-of-"+r.name, func(t *testing.T) {
			m, problems := inSite(t, r.keys)
			require.NotNil(t, m)
			require.Len(t, problems, 1, r.keys)
			_, warning, found := strings.Cut(problems[0], ": warning: ")
			require.True(t, found, problems[0])
			require.True(t, strings.HasPrefix(warning, r.want), warning)
		})
	}
}

// fields writes alternating keys and values as key=value. It leaves out zero and empty
// values.
func fields(list ...any) string {
	var out []string
	for i := 0; i < len(list); i += 2 {
		v := reflect.ValueOf(list[i+1])
		if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
			continue
		}
		out = append(out, fmt.Sprintf("%s=%v", list[i], list[i+1]))
	}
	return strings.Join(out, " ")
}
