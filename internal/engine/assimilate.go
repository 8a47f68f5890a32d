package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/extract"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// jobExtract is the kind of job that derives facts from episodes. It is written with them: whatever happens afterwards, the
// words are stored and the facts follow.
const jobExtract = "extract"

// extractJob names the episodes and the entity that they are about: that which its identifier named, whatever it was merged
// into before or since.
type extractJob struct {
	Entity   cairn.ID   `json:"entity"`
	Episodes []cairn.ID `json:"episodes"`
}

// assimilateWait is how long Assimilate waits until its facts are in the indexes; they are stored all the same.
const assimilateWait = 30 * time.Second

// Assimilate stores what was said about an entity and derives facts from it. The entity is found by its identifier, or
// made. Storing the words never fails because deriving does: then the facts follow in the background and the answer holds
// those that are there.
func (e *Engine) Assimilate(ctx context.Context, s cairn.Scope, r cairn.AssimilateRequest) (cairn.AssimilateResult, error) {
	if err := checkScope(s); err != nil {
		return cairn.AssimilateResult{}, err
	}
	if err := checkIdentifier(r.Identifier); err != nil {
		return cairn.AssimilateResult{}, err
	}
	if r.Content == "" {
		return cairn.AssimilateResult{}, cairn.Errorf(cairn.Invalid, "content: is empty")
	}
	entity, err := e.makeEntity(ctx, s, r.Identifier)
	if err != nil {
		return cairn.AssimilateResult{}, err
	}
	if r.Speaker == "" && r.Role != cairn.RoleAssistant && r.Identifier.Type == "name" {
		r.Speaker = entity.Name
	}
	req := cairn.RememberRequest{Text: r.Content, Role: r.Role, Speaker: r.Speaker, Timestamp: r.Timestamp,
		ExternalID: r.ExternalID, RequestKey: r.RequestKey}
	res, err := e.remember(ctx, s, req, func(ms []cairn.Memory) ([]cairn.Job, error) { return e.extraction(entity.of, ms), nil })
	if err != nil {
		return cairn.AssimilateResult{}, err
	}
	source := res.SourceID
	if source == "" && r.ExternalID != "" { // said before: the facts are those of then
		if source, err = e.sourceOf(ctx, s, r.ExternalID); err != nil {
			return cairn.AssimilateResult{}, err
		}
	}
	if source == "" {
		return cairn.AssimilateResult{}, refused(res)
	}
	wait, cancel := context.WithTimeout(ctx, assimilateWait)
	defer cancel()
	if err = e.Work(wait); err == nil {
		err = e.Settle(wait)
	}
	if ctx.Err() != nil {
		return cairn.AssimilateResult{}, ctx.Err()
	}
	if err != nil {
		e.cfg.Logger.Warn("assimilate: the words are stored, their facts follow in the background", "source", source, "error", err)
	}
	out := cairn.AssimilateResult{Entity: entity.Entity, SourceID: source}
	if now, _, err := e.follow(ctx, s, entity.ID); err == nil { // it may have been merged since
		out.Entity = now
	}
	out.Facts, err = e.restingOn(ctx, s, out.Entity.ID, source)
	return out, err
}

