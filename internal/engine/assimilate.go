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

// extractJob names the episodes and the entity that they are about.
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
	res, err := e.remember(ctx, s, req, func(ms []cairn.Memory) ([]cairn.Job, error) { return e.extraction(entity.ID, ms), nil })
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
	out := cairn.AssimilateResult{Entity: entity, SourceID: source}
	out.Facts, err = e.restingOn(ctx, s, entity.ID, source)
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
	subject, err := e.entity(ctx, s, j.Entity)
	if err != nil {
		return err
	}
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
		if _, known := byEntity[about.ID]; !known {
			order = append(order, about.ID)
		}
		a, err := e.assertion(ctx, s, about, episodes[f.Turn], f)
		if err != nil {
			return err
		}
		byEntity[about.ID] = append(byEntity[about.ID], a)
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
func (e *Engine) subject(ctx context.Context, s cairn.Scope) (cairn.Entity, error) {
	for _, id := range []cairn.Identifier{{Type: "user_id", Value: s.User}, {Type: "project", Value: s.Project}, {Type: "session", Value: s.Session}} {
		if id.Value != "" {
			return e.makeEntity(ctx, s, id)
		}
	}
	return cairn.Entity{}, cairn.Errorf(cairn.Invalid, "extract: needs a scope that says whom the facts are about; set user, project or session")
}

// about returns the entity that a found fact is about: the one that the words were stored for where it speaks itself or the
// matter at hand is meant, else the person who speaks or is named. What an assistant says of itself is nobody's fact.
func (e *Engine) about(ctx context.Context, s cairn.Scope, subject cairn.Entity, m cairn.Memory, f extract.Found) (cairn.Entity, bool, error) {
	switch {
	case f.Subject == extract.PersonSubject && f.Name != "" && !sameName(subject, f.Name):
		v, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: f.Name})
		return v, err == nil, err
	case f.Subject == extract.SpeakerSubject && m.Role == cairn.RoleAssistant:
		return subject, false, nil
	case f.Subject == extract.SpeakerSubject && m.Speaker != "" && !sameName(subject, m.Speaker):
		v, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: m.Speaker})
		return v, err == nil, err
	}
	return subject, true, nil
}

// assertion makes the memory of a found fact.
func (e *Engine) assertion(ctx context.Context, s cairn.Scope, about cairn.Entity, m cairn.Memory, f extract.Found) (reconcile.Assertion, error) {
	node := f.Node
	if node.Type == "Person" && node.Name != "" {
		named, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: node.Name})
		if err != nil {
			return reconcile.Assertion{}, err
		}
		node.EntityRef = named.ID
	}
	fact := &cairn.Fact{EntityID: about.ID, Verb: f.Verb, FactID: node.ID(), Node: node, Type: f.Type, Content: f.Content,
		Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence, AuthorRole: m.Role,
		Evidence: []cairn.Evidence{{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End}},
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.Deadline, Financial: f.Financial,
		Verification: cairn.Verification{Status: cairn.Verified}, Rule: f.Rule}
	fact.RelationshipKey = fact.Key()
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
	out := cairn.Memory{ID: cairn.FactMemoryID(about.ID, f.Verb, fact.FactID), Version: 1, Kind: cairn.KindFact,
		Text: f.Summary, Scope: m.Scope, Role: m.Role, Speaker: m.Speaker, SourceID: m.SourceID, EventTime: since,
		RecordedAt: e.now(), ValidUntil: f.Until, State: state, Trust: m.Trust, Fact: fact}
	return reconcile.Assertion{Memory: out, Single: f.Single, Ends: f.Ends}, nil
}

// settleFacts reconciles assertions about one entity with what is known of it, in one commit. The entity's record is put
// with them: of two that reconcile the same entity at the same time, the second begins again and sees what the first did.
func (e *Engine) settleFacts(ctx context.Context, s cairn.Scope, entity cairn.ID, assertions []reconcile.Assertion) error {
	return retry(ctx, func() (bool, error) {
		rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordEntity, IDs: []cairn.ID{entity}})
		if err != nil {
			return false, err
		}
		known, err := e.factsOf(ctx, s, entity)
		if err != nil {
			return false, err
		}
		facts := reconcile.New(known, e.now(), func(m cairn.Memory) cairn.ID { return wordingID(s.Tenant, m.ID, m.Version) })
		for _, a := range assertions {
			facts.Apply(a)
		}
		changed := facts.Changed()
		if len(changed) == 0 || len(rs) == 0 {
			return false, nil
		}
		b := cairn.Batch{Expect: []cairn.Expect{{Kind: cairn.RecordEntity, ID: entity, Version: rs[0].Version}}, Records: rs}
		for _, m := range changed {
			at := slices.IndexFunc(known, func(k cairn.Memory) bool { return k.ID == m.ID })
			var version int64
			if at >= 0 {
				version = known[at].Version
			}
			b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: version})
			b.Memories = append(b.Memories, m)
		}
		if len(b.Memories) > cairn.MaxBatch {
			return false, errors.New("too many facts change at once")
		}
		b.Audit = e.audit(s, "facts", entity, map[string]string{"changed": strconv.Itoa(len(changed))})
		_, err = e.cfg.Store.Commit(ctx, tenantOf(s), b)
		return true, err
	})
}

// factsOf reads all facts of an entity, in every state.
func (e *Engine) factsOf(ctx context.Context, s cairn.Scope, entity cairn.ID) ([]cairn.Memory, error) {
	return e.factsIn(ctx, tenantOf(s), entity)
}

// factsIn reads the facts of an entity that the scope covers, in some states or in every one.
func (e *Engine) factsIn(ctx context.Context, s cairn.Scope, entity cairn.ID, states ...cairn.State) ([]cairn.Memory, error) {
	out := []cairn.Memory{}
	filter := cairn.AllOf(cairn.Where("kind", cairn.OpEq, cairn.KindFact), cairn.Where("entity_id", cairn.OpEq, entity))
	if len(states) > 0 {
		filter = cairn.AllOf(filter, cairn.Where("state", cairn.OpIn, states))
	}
	for m, err := range e.cfg.Store.List(ctx, s, cairn.Listing{Filter: filter}) {
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
