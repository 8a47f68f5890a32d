package rest

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// ScopeQuery is a scope in the query of a URL. It is exported, as is OneMemory, because the framework looks into
// exported embedded structs only.
type ScopeQuery struct {
	Project string `query:"project" doc:"Project that the memory belongs to" maxLength:"255"`
	Domain  string `query:"domain" doc:"Knowledge domain" maxLength:"255"`
	User    string `query:"user" doc:"Person whose memory it is" maxLength:"255"`
	Agent   string `query:"agent" doc:"Agent that wrote or reads" maxLength:"255"`
	Session string `query:"session" doc:"Conversation or run" maxLength:"255"`
	Channel string `query:"channel" doc:"Where it was said, for example chat or e-mail" maxLength:"255"`
	Zone    string `query:"time_zone" doc:"IANA name of the caller's time zone, such as Asia/Tokyo: of their days, and of times without an offset" maxLength:"64"`
}

func (q ScopeQuery) within(who trilith.Identity) trilith.Scope {
	return within(who, trilith.Scope{Project: q.Project, Domain: q.Domain, User: q.User, Agent: q.Agent,
		Session: q.Session, Channel: q.Channel, TimeZone: q.Zone})
}

// StatesQuery is a list of states in the query of a URL: names with commas between them, or the parameter repeated.
type StatesQuery struct {
	States []string `query:"states,explode" doc:"States, with commas between them or repeated: candidate, active, superseded, retracted, expired, quarantined. Active alone if absent"`
}

func (q StatesQuery) states() []trilith.State {
	var out []trilith.State
	for _, name := range separated(q.States) {
		out = append(out, trilith.State(name))
	}
	return out
}

// separated splits lists at commas.
func separated(lists []string) (out []string) {
	for _, list := range lists {
		for v := range strings.SplitSeq(list, ",") {
			out = append(out, strings.TrimSpace(v))
		}
	}
	return out
}

// OneMemory names a memory in the path of a URL.
type OneMemory struct {
	ScopeQuery
	ID trilith.ID `path:"id" doc:"Id of the memory"`
}

type rememberInput struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Repeating a request with its key answers what the first one answered" maxLength:"255"`
	Body           rememberBody
}

type rememberBody struct {
	trilith.Scope
	trilith.RememberRequest
}

// messagesSchema describes messages, which check themselves when they are decoded.
type messagesSchema struct{}

// Schema is documented at [huma.SchemaProvider].
func (messagesSchema) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{AnyOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[trilith.Message](), true, ""),
		{Type: huma.TypeObject, AdditionalProperties: true, Description: "A message as the API of a model or a framework has it"}}}}
}

type listInput struct {
	ScopeQuery
	Filter string `query:"filter" doc:"Conditions as JSON; see the filter grammar"`
	Limit  int    `query:"limit" doc:"Memories per page: 1 to 1000, 50 if absent" minimum:"1" maximum:"1000"`
	Cursor string `query:"cursor" doc:"next_cursor of the page before"`
	Newest bool   `query:"newest" doc:"Newest first: the same order backwards"`
	StatesQuery
	Archived bool             `query:"archived" doc:"List what was archived too"`
	Sort     trilith.Timeline `query:"sort" doc:"By when it was recorded, or when it happened" enum:"recorded,event"`
	Brief    bool             `query:"brief" doc:"Cut texts at 400 characters, which clipped counts the rest of in bytes, and leave out evidence and vectors"`
}

type updateInput struct {
	OneMemory
	Body trilith.UpdateRequest
}

type deleteInput struct {
	OneMemory
	Erase bool `query:"erase" doc:"Remove it for good, with everything derived from it; needs the right admin"`
}

type shareInput struct {
	OneMemory
	Body struct {
		Scope trilith.Scope `json:"scope" doc:"Where the memory is to be visible too"`
	}
}

type forgetInput struct {
	Body struct {
		trilith.Scope
		trilith.ForgetRequest
	}
}

type eraseInput struct {
	Body struct {
		trilith.Scope
		trilith.EraseRequest
	}
}

// deletion tells what DELETE did.
type deletion struct {
	IDs     []trilith.ID          `json:"ids"`
	Receipt *trilith.EraseReceipt `json:"receipt,omitempty" doc:"Proof of an erasure"`
	Change  trilith.ID            `json:"change,omitempty" doc:"Undoes it, if it is not an erasure"`
}

