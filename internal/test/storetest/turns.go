package storetest

import (
	"context"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Turner is one process with respect to turns: a store that implements [role.Turns].
type Turner interface {
	role.Turns
	Close() error
}

// RunTurns runs the cases of [role.Turns] against a driver that implements it. For each case fresh makes a backend and
// returns a function to open it: each call is either a new process or the same one.
func RunTurns(t *testing.T, fresh func(tb testing.TB) (open func() Turner)) {
	for _, c := range []struct {
		name, why string
		run       func(t *testing.T, open func() Turner)
	}{
		{"one", "a turn is taken if it is free; otherwise the call returns without waiting", testTurnOfOne},
		{"names", "turns of different names are independent; a name has 1 to 100 bytes",
			testTurnNames},
		{"release", "a turn lasts until release, which may be called twice; its context ends", testTurnRelease},
		{"closed", "a turn ends with the process that holds it", testTurnClosed},
		{"system", "taking a turn requires an explicit permission: the zero System is refused",
			func(t *testing.T, open func() Turner) {
				var none trilith.System
				_, _, _, err := open().TryTurn(t.Context(), none, "index")
				wantKind(t, "TryTurn without a System", err, trilith.KindOf(none.Validate()))
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("contract: %s", c.why)
				}
			})
			c.run(t, fresh(t))
		})
	}
}

// take takes a turn that must be free.
func take(t *testing.T, who role.Turns, name string) (turn context.Context, release func()) {
	t.Helper()
	turn, release, ok, err := who.TryTurn(t.Context(), system, name)
	if err != nil || !ok {
		t.Fatalf("TryTurn(%.20q) = %t, %v; want it taken", name, ok, err)
	}
	if turn.Err() != nil {
		t.Errorf("the context of a turn that was just taken has ended: %v", turn.Err())
	}
	return turn, release
}

// refused tries a turn that is taken.
func refused(t *testing.T, who role.Turns, name string) {
	t.Helper()
	if _, _, ok, err := who.TryTurn(t.Context(), system, name); err != nil || ok {
		t.Errorf("TryTurn(%.20q) of a turn that somebody has = %t, %v; want false, nil", name, ok, err)
	}
}

func testTurnOfOne(t *testing.T, open func() Turner) {
	a, b := open(), open()
	_, release := take(t, a, "index")
	refused(t, b, "index")
	refused(t, a, "index") // not even the process that holds it
	release()
	_, release = take(t, b, "index")
	refused(t, a, "index")
	release()
}

func testTurnNames(t *testing.T, open func() Turner) {
	a, b := open(), open()
	long := string(make([]byte, 100))
	for _, name := range []string{"index", "Index", "upkeep", long} {
		_, release := take(t, a, name)
		defer release()
		refused(t, b, name)
	}
	for _, name := range []string{"", long + "x"} {
		_, _, _, err := a.TryTurn(t.Context(), system, name)
		wantKind(t, "TryTurn of a name that is none", err, trilith.Invalid)
	}
}

func testTurnRelease(t *testing.T, open func() Turner) {
	a, b := open(), open()
	turn, release := take(t, a, "index")
	release()
	release()
	if turn.Err() == nil {
		t.Error("the context of a turn that was released has not ended")
	}
	turn, again := take(t, b, "index")
	release() // of the turn before, which has ended
	if turn.Err() != nil {
		t.Errorf("releasing a turn twice ended the next one: %v", turn.Err())
	}
	refused(t, a, "index")
	again()
}

func testTurnClosed(t *testing.T, open func() Turner) {
	a, b := open(), open()
	turn, release := take(t, a, "index")
	if err := a.Close(); err != nil {
		t.Fatalf("Close = %v, want nil", err)
	}
	if turn.Err() == nil {
		t.Error("the context of a turn whose store was closed has not ended")
	}
	if a != b { // another process remains
		_, next := take(t, b, "index")
		release()
		refused(t, open(), "index")
		next()
	}
	_, _, _, err := a.TryTurn(t.Context(), system, "index")
	wantKind(t, "TryTurn after Close", err, trilith.Unavailable)
}
