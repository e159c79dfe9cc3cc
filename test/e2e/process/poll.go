package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// interval is the time between two attempts. They take a large share of the computer if
// there are many tests that wait.
const interval = 250 * time.Millisecond

// Stopped is an error that further attempts would not resolve.
type Stopped struct{ error }

// Unwrap returns the error itself.
func (s Stopped) Unwrap() error { return s.error }

// Poll calls try until it returns no error. It returns the last error when the
// context is done first, or when the error is [Stopped].
func Poll(ctx context.Context, try func(context.Context) error) error {
	for {
		err := try(ctx)
		var stopped Stopped
		if err == nil || errors.As(err, &stopped) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(interval):
		}
	}
}
