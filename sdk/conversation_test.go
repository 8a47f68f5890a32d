package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/memory"
)

// memorable is what a client of a server and a memory in the process have in common, as far as the conversation goes.
type memorable interface {
	TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error)
	Remember(context.Context, trilith.Scope, trilith.RememberRequest) (trilith.RememberResult, error)
	Recall(context.Context, trilith.Scope, trilith.RecallRequest) (trilith.RecallResult, error)
	Context(context.Context, trilith.Scope, trilith.ContextRequest) (trilith.ContextBlock, error)
	Get(context.Context, trilith.Scope, trilith.ID) (trilith.Memory, error)
	List(context.Context, trilith.Scope, trilith.ListRequest) (trilith.Page, error)
	Update(context.Context, trilith.Scope, trilith.ID, trilith.UpdateRequest) (trilith.Memory, error)
	Forget(context.Context, trilith.Scope, trilith.ForgetRequest) (trilith.ForgetResult, error)
	Erase(context.Context, trilith.Scope, trilith.EraseRequest) (trilith.EraseReceipt, error)
	Share(context.Context, trilith.Scope, trilith.ID, trilith.ShareRequest) (trilith.Memory, error)
	History(context.Context, trilith.Scope, trilith.ID) (trilith.History, error)
	PutEntry(context.Context, trilith.Scope, string, trilith.PutRequest) (trilith.Memory, error)
	EntryByKey(context.Context, trilith.Scope, string) (trilith.Memory, error)
	DeleteByKey(context.Context, trilith.Scope, string, trilith.KeyedDelete) (trilith.Deletion, error)
	KeyedEntries(context.Context, trilith.Scope, trilith.KeyedRequest) (trilith.Page, error)
	Assimilate(context.Context, trilith.Scope, trilith.AssimilateRequest) (trilith.AssimilateResult, error)
	Lookup(context.Context, trilith.Scope, trilith.LookupRequest) (trilith.LookupResult, error)
	Facts(context.Context, trilith.Scope, trilith.FactQuery) (trilith.FactPage, error)
	VerifyFact(context.Context, trilith.Scope, trilith.ID, trilith.VerifyRequest) (trilith.Memory, error)
	Neighborhood(context.Context, trilith.Scope, trilith.ID, trilith.NeighborhoodQuery) (trilith.Neighborhood, error)
	UpdateEntity(context.Context, trilith.Scope, trilith.ID, trilith.EntityUpdate) (trilith.Entity, error)
	ListSessions(context.Context, trilith.Scope, trilith.SessionQuery) (trilith.SessionPage, error)
	GetSession(context.Context, trilith.Scope, string, trilith.SessionTurnsQuery) (trilith.SessionTurns, error)
	AppendItems(context.Context, trilith.Scope, string, trilith.AppendItems) (trilith.SessionItems, error)
	SessionItems(context.Context, trilith.Scope, string, trilith.ItemsQuery) (trilith.SessionItems, error)
	PopItem(context.Context, trilith.Scope, string) (trilith.SessionItem, error)
	ClearItems(context.Context, trilith.Scope, string) (trilith.ClearedItems, error)
	Inbox(context.Context, trilith.Scope, trilith.InboxQuery) (trilith.ReviewPage, error)
}

var (
	_ memorable = (*client.Client)(nil)
	_ memorable = (*memory.Memory)(nil)
)

// turn is a step of the conversation with the values that were kept put in.
type turn struct {
	Call   string
	Args   []any
	With   map[string]any
	Keep   map[string]string
	Expect map[string]any
	Error  string

	scope trilith.Scope
}

// request reads the options of a turn, and more members, as a request.
func request[T any](t turn, more map[string]any) (r T) {
	for _, members := range []map[string]any{t.With, more} {
		data, err := json.Marshal(members)
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", t.Call, err))
		}
	}
	return r
}

func (t turn) text(i int) string { return t.Args[i].(string) }

func (t turn) id() trilith.ID { return trilith.ID(t.text(0)) }

