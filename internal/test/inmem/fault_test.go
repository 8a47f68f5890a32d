package inmem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

var (
	scope  = trilith.Scope{Tenant: "acme"}
	memory = trilith.Memory{ID: trilith.DeriveID("m"), Kind: trilith.KindNote, Text: "x", Scope: scope,
		State: trilith.StateActive}
	batch = role.Batch{Memories: []trilith.Memory{memory}}
)

func stored(t *testing.T, s *inmem.Store) int {
	t.Helper()
	ms, err := s.Get(t.Context(), scope, []trilith.ID{memory.ID})
	if err != nil {
		t.Fatalf("Get = %v, want nil", err)
	}
	return len(ms)
}

// on makes a fault's function that acts on one operation.
func on(op string, act func(ctx context.Context) error) func(context.Context, string) error {
	return func(ctx context.Context, have string) error {
		if have != op {
			return nil
		}
		return act(ctx)
	}
}

func TestFaultBeforeLeavesNothing(t *testing.T) {
	t.Parallel()
	s := inmem.New(time.Now)
	down := trilith.Errorf(trilith.Unavailable, "no answer")
	s.Inject(inmem.Fault{Before: on("Commit", func(context.Context) error { return down })})
	if _, err := s.Commit(t.Context(), scope, batch); !errors.Is(err, down) {
		t.Errorf("Commit with a fault = %v, want %v", err, down)
	}
	if n := stored(t, s); n != 0 {
		t.Errorf("a commit that failed before it began stored %d memories, want 0", n)
	}
	s.Inject(inmem.Fault{})
	if _, err := s.Commit(t.Context(), scope, batch); err != nil {
		t.Errorf("Commit after the fault was taken away = %v, want nil", err)
	}
}

func TestFaultAfterLosesTheAcknowledgement(t *testing.T) {
	t.Parallel()
	s := inmem.New(time.Now)
	lost := trilith.Errorf(trilith.Unavailable, "connection lost")
	s.Inject(inmem.Fault{After: on("Commit", func(context.Context) error { return lost })})
	if c, err := s.Commit(t.Context(), scope, batch); !errors.Is(err, lost) || c.Cursor != "" {
		t.Errorf("Commit = %+v, %v; want nothing and %v", c, err, lost)
	}
	if n := stored(t, s); n != 1 {
		t.Errorf("a commit whose acknowledgement was lost stored %d memories, want 1", n)
	}
	bad := role.Batch{Expect: []role.Expect{{ID: memory.ID}}}
	if _, err := s.Commit(t.Context(), scope, bad); trilith.KindOf(err) != trilith.Conflict {
		t.Errorf("Commit that fails by itself = %v, want its own Conflict", err)
	}
}

func TestFaultAfterBreaksAListing(t *testing.T) {
	t.Parallel()
	s := inmem.New(time.Now)
	if _, err := s.Commit(t.Context(), scope, batch); err != nil {
		t.Fatalf("Commit = %v, want nil", err)
	}
	lost := errors.New("connection lost")
	s.Inject(inmem.Fault{After: on("List", func(context.Context) error { return lost })})
	var memories, failures int
	for _, err := range s.List(t.Context(), scope, role.Listing{}) {
		if errors.Is(err, lost) {
			failures++
		} else if err == nil {
			memories++
		}
	}
	if memories != 1 || failures != 1 {
		t.Errorf("List yielded %d memories and %d failures, want one of each", memories, failures)
	}
}

func TestFaultMayWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inmem.New(time.Now)
		release := make(chan struct{})
		wait := func(ctx context.Context) error {
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		s.Inject(inmem.Fault{Before: on("Commit", wait)})
		result := make(chan error, 1)
		go func() { _, err := s.Commit(t.Context(), scope, batch); result <- err }()
		synctest.Wait()
		select {
		case err := <-result:
			t.Fatalf("Commit = %v before it was released", err)
		default:
		}
		if n := stored(t, s); n != 0 { // a waiting commit holds nobody up
			t.Errorf("a waiting commit stored %d memories, want 0", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Commit(ctx, scope, batch); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Commit that waited past its deadline = %v, want %v", err, context.DeadlineExceeded)
		}
		close(release)
		if err := <-result; err != nil {
			t.Errorf("Commit after it was released = %v, want nil", err)
		}
		if n := stored(t, s); n != 1 {
			t.Errorf("a released commit stored %d memories, want 1", n)
		}
	})
}

func TestFaultSeesEveryOperation(t *testing.T) {
	t.Parallel()
	s := inmem.New(time.Now)
	sys, ctx := trilith.AsSystem("test"), t.Context()
	calls := map[string]func() error{
		"Commit": func() error { _, err := s.Commit(ctx, scope, batch); return err },
		"Get":    func() error { _, err := s.Get(ctx, scope, nil); return err },
		"List": func() error {
			for _, err := range s.List(ctx, scope, role.Listing{}) {
				return err
			}
			return nil
		},
		"Records": func() error {
			_, err := s.Records(ctx, scope, role.RecordListing{Kind: role.RecordSource})
			return err
		},
		"Find":    func() error { _, err := s.Find(ctx, scope, nil); return err },
		"Changes": func() error { _, _, err := s.Changes(ctx, sys, 0, "", 1); return err },
		"Head":    func() error { _, err := s.Head(ctx, sys, 0); return err },
		"Audit":   func() error { _, err := s.Audit(ctx, scope, 0, 1); return err },
		"Tenants": func() error { _, err := s.Tenants(ctx, sys); return err },
		"Lease":   func() error { _, err := s.Lease(ctx, sys, trilith.LeaseRequest{Worker: "w", For: 1}); return err },
		"Extend":  func() error { return s.ChangeJob(ctx, trilith.Lease{}.Extend(1)) },
		"Finish":  func() error { return s.ChangeJob(ctx, trilith.Lease{}.Finish()) },
		"Fail":    func() error { return s.ChangeJob(ctx, trilith.Lease{}.Fail("", time.Time{})) },
		"Jobs":    func() error { _, err := s.Jobs(ctx, scope, trilith.JobListing{}); return err },
		"Retry":   func() error { return s.ChangeJob(ctx, trilith.RetryJob(scope, memory.ID)) },
	}
	s.Inject(inmem.Fault{Before: func(_ context.Context, op string) error { return errors.New(op) }})
	for op, call := range calls {
		if err := call(); fmt.Sprint(err) != op {
			t.Errorf("%s with a fault = %v, want the error %q", op, err, op)
		}
	}
}
