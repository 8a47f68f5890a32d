package inmem_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/inmem"
)

// One at a time has the turn of a name; who is not it does not wait. It ends with its release, with the context that it was
// taken in, and with the store.
func TestTurns(t *testing.T) {
	t.Parallel()
	s := inmem.New(time.Now)
	sys := cairn.AsSystem("test")
	turn, release, ok, err := s.TryTurn(t.Context(), sys, "texts")
	if err != nil || !ok || turn.Err() != nil {
		t.Fatalf("TryTurn = %v, %v, want the turn", ok, err)
	}
	if _, _, ok, err := s.TryTurn(t.Context(), sys, "texts"); ok || err != nil {
		t.Errorf("TryTurn of what somebody has = %v, %v, want neither", ok, err)
	}
	other, _, ok, err := s.TryTurn(t.Context(), sys, "vectors")
	if err != nil || !ok {
		t.Errorf("TryTurn of another name = %v, %v", ok, err)
	}
	release()
	if turn.Err() == nil {
		t.Error("a turn that was given back goes on")
	}
	_, again, ok, err := s.TryTurn(t.Context(), sys, "texts")
	if err != nil || !ok {
		t.Fatalf("TryTurn after the release = %v, %v", ok, err)
	}
	release() // of the one before: not this one's
	if _, _, ok, _ := s.TryTurn(t.Context(), sys, "texts"); ok {
		t.Error("releasing a turn twice took it from the next one")
	}
	again()
	for _, name := range []string{"", strings.Repeat("x", 101)} {
		if _, _, _, err := s.TryTurn(t.Context(), sys, name); cairn.KindOf(err) != cairn.Invalid {
			t.Errorf("TryTurn(%q) = %v, want invalid", name, err)
		}
	}
	if err := s.Close(); err != nil || other.Err() == nil {
		t.Errorf("Close = %v; a turn outlives the store", err)
	}
	if _, _, _, err := s.TryTurn(t.Context(), sys, "texts"); cairn.KindOf(err) != cairn.Unavailable {
		t.Errorf("TryTurn of a closed store = %v", err)
	}
}
