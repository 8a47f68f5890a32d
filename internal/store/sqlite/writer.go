package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
)

// Limits of one group: enough callers to share an fsync, few enough rows that none of them waits long.
const (
	groupRequests = 256
	groupRows     = 2000
	someRows      = groupRows / 8 // of a request that does not know how many rows it writes
)

// writerRest is how long nothing is written before the writer gives the memory of its page cache back.
const writerRest = 5 * time.Second

// request is one indivisible write that waits for the writer.
type request struct {
	run   func(*tx) error
	rows  int  // approximate number of rows
	alone bool // runs outside of any transaction
	state atomic.Int32
	done  chan error // receives the outcome once

	refused error // why run undid its own work; only for the writer
}

// The states of a request. Only the writer, by taking it, or its caller, by giving up, can move it on from waiting.
const (
	waiting int32 = iota
	taken
	abandoned
)

func (r *request) take() bool { return r.state.CompareAndSwap(waiting, taken) }

// write makes the writer execute run, in a transaction that other requests may share, although a failure rolls back
// only this one. If the context ends before its turn comes, nothing is done; after that write waits for the outcome.
func (f *file) write(ctx context.Context, op string, rows int, run func(*tx) error) error {
	return f.submit(ctx, op, &request{run: run, rows: rows})
}

func (f *file) submit(ctx context.Context, op string, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return trilith.WrapError(trilith.Unsupported, op, err)
	}
	r.done = make(chan error, 1)
	select {
	case f.queue <- r:
	case <-f.closing:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.done:
		if Damaged(err) {
			f.suspect()
		}
		return fail(ctx, op, err)
	case <-ctx.Done():
		if r.state.CompareAndSwap(waiting, abandoned) {
			return ctx.Err()
		}
		return fail(context.WithoutCancel(ctx), op, <-r.done)
	}
}

// committer is the only goroutine that writes: it collects waiting requests and commits them together.
type committer struct {
	*file
	free    func(dir string) (int64, error) // bytes that can still be written below dir
	large   int64                           // largeLog, but for tests
	foldAt  int64                           // size of the log at which it is next brought into the file
	commits atomic.Int64                    // committed transactions
	written chan struct{}                   // closed after the last commit
	err     error                           // the error with which writing ended
}

// serve runs until the store is closed.
func (c *committer) serve(w *writer) {
	defer close(c.written)
	rest := time.NewTimer(writerRest)
	defer rest.Stop()
	written := 0 // rows, since the cache was given back
	var first *request
	for {
		if first == nil {
			select {
			case first = <-c.queue:
			case <-rest.C:
				if written >= groupRows {
					_ = w.exec("PRAGMA shrink_memory") // a failure only costs memory
				}
				written = 0
				continue
			case <-c.closing:
				err := w.fold()
				if full(err) { // the log can still be read, and nothing is lost
					err = nil
				}
				c.err = errors.Join(err, w.close())
				return
			}
		}
		var group []*request
		group, first = c.gather(first)
		c.execute(w, group)
		c.spare(w)
		for _, r := range group {
			written += r.rows
		}
		rest.Reset(writerRest)
	}
}

// A log smaller than spareLog is never a problem for a disk; a larger one may take up to a quarter of the free space.
const (
	spareLog   = 256 << 10
	spareShare = 4
)

// largeLog is the size from which a log slows reads down: each looks every page up in all of it. SQLite empties it only
// when no one reads, and during heavy writing someone always does: with a million memories it took three times as much
// of the disk as the file. Readers that take longer than readersWait keep it for largeLog/4 more.
const (
	largeLog    = 64 << 20
	readersWait = 200 * time.Millisecond
)

// spare moves the log into the file before it fills a small disk or becomes large. After an error the next commit tries
// again.
func (c *committer) spare(w *writer) {
	log, err := os.Stat(c.path + "-wal")
	if err != nil || log.Size() < spareLog {
		return
	}
	if log.Size() >= max(c.large, c.foldAt) {
		c.foldAt = 0
		if !w.foldSoon() {
			c.foldAt = log.Size() + c.large/4
		}
		return
	}
	if free, err := c.free(filepath.Dir(c.path)); err == nil && log.Size() > free/spareShare {
		_ = w.fold()
	}
}

// gatherYields is how often gather lets other goroutines run before it closes a group: the callers of the previous
// group have just got their answers and may be about to write again. Three nearly double the size of groups of 8
// callers.
const gatherYields = 3

// gather returns the group that begins with first, and a request that arrived but cannot join it.
func (c *committer) gather(first *request) (group []*request, next *request) {
	group = []*request{first}
	if first.alone {
		return group, nil
	}
	rows := first.rows
	for yields := 0; len(group) < groupRequests && rows < groupRows; {
		select {
		case r := <-c.queue:
			if r.alone {
				return group, r
			}
			group, rows, yields = append(group, r), rows+r.rows, 0
		default:
			if yields++; yields > gatherYields {
				return group, nil
			}
			runtime.Gosched()
		}
	}
	return group, nil
}