// paged has every element of a list, page by page.
func paged[T any](ask func(cursor string) (items []T, next string, err error)) (any, error) {
	all := []T{}
	for cursor := ""; ; {
		items, next, err := ask(cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if cursor = next; cursor == "" {
			return map[string]any{"items": all}, nil
		}
	}
}

// calls are the methods of the conversation.
var calls = map[string]func(ctx context.Context, m memorable, t turn) (any, error){
	"remember": func(ctx context.Context, m memorable, t turn) (any, error) {
		name := "text"
		if _, ok := t.Args[0].(string); !ok {
			name = "messages"
		}
		return m.Remember(ctx, t.scope, request[trilith.RememberRequest](t, map[string]any{name: t.Args[0]}))
	},
	"note": func(ctx context.Context, m memorable, t turn) (any, error) {
		note := map[string]any{"content": t.Args[0], "type": t.Args[1]}
		return m.Remember(ctx, t.scope, request[trilith.RememberRequest](t, map[string]any{"note": note}))
	},
	"recall": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Recall(ctx, t.scope, request[trilith.RecallRequest](t, map[string]any{"query": t.Args[0]}))
	},
	"context": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Context(ctx, t.scope, request[trilith.ContextRequest](t, map[string]any{"query": t.Args[0]}))
	},
	"get": func(ctx context.Context, m memorable, t turn) (any, error) { return m.Get(ctx, t.scope, t.id()) },
	"memories": func(ctx context.Context, m memorable, t turn) (any, error) {
		return paged(func(cursor string) ([]trilith.Memory, string, error) {
			p, err := m.List(ctx, t.scope, request[trilith.ListRequest](t, map[string]any{"cursor": cursor}))
			return p.Items, p.NextCursor, err
		})
	},
	"update": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Update(ctx, t.scope, t.id(), request[trilith.UpdateRequest](t, nil))
	},
	"correct": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Update(ctx, t.scope, t.id(), request[trilith.UpdateRequest](t, map[string]any{"text": t.Args[1]}))
	},
	"history": func(ctx context.Context, m memorable, t turn) (any, error) { return m.History(ctx, t.scope, t.id()) },
	"forget": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Forget(ctx, t.scope, request[trilith.ForgetRequest](t, map[string]any{"ids": t.Args}))
	},
	"erase": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Erase(ctx, t.scope, request[trilith.EraseRequest](t, map[string]any{"ids": t.Args}))
	},
	"share": func(ctx context.Context, m memorable, t turn) (any, error) {
		to := request[trilith.Scope](turn{With: t.Args[1].(map[string]any)}, nil)
		return m.Share(ctx, t.scope, t.id(), trilith.ShareRequest{Scope: to})
	},
	"put_entry": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.PutEntry(ctx, t.scope, t.text(0), request[trilith.PutRequest](t, map[string]any{"content": t.Args[1]}))
	},
	"entry_by_key": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.EntryByKey(ctx, t.scope, t.text(0))
	},
	"forget_by_key": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.DeleteByKey(ctx, t.scope, t.text(0), trilith.KeyedDelete{})
	},
	"keyed_entries": func(ctx context.Context, m memorable, t turn) (any, error) {
		return paged(func(cursor string) ([]trilith.Memory, string, error) {
			p, err := m.KeyedEntries(ctx, t.scope, request[trilith.KeyedRequest](t, map[string]any{"cursor": cursor}))
			return p.Items, p.NextCursor, err
		})
	},
	"assimilate": func(ctx context.Context, m memorable, t turn) (any, error) {
		more := map[string]any{"content": t.Args[0], "identifier": t.Args[1]}
		return m.Assimilate(ctx, t.scope, request[trilith.AssimilateRequest](t, more))
	},
	"tell_fact": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.TellFact(ctx, t.scope, request[trilith.TellRequest](t, nil))
	},
	"lookup": func(ctx context.Context, m memorable, t turn) (any, error) {
		who := trilith.Identifier{Type: t.text(0), Value: t.text(1)}
		return m.Lookup(ctx, t.scope, trilith.LookupRequest{Identifier: who})
	},
	"facts": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Facts(ctx, t.scope, request[trilith.FactQuery](t, map[string]any{"query": t.Args[0]}))
	},
	"verify_fact": func(ctx context.Context, m memorable, t turn) (any, error) {
		more := map[string]any{"decision": t.Args[1]}
		return m.VerifyFact(ctx, t.scope, t.id(), request[trilith.VerifyRequest](t, more))
	},
	"neighborhood": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.Neighborhood(ctx, t.scope, t.id(), trilith.NeighborhoodQuery{Hops: 1})
	},
	"update_entity": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.UpdateEntity(ctx, t.scope, t.id(), request[trilith.EntityUpdate](t, nil))
	},
	"sessions": func(ctx context.Context, m memorable, t turn) (any, error) {
		return paged(func(cursor string) ([]trilith.Session, string, error) {
			p, err := m.ListSessions(ctx, t.scope, request[trilith.SessionQuery](t, map[string]any{"cursor": cursor}))
			return p.Items, p.NextCursor, err
		})
	},
	"turns": func(ctx context.Context, m memorable, t turn) (any, error) {
		return paged(func(cursor string) ([]trilith.Memory, string, error) {
			q := request[trilith.SessionQuery](t, map[string]any{"cursor": cursor})
			p, err := m.GetSession(ctx, t.scope, t.text(0), trilith.SessionTurnsQuery{Limit: q.Limit, Cursor: q.Cursor})
			return p.Items, p.NextCursor, err
		})
	},
	"append_items": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.AppendItems(ctx, t.scope, t.text(0), request[trilith.AppendItems](t, map[string]any{"items": t.Args[1]}))
	},
	"session_items": func(ctx context.Context, m memorable, t turn) (any, error) {
		return paged(func(cursor string) ([]trilith.SessionItem, string, error) {
			q := request[trilith.ItemsQuery](t, map[string]any{"cursor": cursor})
			p, err := m.SessionItems(ctx, t.scope, t.text(0), q)
			return p.Items, p.NextCursor, err
		})
	},
	"pop_item": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.PopItem(ctx, t.scope, t.text(0))
	},
	"clear_items": func(ctx context.Context, m memorable, t turn) (any, error) {
		return m.ClearItems(ctx, t.scope, t.text(0))
	},
	"inbox": func(ctx context.Context, m memorable, t turn) (any, error) {
		return paged(func(cursor string) ([]trilith.ReviewItem, string, error) {
			p, err := m.Inbox(ctx, t.scope, request[trilith.InboxQuery](t, map[string]any{"cursor": cursor}))
			return p.Items, p.NextCursor, err
		})
	},
}

