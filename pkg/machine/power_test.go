package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/machine"
)

// What is written about the times of power is read back.
func TestParsePower(t *testing.T) {
	for _, text := range []string{
		"off daily 19:00 UTC, on Mon-Fri 07:00 UTC", "off Sat,Sun 01:00 Europe/Berlin", "on 0 7 * * 1,2 UTC",
		"off 0,30 19 * * * UTC, on daily 07:00 UTC",
	} {
		p := machine.ParsePower(text)
		require.NotNil(t, p, text)
		require.Equal(t, text, p.String())
	}
	for _, text := range []string{"", "off", "on now", "daily", "off , on "} {
		require.Nil(t, machine.ParsePower(text), text)
	}
}
