package transfer

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/store/qdrantapi"
)

// Qdrant is the format of collections that other applications made on a Qdrant server; [OpenQdrant] reads it. Two
// layouts are known: points of facts (fact_id, verb, entity_id) along with windows of conversations, and exchanges
// (user_message, assistant_message) with keyed summaries and facts (content, key).
const Qdrant = "qdrant"

// qdrantCollections are the collections that are tried if none is named.
var qdrantCollections = []string{"agent_memory", "conversations", "knowledge"}

const qdrantPage = 256 // points that are fetched at once, where the server does not allow fewer only

// undated is the time of items without one. It is constant, so that importing again changes nothing.
var undated = time.Unix(0, 0).UTC()

// QdrantOptions select the points to read.
type QdrantOptions struct {
	// URL is http://HOST:6333?collection=NAME&tenant=NAME, or qdrant:// likewise. The parameter collection may be
	// repeated.
	URL string
	Key string // API key; empty: none
}

// QdrantSource is collections of another application, opened only for reading. Size and Position are safe for
// concurrent use; everything else is for one caller.
type QdrantSource struct {
	o           QdrantOptions
	client      *qdrantapi.Client
	name        string
	tenant      string
	collections []string
	own         []string // those that trilith made, which are left out
	page        int      // points that are fetched at once
	points      int64
	read        atomic.Int64
}

// IsQdrant reports whether a path is the address of a Qdrant server.
func IsQdrant(path string) bool {
	for _, scheme := range []string{"qdrant://", "http://", "https://"} {
		if strings.HasPrefix(path, scheme) {
			return true
		}
	}
	return false
}

// OpenQdrant finds the collections. It writes nothing. If a collection has several tenants, the URL has to name one of
// them, because their data must not be mixed.
func OpenQdrant(ctx context.Context, o QdrantOptions) (*QdrantSource, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, trilith.Errorf(trilith.Invalid, "path: write http://HOST:6333?collection=NAME; the key comes from QDRANT_API_KEY")
	}
	query := u.Query()
	for name := range query {
		if name != "collection" && name != "tenant" {
			return nil, trilith.Errorf(trilith.Invalid, "path: has no parameter %.32q; use collection and tenant", name)
		}
	}
	u.RawQuery = ""
	if u.Scheme == "qdrant" {
		u.Scheme = "http"
	}
	q := &QdrantSource{o: o, name: u.String(), page: qdrantPage, tenant: query.Get("tenant")}
	// A caller that writes http:// has decided that the way is safe.
	q.client, err = qdrantapi.New(qdrantapi.Options{Addresses: []string{u.String()}, Key: o.Key, PlainHTTP: true})
	if err != nil {
		return nil, err
	}
	names, named := query["collection"], query.Has("collection")
	if !named {
		names = qdrantCollections
	}
	for _, name := range names {
		if err := q.add(ctx, name, named); err != nil {
			return nil, err
		}
	}
	switch {
	case len(q.collections) == 0 && len(q.own) > 0:
		return nil, trilith.Errorf(trilith.Invalid, "path: the collection %.64q was made by trilith from a store; copy that store with: trilith migrate",
			q.own[0])
	case len(q.collections) == 0:
		return nil, trilith.Errorf(trilith.NotFound, "path: none of the collections %s is at %s; name one with ?collection=NAME",
			strings.Join(qdrantCollections, ", "), q.name)
	}
	return q, q.oneTenant(ctx)
}

// add takes a collection, which has to be there if it was named.
func (q *QdrantSource) add(ctx context.Context, name string, named bool) error {
	info, ok, err := q.client.Collection(ctx, name)
	switch {
	case err != nil:
		return err
	case !ok && named:
		return trilith.Errorf(trilith.NotFound, "path: there is no collection %.64q at %s", name, q.name)
	case !ok:
		return nil
	case info.Config.Metadata["trilith"] != nil:
		q.own = append(q.own, name)
		return nil
	}
	if s := info.Config.Strict; s != nil && s.Enabled && s.MaxQueryLimit != nil {
		q.page = max(1, min(q.page, *s.MaxQueryLimit))
	}
	q.collections = append(q.collections, name)
	n, err := q.client.Count(ctx, name, q.filter())
	q.points += int64(n)
	return err
}

// filter selects the points of the tenant; nil for all.
func (q *QdrantSource) filter() map[string]any {
	if q.tenant == "" {
		return nil
	}
	return map[string]any{"must": []any{map[string]any{"key": "tenant_id", "match": map[string]any{"value": q.tenant}}}}
}