// restingOn returns the facts that rest on a source, by ascending id: those of the entity, and those that the source was
// the first to state of others.
func (e *Engine) restingOn(ctx context.Context, s cairn.Scope, entity, source cairn.ID) ([]cairn.Memory, error) {
	src, _, err := e.source(ctx, tenantOf(s), source)
	if err != nil {
		return nil, err
	}
	out := []cairn.Memory{}
	for _, field := range []cairn.Filter{cairn.Where("entity_id", cairn.OpEq, entity), cairn.Where("source_id", cairn.OpEq, source)} {
		filter := cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindFact), field)
		for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: filter}) {
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(m.Fact.Evidence, func(ev cairn.Evidence) bool { return slices.Contains(src.MemoryIDs, ev.EpisodeID) }) {
				out = append(out, m)
			}
		}
	}
	slices.SortFunc(out, func(a, b cairn.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return slices.CompactFunc(out, func(a, b cairn.Memory) bool { return a.ID == b.ID }), nil
}

// refused is why nothing of an assimilation was stored.
func refused(res cairn.RememberResult) error {
	for _, r := range res.Rejected {
		return cairn.Errorf(cairn.Invalid, "content: refused (%s) %s", r.Reason, r.Detail)
	}
	return cairn.Errorf(cairn.Invalid, "content: nothing was stored")
}

// sourceOf returns the source of the memory with an external id; empty if there is none.
func (e *Engine) sourceOf(ctx context.Context, s cairn.Scope, external string) (cairn.ID, error) {
	key := externalKey(scopeText(s), external)
	owners, err := e.cfg.Store.Find(ctx, tenantOf(s), []cairn.Key{key})
	if err != nil || owners[key] == "" {
		return "", err
	}
	m, err := e.get(ctx, s, owners[key])
	return m.SourceID, err
}

// extraction makes the job that derives facts from memories; none from what is quarantined.
func (e *Engine) extraction(entity cairn.ID, ms []cairn.Memory) []cairn.Job {
	j := extractJob{Entity: entity}
	for _, m := range ms {
		if m.State == cairn.StateActive {
			j.Episodes = append(j.Episodes, m.ID)
		}
	}
	payload, err := json.Marshal(j)
	if err != nil || len(j.Episodes) == 0 {
		return nil
	}
	now := e.now()
	return []cairn.Job{{ID: cairn.NewID(now), Kind: jobExtract, Payload: payload, State: cairn.JobReady, RunAt: now, CreatedAt: now, UpdatedAt: now}}
}

// extract does an extractJob: it finds facts in the episodes as they are now and reconciles them with what is known.
// Doing it again changes nothing.
func (e *Engine) extract(ctx context.Context, tenant string, j extractJob) error {
	s := cairn.Scope{Tenant: tenant, Actor: "extract"}
	episodes, err := e.cfg.Store.Get(ctx, s, j.Episodes)
	if err != nil {
		return err
	}
	v, _, err := e.follow(ctx, s, j.Entity)
	if cairn.KindOf(err) == cairn.NotFound && err != nil {
		return nil // it was erased
	}
	if err != nil {
		return err
	}
	subject := party{v, j.Entity}
	turns := make([]extract.Turn, len(episodes))
	for i, m := range episodes {
		turns[i] = extract.Turn{Role: m.Role, Speaker: m.Speaker, Text: m.Text, At: m.EventTime}
		if m.Speaker == "" && m.Role != cairn.RoleAssistant {
			turns[i].Speaker = subject.Name
		}
	}
	found := extract.Find(turns)
	byEntity := map[cairn.ID][]reconcile.Assertion{}
	var order []cairn.ID
	for _, f := range found {
		about, ok, err := e.about(ctx, s, subject, episodes[f.Turn], f)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if _, known := byEntity[about.of]; !known {
			order = append(order, about.of)
		}
		a, err := e.assertion(ctx, s, episodes[f.Turn], f)
		if err != nil {
			return err
		}
		byEntity[about.of] = append(byEntity[about.of], a)
	}
	for _, id := range order {
		if err := e.settleFacts(ctx, s, id, byEntity[id]); err != nil {
			return err
		}
	}
	e.index.Notify()
	return nil
}

// subject returns the entity that a scope's words are about where no speaker is named: its user, else its project, else
// its session.
func (e *Engine) subject(ctx context.Context, s cairn.Scope) (party, error) {
	for _, id := range []cairn.Identifier{{Type: "user_id", Value: s.User}, {Type: "project", Value: s.Project}, {Type: "session", Value: s.Session}} {
		if id.Value != "" {
			return e.makeEntity(ctx, s, id)
		}
	}
	return party{}, cairn.Errorf(cairn.Invalid, "extract: needs a scope that says whom the facts are about; set user, project or session")
}

// about returns the entity that a found fact is about: the one that the words were stored for where it speaks itself or the
// matter at hand is meant, else the person who speaks or is named. What an assistant says of itself is nobody's fact.
func (e *Engine) about(ctx context.Context, s cairn.Scope, subject party, m cairn.Memory, f extract.Found) (party, bool, error) {
	switch {
	case f.Subject == extract.PersonSubject && f.Name != "" && !sameName(&subject.Entity, f.Name):
		v, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: f.Name})
		return v, err == nil, err
	case f.Subject == extract.SpeakerSubject && m.Role == cairn.RoleAssistant:
		return subject, false, nil
	case f.Subject == extract.SpeakerSubject && m.Speaker != "" && !sameName(&subject.Entity, m.Speaker):
		v, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: m.Speaker})
		return v, err == nil, err
	}
	return subject, true, nil
}

// assertion makes the memory of a found fact, but for the entity that it is about; see [of].
func (e *Engine) assertion(ctx context.Context, s cairn.Scope, m cairn.Memory, f extract.Found) (reconcile.Assertion, error) {
	node := f.Node
	if node.Type == "Person" && node.Name != "" {
		named, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: node.Name})
		if err != nil {
			return reconcile.Assertion{}, err
		}
		node.EntityRef = named.of
	}
	fact := &cairn.Fact{Verb: f.Verb, FactID: node.ID(), Node: node, Type: f.Type, Content: f.Content,
		Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence, AuthorRole: m.Role,
		Evidence: []cairn.Evidence{{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End}},
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.Deadline, Financial: f.Financial,
		Verification: cairn.Verification{Status: cairn.Verified}, Rule: f.Rule}
	state := cairn.StateActive
	if m.Role == cairn.RoleAssistant { // it may be right; a person says so
		fact.Verification.Status = cairn.PendingApproval
		if f.Certainty != cairn.Stated {
			state = cairn.StateCandidate
		}
	}
	since := m.EventTime
	if f.From != nil && f.From.Before(since) {
		since = cairn.Time(*f.From)
	}
	out := cairn.Memory{Version: 1, Kind: cairn.KindFact,
		Text: f.Summary, Scope: m.Scope, Role: m.Role, Speaker: m.Speaker, SourceID: m.SourceID, EventTime: since,
		RecordedAt: e.now(), ValidUntil: f.Until, State: state, Trust: m.Trust, Fact: fact}
	return reconcile.Assertion{Memory: out, Single: f.Single, Ends: f.Ends}, nil
}

