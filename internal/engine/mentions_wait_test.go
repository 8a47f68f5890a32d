package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// slowLog is a log whose readers of changes wait for the clock, if they follow the mentions.
type slowLog struct {
	trilith.Log
	each  atomic.Int64 // how long they wait, a [time.Duration]
	asked atomic.Int32
}

func (l *slowLog) Changes(ctx context.Context, s trilith.System, shard int, after trilith.Cursor, most int) (
	[]trilith.Change, trilith.Cursor, error) {
	if s == trilith.AsSystem("mentions") {
		l.asked.Add(1)
		select {
		case <-time.After(time.Duration(l.each.Load())):
		case <-ctx.Done():
			return nil, after, ctx.Err()
		}
	}
	return l.Log.Changes(ctx, s, shard, after, most)
}

// TestReadersDoNotWaitForMentions: while much is to be looked at, one reader waits for a quarter of a second, and the
// others do not.
func TestReadersDoNotWaitForMentions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log *slowLog
		e := inMemory(t, func(c *engine.Config) {
			log = &slowLog{Log: c.Log}
			c.Log = log
		})
		e.tell(t, ana, "2025-02-01", "I live in Tampere.")
		<-time.After(10 * time.Second)
		log.each.Store(int64(time.Minute))
		e.tell(t, ana, "2025-03-01", "Leaving Tampere was hard.")
		asks := func() (quote string, took time.Duration) {
			start := time.Now()
			quote = e.spoken(t, ana, user(ana), "Tampere")
			return quote, time.Since(start)
		}
		for n, most := range []time.Duration{250 * time.Millisecond, 0, 0} {
			if quote, took := asks(); quote != "" || took > most {
				t.Errorf("reader %d was told %q in %s, want nothing in %s", n+1, quote, took, most)
			}
		}
		start := time.Now()
		for _, ask := range []func() error{
			func() error { _, err := e.Actionable(t.Context(), acme, 0, 0); return err },
			func() error { _, err := e.Facts(t.Context(), acme, trilith.FactQuery{}); return err },
			func() error { _, err := e.Inbox(t.Context(), acme, trilith.InboxQuery{}); return err },
		} {
			if err := ask(); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("lists of a reviewer took %s, want none to wait", took)
		}
		log.each.Store(0)
		<-time.After(2 * time.Minute)
		if n := log.asked.Load(); n > 10 {
			t.Errorf("the log was read %d times, want what a reader does not wait for to go on and not to begin again",
				n)
		}
		if quote, _ := asks(); quote != "Leaving Tampere was hard." {
			t.Errorf("when all was looked at: %q", quote)
		}
		e.tell(t, ana, "2025-04-01", "Tampere is far away now.")
		if quote, _ := asks(); quote != "Tampere is far away now." {
			t.Errorf("a reader that need not wait long is told %q, want what was said last", quote)
		}
	})
}