// TestConversation: a client of a server and a memory in the process have the conversation with the outcome that the
// file says. The tests of the other clients have it too.
func TestConversation(t *testing.T) {
	t.Parallel()
	opened, err := compose.Open(t.Context(),
		compose.Settings{Store: "mem:", RecallLog: "off", RerankDepth: 1, RerankTimeout: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	server := httptest.NewServer(rest.New(rest.Config{Engine: opened.Engine, Secret: "conversation"}))
	defer server.Close()
	m, err := memory.Open(t.Context(), memory.Options{Store: "mem:"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	t.Run("client", func(t *testing.T) { converse(t, client.New(server.URL, client.WithKey("conversation"))) })
	t.Run("memory", func(t *testing.T) { converse(t, m) })
}

func converse(t *testing.T, m memorable) {
	t.Helper()
	var script struct {
		Scope map[string]any
		Steps []turn
	}
	data, err := os.ReadFile("conversation.yaml")
	if err == nil {
		err = yaml.Unmarshal(data, &script)
	}
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]any{}
	for i, step := range script.Steps {
		name := fmt.Sprintf("step %d: %s", i+1, step.Call)
		step.Args, _ = filled(step.Args, kept).([]any)
		with, _ := filled(step.With, kept).(map[string]any)
		step.With = map[string]any{}
		step.scope = request[trilith.Scope](turn{With: script.Scope}, with)
		for option, value := range with {
			if !isScope(option) {
				step.With[option] = value
			}
		}
		call := calls[step.Call]
		if call == nil {
			t.Fatalf("%s: is no method of this test", name)
		}
		out, err := call(t.Context(), m, step)
		if err != nil || step.Error != "" {
			if got := trilith.KindOf(err).String(); err == nil || got != step.Error {
				t.Errorf("%s: error %v, want the kind %q", name, err, step.Error)
			}
			continue
		}
		outcome := plain(t, out)
		for path, want := range step.Expect {
			if got := at(outcome, path); !meets(got, plain(t, filled(want, kept))) {
				t.Errorf("%s: %s is %v, want %v", name, path, got, want)
			}
		}
		for name, path := range step.Keep {
			kept[name] = at(outcome, path)
		}
	}
}

func isScope(name string) bool {
	for _, f := range (trilith.Scope{}).Fields() {
		if f.Name == name {
			return true
		}
	}
	return false
}

// plain is a value as JSON has it.
func plain(t *testing.T, v any) (out any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// filled puts in what was kept.
func filled(v any, kept map[string]any) any {
	switch v := v.(type) {
	case string:
		if name, ok := strings.CutPrefix(v, "$"); ok {
			return kept[name]
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = filled(v[i], kept)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			out[name] = filled(v[name], kept)
		}
		return out
	}
	return v
}

// at is the value at a path.
func at(v any, path string) any {
	if path == "" {
		return v
	}
	name, rest, _ := strings.Cut(path, ".")
	switch v := v.(type) {
	case map[string]any:
		return at(v[name], rest)
	case []any:
		switch n, err := strconv.Atoi(name); {
		case name == "#":
			return float64(len(v))
		case name == "*":
			out := make([]any, len(v))
			for i := range v {
				out[i] = at(v[i], rest)
			}
			return out
		case err == nil && n < len(v):
			return at(v[n], rest)
		}
	}
	return nil
}

// meets compares a value with what is expected of it.
func meets(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		if part, ok := want["contains"].(string); ok {
			text, _ := got.(string)
			return strings.Contains(text, part)
		}
		if one, ok := want["has"]; ok {
			list, _ := got.([]any)
			for _, v := range list {
				if meets(v, one) {
					return true
				}
			}
			return false
		}
		if want["any"] == true {
			return got != nil
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !meets(list[i], want[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}