// of returns an assertion as one of an entity. It is said of the entity itself or of one that was merged into it.
func of(a reconcile.Assertion, v cairn.ID, said cairn.ID) reconcile.Assertion {
	fact := *a.Memory.Fact
	fact.EntityID = v
	fact.RelationshipKey = fact.Key()
	if said != v {
		fact.Evidence = slices.Clone(fact.Evidence)
		for i := range fact.Evidence {
			fact.Evidence[i].EntityID = said
		}
	}
	a.Memory.ID, a.Memory.Fact = cairn.FactMemoryID(v, fact.Verb, fact.FactID), &fact
	return a
}

// settleFacts reconciles assertions about one entity with what is known of it, in one commit. They become facts of the one
// that answers for the entity by then. Its record is put with them, and so are those of the entities that the facts name: of
// two that change the facts of an entity, merge it or split it at the same time, the second begins again and sees what the
// first did.
func (e *Engine) settleFacts(ctx context.Context, s cairn.Scope, said cairn.ID, assertions []reconcile.Assertion) error {
	return retry(ctx, func() (bool, error) {
		v, way, err := e.follow(ctx, s, said)
		if err != nil {
			if cairn.KindOf(err) == cairn.NotFound {
				err = nil // it was erased, and so is what is said of it
			}
			return false, err
		}
		known, err := e.factsOf(ctx, s, v.ID)
		if err != nil {
			return false, err
		}
		var b cairn.Batch
		facts := reconcile.New(known, e.now(), wordingOf(s.Tenant))
		for _, a := range assertions {
			a = of(a, v.ID, said)
			if err := e.refer(ctx, s, &b, a.Memory.Fact); err != nil {
				return false, err
			}
			facts.Apply(a)
		}
		changed := facts.Changed()
		if len(changed) == 0 {
			return false, nil
		}
		expectFacts(&b, known, changed, nil)
		if len(b.Memories) > cairn.MaxBatch {
			return false, errors.New("too many facts change at once")
		}
		if err := touchEntity(&b, v); err != nil {
			return false, err
		}
		if err := e.meet(ctx, s, &b, way, known, changed); err != nil {
			return false, err
		}
		b.Audit = e.audit(s, "facts", v.ID, map[string]string{"changed": strconv.Itoa(len(changed))})
		_, err = e.cfg.Store.Commit(ctx, tenantOf(s), b)
		return true, err
	})
}

// refer lets a fact's node name the entity that answers for the one it names, and sees to it that it still does when the
// fact is stored.
func (e *Engine) refer(ctx context.Context, s cairn.Scope, b *cairn.Batch, f *cairn.Fact) error {
	if f.Node.EntityRef == "" {
		return nil
	}
	v, _, err := e.follow(ctx, s, f.Node.EntityRef)
	if err != nil {
		if cairn.KindOf(err) == cairn.NotFound {
			f.Node.EntityRef, err = "", nil
		}
		return err
	}
	f.Node.EntityRef = v.ID
	return touchEntity(b, v)
}

// wordingOf names former periods of facts.
func wordingOf(tenant string) func(cairn.Memory) cairn.ID {
	return func(m cairn.Memory) cairn.ID { return wordingID(tenant, m.ID, m.Version) }
}

// expectFacts adds facts to a batch as they are to be, on condition that they, and those that go, are as they were known.
func expectFacts(b *cairn.Batch, known, put []cairn.Memory, gone []cairn.ID) {
	versions := make(map[cairn.ID]int64, len(known))
	for i := range known {
		versions[known[i].ID] = known[i].Version
	}
	for _, m := range put {
		b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: versions[m.ID]})
		b.Memories = append(b.Memories, m)
	}
	for _, id := range gone {
		b.Expect = append(b.Expect, cairn.Expect{ID: id, Version: versions[id]})
		b.Delete = append(b.Delete, cairn.Ref{ID: id})
	}
}

// factsOf reads all facts of an entity, in every state.
func (e *Engine) factsOf(ctx context.Context, s cairn.Scope, entity cairn.ID) ([]cairn.Memory, error) {
	return e.factsWhere(ctx, s, cairn.Where("entity_id", cairn.OpEq, entity))
}

// factsNaming reads all facts whose node names an entity, in every state.
func (e *Engine) factsNaming(ctx context.Context, s cairn.Scope, entity cairn.ID) ([]cairn.Memory, error) {
	return e.factsWhere(ctx, s, cairn.Where("entity_ref", cairn.OpEq, entity))
}

func (e *Engine) factsWhere(ctx context.Context, s cairn.Scope, f cairn.Filter) ([]cairn.Memory, error) {
	var out []cairn.Memory
	filter := cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindFact), f)
	for m, err := range e.cfg.Store.List(ctx, tenantOf(s), cairn.Listing{Filter: filter}) {
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
