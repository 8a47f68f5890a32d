package sqlrows_test

import (
	"errors"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/sqlrows"
)

// The result of a job update depends on whether it found the job; its error is passed on.
func TestJobs(t *testing.T) {
	t.Parallel()
	broken := errors.New("the connection broke")
	for name, c := range map[string]struct {
		kind    trilith.ErrorKind
		outcome func(n int64, err error) error
	}{
		"Added": {trilith.Conflict, func(n int64, err error) error { return sqlrows.Added("j", n, err) }},
	} {
		if err := c.outcome(1, nil); err != nil {
			t.Errorf("%s of one row = %v, want nil", name, err)
		}
		if err := c.outcome(0, nil); err == nil || trilith.KindOf(err) != c.kind {
			t.Errorf("%s of no row = %v, want %v", name, err, c.kind)
		}
		if err := c.outcome(0, broken); err != broken {
			t.Errorf("%s of a failure = %v, want the failure", name, err)
		}
	}
}
