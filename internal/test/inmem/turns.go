package inmem

import (
	"context"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

var _ role.Turns = (*Store)(nil)

// maxTurnName is the longest name of a turn.
const maxTurnName = 100

// TryTurn implements [role.Turns] for all users of this Store. Closing the store ends all turns.
func (s *Store) TryTurn(ctx context.Context, sys trilith.System, name string) (turn context.Context, release func(),
	ok bool, err error) {
	turn, end := context.WithCancel(ctx)
	mine := &end
	ok, err = do(ctx, s, "TryTurn", &s.mu, func() (bool, error) {
		if err := sys.Validate(); err != nil {
			return false, err
		}
		if name == "" || len(name) > maxTurnName {
			return false, trilith.Errorf(trilith.Invalid, "turn: a name must be 1 to %d bytes", maxTurnName)
		}
		if s.turns[name] != nil {
			return false, nil
		}
		s.turns[name] = mine
		return true, nil
	})
	release = sync.OnceFunc(func() {
		end()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.turns[name] == mine {
			delete(s.turns, name)
		}
	})
	if err != nil || !ok {
		release()
		return nil, nil, false, err
	}
	return turn, release, true, nil
}