func (s *memoryRoutes) registerMemories(api huma.API) {
	handleWrite(s.edge, api, post("remember", "/memories",
		"Store what was said, a note, an entry or a document"), s.timeout, s.remember)
	handle(s.edge, api, get("list-memories", "/memories",
		"List memories, oldest first: active ones unless states are named"), s.list)
	handle(s.edge, api, get("get-memory", "/memories/{id}",
		"One memory"), func(ctx context.Context, who trilith.Identity, in *OneMemory) (trilith.Memory, error) {
		e, err := s.reading(ctx, in.within(who), false)
		if err != nil {
			return trilith.Memory{}, err
		}
		return e.Get(ctx, in.within(who), in.ID)
	})
	handle(s.edge, api, operation{id: "update-memory", method: http.MethodPatch, path: "/memories/{id}",
		need:    trilith.AccessWriter,
		summary: "Change a memory; absent members stay as they are"},
		func(ctx context.Context, who trilith.Identity, in *updateInput) (trilith.Memory, error) {
			return s.engine.Update(ctx, in.within(who), in.ID, in.Body)
		})
	handle(s.edge, api, operation{id: "delete-memory", method: http.MethodDelete, path: "/memories/{id}",
		need:    trilith.AccessWriter,
		summary: "Forget a memory, or erase it"}, s.delete)
	handle(s.edge, api, get("memory-history", "/memories/{id}/history",
		"What holds now and everything that it replaced, newest first"),
		func(ctx context.Context, who trilith.Identity, in *OneMemory) (trilith.History, error) {
			if err := s.large(ctx); err != nil {
				return trilith.History{}, err
			}
			e, err := s.reading(ctx, in.within(who), false)
			if err != nil {
				return trilith.History{}, err
			}
			return e.History(ctx, in.within(who), in.ID)
		})
	handle(s.edge, api, post("share-memory", "/memories/{id}/share",
		"Make a memory visible in a second scope: a reference, not a copy"),
		func(ctx context.Context, who trilith.Identity, in *shareInput) (trilith.Memory, error) {
			return s.engine.Share(ctx, in.within(who), in.ID, within(who, in.Body.Scope))
		})
	handle(s.edge, api, post("forget", "/forget", "Take memories out of search; they can be brought back"),
		func(ctx context.Context, who trilith.Identity, in *forgetInput) (trilith.ForgetResult, error) {
			return s.engine.Forget(ctx, within(who, in.Body.Scope), in.Body.ForgetRequest)
		})
	handle(s.edge, api, operation{id: "erase", method: http.MethodPost, path: "/admin/erase", need: trilith.AccessAdmin,
		summary: "Remove memories for good, with everything derived from them"},
		func(ctx context.Context, who trilith.Identity, in *eraseInput) (trilith.EraseReceipt, error) {
			return s.engine.Erase(ctx, within(who, in.Body.Scope), in.Body.EraseRequest)
		})
}

func (s *memoryRoutes) remember(ctx context.Context, who trilith.Identity, in *rememberInput) (
	trilith.RememberResult, bool, error) {
	r := in.Body.RememberRequest
	var err error
	if r.RequestKey, err = requestKey(in.IdempotencyKey, r.RequestKey); err != nil {
		return trilith.RememberResult{}, false, err
	}
	out, err := s.engine.Remember(ctx, within(who, in.Body.Scope), r)
	if err == nil {
		err = out.Refusal("request")
	}
	return out, out.Pending, err
}

// requestKey returns the idempotency key of a request, which may be in a header or in the body.
func requestKey(header, body string) (string, error) {
	if header != "" && body != "" && header != body {
		return "", trilith.Errorf(trilith.Invalid, "request_key: differs from the header Idempotency-Key; send one of them")
	}
	return cmp.Or(header, body), nil
}

func (s *memoryRoutes) list(ctx context.Context, who trilith.Identity, in *listInput) (trilith.Page, error) {
	r := trilith.ListRequest{Limit: in.Limit, Cursor: in.Cursor, Newest: in.Newest, States: in.states(),
		Archived: in.Archived, Sort: in.Sort, Brief: in.Brief}
	if in.Filter != "" {
		if err := r.Filter.UnmarshalJSON([]byte(in.Filter)); err != nil {
			return trilith.Page{}, err
		}
	}
	if err := s.large(ctx); err != nil {
		return trilith.Page{}, err
	}
	e, err := s.reading(ctx, in.within(who), false)
	if err != nil {
		return trilith.Page{}, err
	}
	return e.List(ctx, in.within(who), r)
}

func (s *memoryRoutes) delete(ctx context.Context, who trilith.Identity, in *deleteInput) (deletion, error) {
	scope, ids := in.within(who), []trilith.ID{in.ID}
	if in.Erase && !who.Access.Allows(trilith.AccessAdmin) {
		return deletion{}, trilith.Errorf(trilith.Forbidden, "erase: needs the right %s; the key holds %s",
			trilith.AccessAdmin, who.Access)
	}
	if _, err := s.engine.Get(ctx, scope, in.ID); err != nil {
		return deletion{}, err
	}
	if in.Erase {
		receipt, err := s.engine.Erase(ctx, scope, trilith.EraseRequest{IDs: ids})
		return deletion{IDs: ids, Receipt: &receipt}, err
	}
	done, err := s.engine.Forget(ctx, scope, trilith.ForgetRequest{IDs: ids})
	return deletion{IDs: ids, Change: done.Change}, err
}

// cut returns as many of the items as one page may hold, and whether more follow.
func cut[T any](items []T, limit int) (page []T, more bool) {
	page, more = engine.Fit(items[:min(limit, len(items))])
	return page, more || len(items) > limit
}
