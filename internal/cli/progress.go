package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// patience is how long users wait before they see progress.
const patience = 2 * time.Second

// During does work, and meanwhile reports progress on a terminal if it takes long. It must
// not write to stdout or stderr.
func During(cmd *cobra.Command, what string, work func()) {
	file, ok := terminalFile(cmd.ErrOrStderr())
	if !ok {
		work()
		return
	}
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	showDuring(file, what, time.Now(), ticks.C, work)
}

// showDuring does work, and writes at each tick what it does, and for how long. The line is
// removed at the end.
func showDuring(w io.Writer, what string, began time.Time, ticks <-chan time.Time, work func()) {
	const removeLine = "\r\x1b[K"
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		end := ""
		for {
			select {
			case <-done:
				fmt.Fprint(w, end) //nolint:errcheck // the result is what counts
				return
			case now := <-ticks:
				if waited := now.Sub(began).Truncate(time.Second); waited >= patience {
					fmt.Fprintf(w, "%s%s … %s", removeLine, what, waited) //nolint:errcheck // as above
					end = removeLine
				}
			}
		}
	}()
	defer func() {
		close(done)
		<-ended
	}()
	work()
}
