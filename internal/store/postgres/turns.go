package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// turns plays [role.Turns].
type turns struct {
	*database
	mu    sync.Mutex // a turn is not taken while closing is being closed
	held  sync.WaitGroup
	spare chan *pgx.Conn // the connection of an earlier turn
}

var _ role.Turns = (*Store)(nil)

const (
	tryTurn = "SELECT pg_try_advisory_xact_lock($1, $2)"
	// A turn is a transaction that stays open and does nothing, on a connection of its own. The server's limits for
	// idle transactions are off for it. It keeps no row alive, since it looks at nothing.
	beginTurn = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SELECT set_config('role', '" + appRole +
		"', true); " + patient

	turnPing    = 3 * time.Second // between two looks at whether the connection still answers
	turnTimeout = 5 * time.Second // for an answer
)

// TryTurn is documented at [role.Turns]. The turn belongs to a connection: it is lost when that breaks, which is
// noticed at once where the server says so, and after some seconds where it is silent.
func (t *turns) TryTurn(ctx context.Context, sys trilith.System, name string) (turn context.Context, release func(),
	ok bool, err error) {
	const op = "postgres.TryTurn"
	if err := sys.Validate(); err != nil {
		return nil, nil, false, err
	}
	if name == "" || len(name) > 100 {
		return nil, nil, false, trilith.Errorf(trilith.Invalid, "turn: a name must be 1 to 100 bytes")
	}
	var free bool // checked first: most attempts fail, and need no connection of their own
	err = t.read(ctx, op, noTenant, func(b *pgx.Batch) {
		b.Queue(tryTurn, lockTurn, hashed(name)).QueryRow(func(row pgx.Row) error { return row.Scan(&free) })
	})
	if err != nil || !free {
		return nil, nil, false, err
	}
	conn, err := t.turnConn(ctx)
	if err == nil {
		// the other protocol keeps a snapshot
		err = conn.QueryRow(ctx, tryTurn, pgx.QueryExecModeSimpleProtocol, lockTurn, hashed(name)).Scan(&ok)
	}
	if err != nil || !ok || !t.hold() {
		if conn != nil {
			conn.Close(context.WithoutCancel(ctx))
		}
		if ok && err == nil {
			err = errClosed
		}
		return nil, nil, false, t.failed(ctx, op, err)
	}
	turn, cancel := context.WithCancel(ctx)
	asked, ended := make(chan struct{}), make(chan struct{})
	ask := sync.OnceFunc(func() { close(asked) })
	go func() {
		defer t.held.Done()
		defer close(ended)
		defer cancel()
		t.keepTurn(conn, asked)
	}()
	return turn, func() { ask(); <-ended }, true, nil
}

// turnConn returns a connection on which a turn has begun: the one that a turn left behind, if it still answers.
func (t *turns) turnConn(ctx context.Context) (*pgx.Conn, error) {
	select {
	case conn := <-t.spare:
		if _, err := conn.Exec(ctx, beginTurn); err == nil {
			return conn, nil
		}
		conn.Close(context.WithoutCancel(ctx))
	default:
	}
	conn, err := pgx.ConnectConfig(ctx, t.pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, beginTurn)
	return conn, err
}

// hold notes that a turn is held, unless the store is closing.
func (t *turns) hold() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.closing:
		return false
	default:
		t.held.Add(1)
		return true
	}
}

// end begins the closing of the store: it releases turns, and no more can be taken.
func (t *turns) end() {
	t.mu.Lock()
	close(t.closing)
	t.mu.Unlock()
	t.held.Wait()
	select {
	case conn := <-t.spare:
		conn.Close(context.Background())
	default:
	}
}

// keepTurn watches over the connection of a turn until the turn is given back or lost. Given back it is free at once,
// not only when the server has noticed that the connection is gone; and the next turn need not connect.
func (t *turns) keepTurn(conn *pgx.Conn, asked <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for answers(ctx, conn) {
		}
	}()
	select {
	case <-asked:
	case <-t.closing:
	case <-stopped:
	}
	cancel()
	<-stopped
	end, cancel := context.WithTimeout(context.Background(), turnTimeout)
	defer cancel()
	if !conn.IsClosed() {
		if _, err := conn.Exec(end, "ROLLBACK"); err == nil {
			select {
			case t.spare <- conn:
				return
			default: // there is one
			}
		}
	}
	conn.Close(end) // this also releases the turn
}

// answers waits for the server to say something, which it does when it ends the connection, and after a while asks
// whether it is there.
func answers(ctx context.Context, conn *pgx.Conn) bool {
	quiet, cancel := context.WithTimeout(ctx, turnPing)
	defer cancel()
	err := conn.PgConn().WaitForNotification(quiet)
	if ctx.Err() != nil {
		return false
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	ask, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	return conn.Ping(ask) == nil
}
