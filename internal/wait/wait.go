// Package wait waits for a time that a context can cut short.
package wait

import (
	"context"
	"time"
)

// For returns after a time, or earlier with the error of the context when that ends.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
