package rest

import (
	"context"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/trilith-memory/trilith"
)

// Bounds of streams of events.
const (
	streamsOfOne = 4         // of one caller: a browser has six connections to a server, and its page needs some
	streamsOfAll = 64        // each looks into the log about once a second
	streamLife   = time.Hour // then the reader opens the next one
)

type eventsInput struct {
	ScopeQuery
	After string `query:"after" doc:"Cursor of the last event that was read; the header counts before it" maxLength:"1024"`
	Last  string `header:"Last-Event-ID" doc:"Likewise, as browsers send it" maxLength:"1024"`
}

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

func (s *eventRoutes) register(api huma.API) {
	event := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[trilith.Event](), true, "")
	o := get("events", "/events", "What happens, as it happens: ids and numbers, never stored text")
	o.waits = true
	op := s.describe(o)
	op.Description += ` Server-sent events "open", "change", "alert", "jobs" and "lag", each with an Event as data, and a comment ` +
		`when nothing has happened for 15 seconds. The id of the last event, sent as Last-Event-ID, resumes. ` +
		`It ends with the key or the session that opened it, and after an hour. Jobs and lag are told to keys that see the whole tenant.`
	op.Responses = map[string]*huma.Response{"200": {Description: "The stream", Content: map[string]*huma.MediaType{
		eventStream: {Schema: event}}}}
	huma.Register(api, op, func(_ context.Context, in *eventsInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { s.listen(ctx, in) }}, nil
	})
}

func (s *eventRoutes) listen(hctx huma.Context, in *eventsInput) {
	r, w := humago.Unwrap(hctx)
	ctx, cancel := context.WithTimeout(r.Context(), streamLife)
	defer cancel()
	if served, ok := ctx.Value(servedKey{}).(context.Context); ok { // a server that ends waits for no stream
		defer context.AfterFunc(served, cancel)()
	}
	who := callOf(ctx).who
	done, err := s.streams.take(who)
	if err != nil {
		fail(w, r.Context(), err)
		return
	}
	defer done()
	after := in.Last
	if after == "" {
		after = in.After
	}
	stream := &events{w: w}
	for e, err := range s.engine.Events(ctx, in.within(who), after) {
		if err == nil {
			err = s.auth.still(r, who)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return
		case err != nil && stream.begun:
			stream.send("error", problemOf(r.Context(), err))
			return
		case err != nil:
			fail(w, r.Context(), err)
			return
		case e.Kind == trilith.EventIdle:
			stream.idle()
		default:
			stream.id = e.Cursor
			stream.send(string(e.Kind), e)
		}
		if stream.gone {
			return
		}
	}
}

// still reports whether who sends a request is who sent it when it began.
func (a *authenticator) still(r *http.Request, who trilith.Identity) error {
	now, err := a.identifyPage(r)
	if err == nil && now != who {
		err = trilith.Errorf(trilith.Unauthenticated, "the key has changed since the stream began; open another stream")
	}
	return err
}
