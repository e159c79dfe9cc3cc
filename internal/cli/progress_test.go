package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A slow operation is announced only after a while, and the message is removed from the
// terminal afterwards. A fast operation prints nothing.
func TestShowDuring(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		seconds []float64
		want    string
	}{
		{nil, ""},
		{[]float64{1}, ""},
		{[]float64{1, 2.1, 3.1}, "\r\x1b[Krendering a … 2s\r\x1b[Krendering a … 3s\r\x1b[K"},
	} {
		var out bytes.Buffer
		ticks := make(chan time.Time)
		showDuring(&out, "rendering a", began, ticks, func() {
			for _, s := range c.seconds {
				ticks <- began.Add(time.Duration(s * float64(time.Second)))
			}
		})
		require.Equal(t, c.want, out.String())
	}
}
