package inmem_test

import (
	"testing"
	"time"

	"github.com/trilith-memory/trilith/internal/test/inmem"
	"github.com/trilith-memory/trilith/internal/test/storetest"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	storetest.RunTurns(t, func(testing.TB) func() storetest.Turner {
		s := inmem.New(time.Now)
		return func() storetest.Turner { return s }
	})
}
