package inmem

import "context"

// Fault is asked around every operation; op is the name of the method, such as "Commit". Its functions are called
// without any lock held and may wait, for a channel of the test or for ctx to end. Either may be nil.
type Fault struct {
	// Before is called before the operation does anything. An error becomes its answer, and nothing has happened.
	Before func(ctx context.Context, op string) error
	// After is called when the operation has succeeded. An error becomes its answer although everything has happened:
	// the acknowledgement was lost. A listing calls it after its last memory, as if it had broken off there.
	After func(ctx context.Context, op string) error
}

// Inject sets the fault of all operations that begin from now on; the zero Fault takes it away. [Store.Close] and
// [Store.Shards] never fail.
func (s *Store) Inject(f Fault) { s.fault.Store(&f) }

func (s *Store) before(ctx context.Context, op string) error {
	if f := s.fault.Load(); f != nil && f.Before != nil {
		if err := f.Before(ctx, op); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *Store) after(ctx context.Context, op string) error {
	if f := s.fault.Load(); f != nil && f.After != nil {
		return f.After(ctx, op)
	}
	return nil
}
