package rest

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/op"
)

// Bounds of streams of events.
const (
	streamsOfOne = 4         // of one caller: a browser has six connections to a server, and its page needs some
	streamsOfAll = 64        // each looks into the log about once a second
	streamLife   = time.Hour // then the reader opens the next one
	maxCursor    = 1024      // bytes
)

type eventsRequest struct {
	After string `json:"after,omitempty" doc:"Cursor of the last event that was read; the header counts before it" maxLength:"1024"`
}

// lastEvent is the header in which browsers send the cursor.
const lastEvent = "Last-Event-ID"

// streams counts who listens.
type streams struct {
	mu  sync.Mutex
	of  map[trilith.Identity]int
	all int
}

// take counts one more stream, or refuses it if there are too many. The function that it returns gives the stream back.
func (st *streams) take(who trilith.Identity) (func(), error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.of[who] >= streamsOfOne:
		return nil, trilith.Errorf(trilith.Exhausted, "events: %d streams of this key are open; close one", streamsOfOne)
	case st.all >= streamsOfAll:
		return nil, trilith.Errorf(trilith.Unavailable, "events: %d streams are open; try again later", streamsOfAll)
	}
	if st.of == nil {
		st.of = map[trilith.Identity]int{}
	}
	st.of[who]++
	st.all++
	return func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.all--
		if st.of[who]--; st.of[who] == 0 {
			delete(st.of, who)
		}
	}, nil
}

var describedEvents = op.Described(func(d *op.Describer, n op.Node) {
	op.More(n, `Server-sent events "open", "change", "alert", "jobs" and "lag", each with an Event as data, and a comment `+
		`when nothing has happened for 15 seconds. The id of the last event, sent as Last-Event-ID, resumes. `+
		`It ends with the key or the session that opened it, and after an hour. Jobs and lag are told to keys that see the whole tenant.`)
	op.Answers(n, "The stream", map[string]op.Node{eventStream: d.Type(reflect.TypeFor[trilith.Event]())})
	const doc = "Likewise, as browsers send it"
	n["parameters"] = append(n["parameters"].([]any), op.Node{"in": "header", "name": lastEvent, "description": doc,
		"schema": op.Node{"type": "string", "maxLength": 1024, "description": doc}})
})

func (s *ownRoutes) events(x *exchange, in eventsRequest) (none trilith.Event, err error) {
	r, who := x.r, x.who
	ctx, cancel := context.WithTimeout(x.ctx, streamLife)
	defer cancel()
	if served, ok := ctx.Value(servedKey{}).(context.Context); ok { // a server that ends waits for no stream
		defer context.AfterFunc(served, cancel)()
	}
	after := cmp.Or(r.Header.Get(lastEvent), in.After)
	if len(after) > maxCursor {
		return none, trilith.Errorf(trilith.Invalid, "%s: is longer than %d bytes", lastEvent, maxCursor)
	}
	one := who
	one.TimeZone = "" // which every request may choose
	done, err := s.streams.take(one)
	if err != nil {
		return none, err
	}
	defer done()
	stream := &events{w: x.w}
	for e, err := range s.engine.Events(ctx, x.scope, after) {
		if err == nil {
			err = s.auth.still(r, who)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			x.answered = true
			return none, nil
		case err != nil && stream.begun:
			stream.send("error", problemOf(r.Context(), err))
			return none, nil
		case err != nil:
			return none, err
		case e.Kind == trilith.EventIdle:
			stream.idle()
		default:
			stream.id = e.Cursor
			stream.send(string(e.Kind), e)
		}
		x.answered = true
		if stream.gone {
			return none, nil
		}
	}
	return none, nil
}

// still reports whether who sends a request is who sent it when it began.
func (a *authenticator) still(r *http.Request, who trilith.Identity) error {
	now, err := a.identifyPage(r)
	if err == nil && now != who {
		err = trilith.Errorf(trilith.Unauthenticated, "the key has changed since the stream began; open another stream")
	}
	return err
}
