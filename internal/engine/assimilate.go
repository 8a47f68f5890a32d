package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/extract"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// jobExtract is the kind of job that derives facts from episodes. It is written with them: whatever happens afterwards, the
// words are stored and the facts follow.
const jobExtract = "extract"

// extractJob names the episodes and the entity that they are about, and says how they are read.
type extractJob struct {
	Entity   cairn.ID         `json:"entity"`
	Episodes []cairn.ID       `json:"episodes"`
	Mode     cairn.Extraction `json:"mode,omitempty"`
	Profile  string           `json:"profile,omitempty"`
}

// Assimilate stores what was said about an entity and derives facts from it. The entity is found by its identifier, or
// made. Storing the words never fails because deriving or embedding does: the answer waits a while for the facts, and what
// is not done by then follows in the background; see [cairn.AssimilateResult].
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
	mode := cmp.Or(r.Extract, cairn.ExtractAuto)
	derive, err := e.checkExtraction(mode, r.Profile)
	if err != nil {
		return cairn.AssimilateResult{}, err
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
	var how func() (cairn.SourceExtraction, error)
	if derive {
		how = func() (cairn.SourceExtraction, error) { return e.howTo(ctx, s, entity.ID, mode, r.Profile) }
	}
	res, err := e.remember(ctx, s, req, how)
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
	return e.awaitFacts(ctx, s, entity, source)
}

// restingOn returns the facts that rest on a source, by ascending id, in every state.
func (e *Engine) restingOn(ctx context.Context, s cairn.Scope, source cairn.ID) ([]cairn.Memory, error) {
	src, _, err := e.source(ctx, tenantOf(s), source)
	if err != nil {
		return nil, err
	}
	facts, err := e.restingFacts(ctx, s, src.MemoryIDs)
	if err != nil {
		return nil, err
	}
	facts = slices.DeleteFunc(facts, func(m cairn.Memory) bool { return !s.Covers(m.Scope) })
	slices.SortFunc(facts, func(a, b cairn.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if facts == nil {
		facts = []cairn.Memory{}
	}
	return facts, nil
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

// extract does an extractJob by rules: it finds facts in the episodes as they are now and reconciles them with what is
// known. Doing it again changes nothing.
func (e *Engine) extract(ctx context.Context, tenant string, j extractJob) error {
	s := cairn.Scope{Tenant: tenant, Actor: "extract"}
	episodes, subject, err := e.episodesOf(ctx, s, j)
	if err != nil {
		return err
	}
	turns := make([]extract.Turn, len(episodes))
	for i, m := range episodes {
		turns[i] = extract.Turn{Role: m.Role, Speaker: speakerOf(&m, subject), Text: m.Text, At: m.EventTime}
	}
	var all []finding
	for _, f := range extract.Find(turns) {
		m := episodes[f.Turn]
		all = append(all, finding{Found: f, episode: m, proposed: m.Role == cairn.RoleAssistant && f.Certainty != cairn.Stated})
	}
	return e.takeIn(ctx, s, subject, all)
}

// episodesOf reads what a job is to read, without what was forgotten or quarantined since, and whom it is about.
func (e *Engine) episodesOf(ctx context.Context, s cairn.Scope, j extractJob) ([]cairn.Memory, cairn.Entity, error) {
	episodes, err := e.cfg.Store.Get(ctx, s, j.Episodes)
	if err != nil {
		return nil, cairn.Entity{}, err
	}
	episodes = slices.DeleteFunc(episodes, func(m cairn.Memory) bool { return withdrawn(m.State) })
	subject, err := e.entity(ctx, s, j.Entity)
	return episodes, subject, err
}

// speakerOf is who said an episode: the one that the words were stored for, where nobody is named.
func speakerOf(m *cairn.Memory, subject cairn.Entity) string {
	if m.Speaker == "" && m.Role != cairn.RoleAssistant {
		return subject.Name
	}
	return m.Speaker
}

// finding is a fact as rules or a model found it, with what it rests on.
type finding struct {
	extract.Found
	episode  cairn.Memory
	premises []cairn.Premise
	proposed bool          // an offer, or in doubt
	known    *cairn.Memory // the fact that it says something about; nil: a new one
}

// takeIn reconciles findings with what is known of those that they are about.
func (e *Engine) takeIn(ctx context.Context, s cairn.Scope, subject cairn.Entity, all []finding) error {
	byEntity, entities := map[cairn.ID][]reconcile.Assertion{}, map[cairn.ID]cairn.Entity{}
	var order []cairn.ID
	for _, f := range all {
		about, ok, err := e.about(ctx, s, subject, f.episode, f.Found)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if _, known := entities[about.ID]; !known {
			order, entities[about.ID] = append(order, about.ID), about
		}
		a, err := e.assertion(ctx, s, about, f)
		if err != nil {
			return err
		}
		byEntity[about.ID] = append(byEntity[about.ID], a)
	}
	for _, id := range order {
		as, err := e.unjudged(ctx, s, entities[id], byEntity[id])
		if err != nil {
			return err
		}
		if _, _, err := e.revise(ctx, s, id, func(f *reconcile.Facts) {
			for _, a := range as {
				f.Apply(a)
			}
		}); err != nil {
			return err
		}
	}
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
func (e *Engine) assertion(ctx context.Context, s cairn.Scope, about cairn.Entity, f finding) (reconcile.Assertion, error) {
	m, node := f.episode, f.Node
	if f.known != nil && f.known.Fact.EntityID == about.ID {
		node = f.known.Fact.Node
	}
	if node.Type == "Person" && node.Name != "" {
		named, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: node.Name})
		if err != nil {
			return reconcile.Assertion{}, err
		}
		node.EntityRef = named.ID
	}
	fact := &cairn.Fact{EntityID: about.ID, Verb: f.Verb, FactID: node.ID(), Node: node, Type: f.Type, Content: f.Content,
		Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence, AuthorRole: m.Role,
		Evidence: []cairn.Evidence{{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End, Premises: f.premises, Proposed: f.proposed}},
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.Deadline, Financial: f.Financial,
		Rule: f.Rule, SingleValued: f.Single}
	fact.RelationshipKey = fact.Key()
	since := m.EventTime
	if f.From != nil && f.From.Before(since) {
		since = cairn.Time(*f.From)
	}
	out := cairn.Memory{ID: cairn.FactMemoryID(about.ID, f.Verb, fact.FactID), Version: 1, Kind: cairn.KindFact,
		Text: f.Summary, Scope: m.Scope, Role: m.Role, Speaker: m.Speaker, SourceID: m.SourceID, EventTime: since,
		RecordedAt: e.now(), ValidUntil: f.Until, State: cairn.StateActive, Trust: m.Trust, Fact: fact}
	return reconcile.Assertion{Memory: out, Ends: f.Ends}, nil
}