// execute runs a group and reports the outcome to every caller.
func (c *committer) execute(w *writer, group []*request) {
	defer c.exclude()()
	if group[0].alone {
		if r := group[0]; r.take() {
			r.done <- r.run(&tx{writer: w})
		}
		return
	}
	if err := c.begin(w, group); err != nil {
		for _, r := range group {
			if r.take() {
				r.done <- err
			}
		}
		return
	}
	t := &tx{writer: w}
	var ran []*request
	var broken error
	wrote := false
	for _, r := range group {
		if broken != nil || !r.take() {
			continue
		}
		var lost bool
		if r.refused, lost = t.inSavepoint(len(group) > 1, r.run); lost {
			broken = r.refused
		}
		ran, wrote = append(ran, r), wrote || r.refused == nil
	}
	err := broken
	if err == nil && wrote {
		err = w.exec("COMMIT")
	}
	if err != nil || !wrote {
		w.exec("ROLLBACK") // fails if SQLite has rolled back by itself
	} else {
		c.commits.Add(1)
		if t.change > 0 {
			c.acknowledge(t.change)
		}
	}
	c.cache.drop(t.replaced) // before any caller is answered: erased memories must not stay cached
	for _, r := range ran {  // refused ones too: the cause of a Conflict is readable only now
		r.done <- cmp.Or(err, r.refused)
	}
	for _, r := range group { // the requests after the one that broke the transaction
		if broken != nil && r.take() {
			r.done <- broken
		}
	}
}

// begin takes the file's write lock, waiting as long as any caller of the group waits, and refuses to write into a file
// whose schema another version has changed.
func (c *committer) begin(w *writer, group []*request) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err := untilFree(ctx, func() error {
		if err := c.unlocked(); err != nil {
			return err
		}
		err := w.exec("BEGIN IMMEDIATE")
		if !locked(err) {
			return err
		}
		select {
		case <-c.closing:
			return errClosed
		default:
		}
		for _, r := range group {
			if r.state.Load() == waiting {
				return err
			}
		}
		return context.Canceled // no caller waits any more
	})
	if err != nil {
		return err
	}
	var schema int64
	if c.gone() {
		_, _ = w.exec("ROLLBACK"), w.foldSoon() // acknowledged changes are then in the file, wherever that is
		c.refuse(movedFile)
		return errMoved
	}
	if err = w.row(appliedQuery).Scan(&schema); err == nil && schema != w.schema {
		c.refuse(movedSchema)
		err = c.writable()
	}
	if err != nil {
		_ = w.exec("ROLLBACK")
	}
	return err
}

// tx is an open transaction of the writer.
type tx struct {
	*writer
	change   int64       // last assigned number in the change log; 0 before the first
	replaced []memoryKey // memories that are replaced or deleted
}

// inSavepoint runs f so that a failure undoes only the work of f. A transaction with one request needs no savepoint:
// its failure ends the transaction. lost says that the transaction cannot be committed any more.
func (t *tx) inSavepoint(shared bool, f func(*tx) error) (err error, lost bool) {
	if !shared {
		err := f(t)
		return err, err != nil
	}
	if err := t.exec("SAVEPOINT request"); err != nil {
		return err, true
	}
	before := t.change
	if err = f(t); err != nil {
		t.change = before // the mark counts only stored changes
		if t.exec("ROLLBACK TO request") != nil {
			return err, true
		}
	}
	if e := t.exec("RELEASE request"); e != nil {
		return errors.Join(err, e), true
	}
	return err, false
}

// nextChange returns the next number of the change log. Numbers are assigned under the write lock, so their order is
// the order of the commits, in every process. The newest change is never removed, so no number is assigned twice;
// nor is that of a lost change.
func (t *tx) nextChange() (int64, error) {
	if t.change == 0 {
		if err := t.row(headQuery).Scan(&t.change); err != nil {
			return 0, err
		}
		t.change = max(t.change, t.least)
	}
	t.change++
	return t.change, nil
}

// writer owns the writing connection and its prepared statements. Its statements cannot be interrupted.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt

	schema int64 // of the file when it was opened
	least  int64 // the newest change that was acknowledged before
}

func openWriter(ctx context.Context, path string) (*writer, error) {
	db, err := openDB(path, writerSettings, 1)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, stmts: map[string]*sql.Stmt{}}
	err = untilFree(ctx, func() (err error) {
		w.conn, err = db.Conn(ctx)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return w, nil
}

// fold moves the log into the file, so that the file by itself contains everything. Readers of other processes may
// delay a part of it; they will move that part.
func (w *writer) fold() error {
	var busy, total, done int
	return w.row("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &total, &done)
}

// foldSoon is fold, unless readers delay it for longer than readersWait: then the log stays, and foldSoon is false.
func (w *writer) foldSoon() bool {
	var busy, total, done int
	wait := func(d time.Duration) error {
		return w.exec("PRAGMA busy_timeout = " + strconv.FormatInt(d.Milliseconds(), 10))
	}
	if err := wait(readersWait); err != nil {
		return false
	}
	err := w.row("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &total, &done)
	return errors.Join(err, wait(lockWait)) == nil && busy == 0
}

func (w *writer) close() error {
	var errs []error
	for _, st := range w.stmts {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// prepared returns the statement of a query; the package has few, fixed queries.
func (w *writer) prepared(query string) (*sql.Stmt, error) {
	if st := w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.stmts[query] = st
	}
	return st, err
}

func (w *writer) exec(query string, args ...any) error {
	_, err := w.execN(query, args...)
	return err
}

// execN returns how many rows changed.
func (w *writer) execN(query string, args ...any) (int64, error) {
	st, err := w.prepared(query)
	if err != nil {
		return 0, err
	}
	res, err := st.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (w *writer) query(query string, args ...any) (*sql.Rows, error) {
	st, err := w.prepared(query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(context.Background(), args...)
}

// row returns the only row of a query; a failure shows in Scan.
func (w *writer) row(query string, args ...any) scanner {
	st, err := w.prepared(query)
	if err != nil {
		return failedRow{err}
	}
	return st.QueryRowContext(context.Background(), args...)
}

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }
