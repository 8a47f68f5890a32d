package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith/internal/wait"
)

func TestFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := wait.For(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("For = %v after %v, want nil after a minute", err, time.Since(start))
		}
		start = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := wait.For(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(start) != time.Second {
			t.Errorf("For = %v after %v, want the end of the context after a second", err, time.Since(start))
		}
	})
}