// oneTenant returns an error if the collections have several tenants.
func (q *QdrantSource) oneTenant(ctx context.Context) error {
	if q.tenant != "" {
		return nil
	}
	tenants := map[string]bool{}
	for _, collection := range q.collections {
		body := map[string]any{"limit": q.page, "with_payload": []string{"tenant_id"}, "with_vector": false}
		if err := q.client.Scroll(ctx, collection, "", body, func(ps []qdrantapi.Point) error {
			for _, p := range ps {
				tenants[text(p.Payload, "tenant_id")] = true
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if len(tenants) < 2 {
		return nil
	}
	names := slices.Sorted(maps.Keys(tenants))
	return trilith.Errorf(trilith.Invalid, "path: the collections hold %d tenants, such as %q; import one at a time with &tenant=NAME, "+
		"each into a tenant of its own (--tenant)", len(names), names[:min(5, len(names))])
}

// Name returns the location of the collections, without secrets.
func (q *QdrantSource) Name() string { return q.name }

// Size returns the number of points.
func (q *QdrantSource) Size() int64 { return q.points }

// Position returns the number of points read so far.
func (q *QdrantSource) Position() int64 { return q.read.Load() }

// Close ends the connection.
func (q *QdrantSource) Close() { q.client.Close() }

// Items yields the points of one collection after the other. Of texts with the same key the latest counts, as it did
// there.
func (q *QdrantSource) Items(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for _, name := range q.own {
			if !yield(Item{Path: q.name, Omitted: map[string]int{"the collection " + name + ", which trilith made: see trilith migrate": 1}}, nil) {
				return
			}
		}
		for _, collection := range q.collections {
			r := qdrantReader{q: q, collection: collection, keyed: map[string]keyed{}, yield: yield}
			err := r.run(ctx)
			if err == nil && !r.ended {
				r.flush()
			}
			if r.ended || err != nil && !yield(Item{}, err) || err != nil {
				return
			}
		}
	}
}

// keyed is the latest text with a key.
type keyed struct {
	item Item
	at   time.Time
}

// qdrantReader reads one collection.
type qdrantReader struct {
	q          *QdrantSource
	collection string
	line       int
	keyed      map[string]keyed
	older      int // texts that a later one of their key replaced
	yield      func(Item, error) bool
	ended      bool // the caller wants no more
}

var errEnough = trilith.Errorf(trilith.Canceled, "enough was read")

func (r *qdrantReader) run(ctx context.Context) error {
	body := map[string]any{"limit": r.q.page, "filter": r.q.filter(), "with_payload": true, "with_vector": false}
	err := r.q.client.Scroll(ctx, r.collection, "", body, func(ps []qdrantapi.Point) error {
		for i := range ps {
			r.line++
			r.q.read.Add(1)
			if r.point(&ps[i]); r.ended {
				return errEnough
			}
		}
		return nil
	})
	if r.ended {
		return nil
	}
	return err
}

// send yields an item of the current point.
func (r *qdrantReader) send(item Item) {
	item.Path, item.Line = r.q.name+"/"+r.collection, r.line
	r.ended = !r.yield(item, nil)
}

// bad tells of a point that cannot be taken.
func (r *qdrantReader) bad(id qdrantapi.PointID, why string) {
	r.ended = !r.yield(Item{}, &LineError{Path: r.q.name + "/" + r.collection, Line: r.line,
		Err: trilith.Errorf(trilith.Invalid, "point %.40s: %s", id, why)})
}

// flush yields the texts that were held back in case a later one with the same key followed.
func (r *qdrantReader) flush() {
	for _, key := range slices.Sorted(maps.Keys(r.keyed)) {
		if r.send(r.keyed[key].item); r.ended {
			return
		}
	}
	if r.older > 0 {
		r.send(Item{Omitted: map[string]int{"texts whose key has a later one": r.older}})
	}
}

// point takes a point by the content of its payload.
func (r *qdrantReader) point(p *qdrantapi.Point) {
	has := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(k string) bool { return text(p.Payload, k) == "" })
	}
	switch {
	case has("user_message") || has("assistant_message"):
		r.exchange(p)
	case has("entity_id", "verb", "fact_id"):
		r.fact(p)
	case has("content") || has("text"):
		r.note(p)
	case text(p.Payload, "type") == "episodic":
		r.send(Item{Omitted: map[string]int{"windows of conversations without a text": 1}})
	default:
		r.bad(p.ID, "its payload is none of the layouts that are known")
	}
}

// exchange makes two turns of a message and its answer. They form a session, so that either is found with the other.
func (r *qdrantReader) exchange(p *qdrantapi.Point) {
	said, answered, at := text(p.Payload, "user_message"), text(p.Payload, "assistant_message"), when(p.Payload)
	channel := text(p.Payload, "channel")
	id := contentID(Qdrant, channel, string(at), said, answered) // ids of points are random
	about := rest(p.Payload, "user_message", "assistant_message", "role", "timestamp", "created_at", "channel", "tenant_id")
	req := &trilith.RememberRequest{Imported: true}
	for _, turn := range []struct {
		role    trilith.Role
		content string
	}{{trilith.RoleUser, said}, {trilith.RoleAssistant, answered}} {
		if strings.TrimSpace(turn.content) != "" {
			req.Messages = append(req.Messages, trilith.Message{ExternalID: id + "/" + string(turn.role), Role: turn.role,
				Content: turn.content, Timestamp: string(at), Metadata: about})
		}
	}
	r.send(Item{Scope: trilith.Scope{Session: scopeValue("exchange " + id), Channel: scopeValue(channel)}, Request: req})
}

// note makes a note of a text. One with a key becomes the entry of that key, which can be written again.
func (r *qdrantReader) note(p *qdrantapi.Point) {
	content, key := cmp.Or(text(p.Payload, "content"), text(p.Payload, "text")), text(p.Payload, "key")
	at := when(p.Payload)
	kind, channel := text(p.Payload, "type"), text(p.Payload, "channel")
	item := Item{Request: &trilith.RememberRequest{Timestamp: string(at), Imported: true,
		Metadata: rest(p.Payload, "content", "text", "type", "timestamp", "created_at", "tenant_id")}}
	if key == "" {
		delete(item.Request.Metadata, "channel")
		item.Scope.Channel = scopeValue(channel)
		item.Request.Note = &trilith.Note{Type: clip(cmp.Or(kind, Qdrant)), Content: content}
		item.Request.ExternalID = contentID(Qdrant, kind, channel, string(at), content)
		r.send(item)
		return
	}
	item.Request.Entry = &trilith.Entry{Category: clip(cmp.Or(kind, "fact")), Title: clip(key), Content: content}
	item.Request.ExternalID = externalID(key)
	held, known := r.keyed[key]
	now := stampTime(at)
	if known {
		r.older++
	}
	if !known || !now.Before(held.at) {
		r.keyed[key] = keyed{item, now}
	}
}

// factText are the keys that may contain a fact's text; often there is only the vector.
var factText = []string{"text", "content", "summary", "fact_summary", "description"}

// fact makes a fact of the entity that the payload names, with its verb and node. Its text is that of the payload, else
// made of the three.
func (r *qdrantReader) fact(p *qdrantapi.Point) {
	id := r.collection + "/" + string(p.ID)
	if len(id) > trilith.MaxForeignName {
		id = string(trilith.DeriveID("qdrant point", id))
	}
	value := func(keys ...string) (v string) {
		for _, key := range keys {
			v = cmp.Or(v, text(p.Payload, key))
		}
		return v
	}
	ref := trilith.ForeignRef{Name: id, Entity: value("entity_id"), Verb: value("verb"), Scope: trilith.Scope{
		User: scopeValue(value("user", "user_id")), Project: scopeValue(value("project", "project_id")),
		Session: scopeValue(value("session", "session_id"))}}
	kind, name, ok := strings.Cut(value("fact_id"), ":") // Type:Name
	if !ok {
		kind, name = "Value", kind
	}
	ref.Node = trilith.Node{Type: kind, Name: name}
	said := cmp.Or(value(factText...), strings.Join(strings.Fields(ref.Entity+" "+strings.ReplaceAll(ref.Verb, "_", " ")+
		" "+kind+": "+name), " "))
	at := stampTime(when(p.Payload))
	if at.IsZero() {
		at = undated
	}
	r.send(Item{Scope: ref.Scope, Fact: &trilith.ForeignFact{Ref: ref,
		Memory: trilith.Memory{Text: said, EventTime: at, RecordedAt: at, Version: 1, State: trilith.StateActive,
			Trust: trilith.TrustImported, Metadata: rest(p.Payload, append(slices.Clone(factText), "f")...),
			Fact: &trilith.Fact{Type: trilith.FactOther, Priority: trilith.PriorityNormal,
				Verification: trilith.Verification{Status: trilith.PendingApproval}}}}})
}

// text returns a payload value that is a text, or "".
func text(payload map[string]any, key string) string {
	s, _ := payload[key].(string)
	return s
}

// when returns the time of a point.
func when(payload map[string]any) stamp {
	return stampOf(payload["timestamp"]).or(stampOf(payload["created_at"]))
}

// rest returns the payload without the fields that have an equivalent; nil if nothing is left. It drops invalid
// metadata.
func rest(payload map[string]any, without ...string) map[string]any {
	left := maps.Clone(payload)
	maps.DeleteFunc(left, func(key string, v any) bool { return v == nil || slices.Contains(without, key) })
	kept, err := others(left)
	if err != nil || len(kept) == 0 {
		return nil
	}
	return kept
}
