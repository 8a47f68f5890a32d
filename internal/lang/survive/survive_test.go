package survive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/survive"
)

func TestDo(t *testing.T) {
	t.Parallel()
	if err := survive.Do(func() error { return nil }); err != nil {
		t.Errorf("Do of what succeeds = %v", err)
	}
	failed := errors.New("failed")
	if err := survive.Do(func() error { return failed }); err != failed || survive.Is(err) {
		t.Errorf("Do of what fails = %v, want its error", err)
	}
	err := survive.Do(func() error { return []error{}[len(failed.Error())] })
	p, is := errors.AsType[*survive.Panic](err)
	if !is || !strings.Contains(p.Cause, "index out of range") || !strings.Contains(p.Stack, "TestDo") {
		t.Errorf("Do of what panics = %v, want the cause and where", err)
	}
	err = survive.Do(func() error { panic("my card is 4411") })
	if !survive.Is(err) || strings.Contains(err.Error(), "4411") {
		t.Errorf("Do of what panics with a text = %v, want no text", err)
	}
}
