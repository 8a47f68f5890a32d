package recall

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/generations"
	"github.com/cairn-memory/cairn/internal/index"
)

// How long a question waits for its vector. The caller is waiting too, and word search works without one.
const (
	questionWait = 300 * time.Millisecond // for a service that nothing is known of
)

// inProcess reports whether an embedder computes here: it may be slow, and is never away.
func inProcess(g cairn.Generation) bool { return g.Provider == "local" || !index.Costs(g) }

// questionVector embeds a question; nil if the embedder has nothing to say about it. An embedder that costs money is
// not asked twice, even if its vector came too late for the first request.
func (rd *Reader) questionVector(ctx context.Context, s cairn.Scope, d *generations.Serving, text string) (
	cairn.Vector, error) {
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
		vector cairn.Vector
		err    error
	}
	answers := make(chan answer, 1)
	whole, cancel := context.WithTimeout(from, generations.LongestWait)
	go func() {
		defer cancel()
		if !costs {
			v, err := rd.generations.VectorOf(whole, s, d, cairn.ForQuery, text)
			answers <- answer{v, err}
			return
		}
		// a consultation asks two searches the same question at once: the service is asked one time
		name := strings.Join([]string{key.tenant, key.generation, key.text}, "\x00")
		v, err, _ := rd.asked.Do(name, func() (any, error) {
			start := rd.truth.Clock()
			v, err := rd.generations.VectorOf(whole, s, d, cairn.ForQuery, text)
			if err == nil {
				d.Pulse.Note(rd.truth.Clock().Sub(start))
				rd.vectors.put(key, v)
			}
			return v, err
		})
		vector, _ := v.(cairn.Vector)
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
	return nil, cairn.Errorf(cairn.Unavailable, "embedder: made no vector of the question within %s", wait)
}
