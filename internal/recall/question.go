package recall

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth/generations"
)

// Time limits for embedding a question. The caller is waiting, and word search works without a vector.
const (
	questionWait = 300 * time.Millisecond // for a service whose speed is not known yet
)

// questionVector embeds a question; nil if the embedder returns no vector for it. A vector from a paid embedder that
// comes too late for the first request is cached for the next one.
func (rd *Reader) questionVector(ctx context.Context, s trilith.Scope, d *generations.Serving, text string) (
	trilith.Vector, error) {
	key, costs := vectorKey{s.Tenant, d.Gen.Key(), text}, index.Costs(d.Gen)
	if costs {
		if v, ok := rd.vectors.get(key); ok {
			return v, nil
		}
	}
	wait, from := generations.LongestWait, ctx
	if !inProcess(d.Gen) {
		wait, from = d.Pulse.Wait(rd.questionWait), context.WithoutCancel(ctx)
	}
	type answer struct {
		vector trilith.Vector
		err    error
	}
	answers := make(chan answer, 1)
	whole, cancel := context.WithTimeout(from, generations.LongestWait)
	go func() {
		defer cancel()
		if !costs {
			v, err := rd.generations.VectorOf(whole, s, d, role.ForQuery, text)
			answers <- answer{v, err}
			return
		}
		// a consultation searches the same question twice at once: the service gets one request
		name := strings.Join([]string{key.tenant, key.generation, key.text}, "\x00")
		v, err, _ := rd.asked.Do(name, func() (any, error) {
			start := rd.truth.Clock()
			v, err := rd.generations.VectorOf(whole, s, d, role.ForQuery, text)
			if err == nil {
				d.Pulse.Note(rd.truth.Clock().Sub(start))
				rd.vectors.put(key, v)
			}
			return v, err
		})
		vector, _ := v.(trilith.Vector)
		answers <- answer{vector, err}
	}()
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case a := <-answers:
		if a.err == nil || !errors.Is(whole.Err(), context.DeadlineExceeded) {
			return a.vector, a.err
		}
	case <-late.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, trilith.Errorf(trilith.Unavailable, "embedder: made no vector of the question within %s", wait)
}

// inProcess reports whether an embedder runs in this process: it may be slow, but it is always available.
func inProcess(g trilith.Generation) bool { return g.Provider == "local" || !index.Costs(g) }
