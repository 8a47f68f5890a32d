package engine_test

import (
	"context"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// endless is a model that answers nothing until its caller gives up.
type endless struct {
	role.Model
	asked chan struct{}
}

func (m endless) Generate(ctx context.Context, _ role.ModelRequest) (role.ModelAnswer, error) {
	select {
	case m.asked <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return role.ModelAnswer{}, ctx.Err()
}

// TestJobsAreGivenBack: jobs that were leased when their process ended are due at once, and the attempts cost nothing,
// however often that happens.
func TestJobsAreGivenBack(t *testing.T) {
	t.Parallel()
	var model endless // another one for each process: those that end still ask theirs
	anew := func() { model = endless{scripted.New(scripted.Script{}), make(chan struct{}, 1)} }
	anew()
	store := rig.NewLasting()
	queue := store.Config().Queue
	made := rig.Open(t, store.Config(), func(c *engine.Config) { c.Model, c.Queue = model, resting{c.Queue} })
	const several = 4
	for range several {
		made.MustRemember(t, rig.Ana, trilith.RememberRequest{Text: "I am ana, once more.", Extract: trilith.ExtractLLM})
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	// given back: nobody holds them, and none has fewer attempts left than at first
	givenBack := func(when string) {
		t.Helper()
		jobs, err := queue.Jobs(t.Context(), rig.Acme, trilith.JobListing{State: trilith.JobReady})
		if err != nil || len(jobs) != several {
			t.Fatalf("%s: %d ready jobs, %v, want %d", when, len(jobs), err, several)
		}
		for _, j := range jobs {
			if j.LeasedUntil != nil || j.Attempts > 0 && j.MaxAttempts-j.Attempts < 10 || j.Error != "" {
				t.Fatalf("%s: a job is %+v, want it due with all its attempts", when, j)
			}
		}
	}
	for range 12 {
		anew()
		e := rig.Open(t, store.Config(), func(c *engine.Config) { c.Model = model })
		<-model.asked
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		givenBack("after its process ended")
	}
}
