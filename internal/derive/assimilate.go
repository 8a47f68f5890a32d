package derive

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/entities"
	"github.com/cairn-memory/cairn/internal/extract"
	"github.com/cairn-memory/cairn/internal/facts"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/reconcile"
	"github.com/cairn-memory/cairn/internal/truth"
)

// JobExtract is the kind of job that derives facts from episodes. It is committed with them, so the words are stored
// and the facts follow in any case.
const JobExtract = "extract"

// ExtractJob names the episodes and their entity, and says how they are read. The entity is the one that was meant,
// whatever merges there were.
type ExtractJob struct {
	Entity   cairn.ID         `json:"entity"`
	Episodes []cairn.ID       `json:"episodes"`
	Mode     cairn.Extraction `json:"mode,omitempty"`
	Profile  string           `json:"profile,omitempty"`
	ByRole   bool             `json:"by_role,omitempty"` // the speaker's role may select another profile, in
	Phase    string           `json:"phase,omitempty"`   // this phase of the project
	// Fixed says which owners the facts may have, beside what their scopes say.
	cairn.Fixed
}

// Fix adds to the scopes of episodes what their caller is bound to, which memories do not store.
func (j ExtractJob) Fix(episodes []cairn.Memory) {
	for i := range episodes {
		episodes[i].Scope.Fixed = j.Fixed
	}
}

// Extract runs an ExtractJob by rules: it finds facts in the episodes as they are now and reconciles them with known
// facts. Repeating it changes nothing.
func (dv *Deriver) Extract(ctx context.Context, tenant string, j ExtractJob) error {
	s := cairn.Scope{Tenant: tenant, Actor: "extract"}
	episodes, subject, err := dv.episodesOf(ctx, s, j)
	if err != nil {
		return err
	}
	if err := dv.takeIn(ctx, s, subject, ByRules(episodes, subject)); err != nil {
		return err
	}
	return dv.relates.Read(ctx, s, episodes)
}

// ByRules returns what rules find in episodes.
func ByRules(episodes []cairn.Memory, subject entities.Party) []finding {
	turns := make([]extract.Turn, len(episodes))
	for i, m := range episodes {
		turns[i] = extract.Turn{Role: m.Role, Speaker: speakerOf(&m, subject), Text: m.Text, At: m.EventTime,
			Project: m.Scope.Project != ""}
	}
	found, amendments := extract.Read(turns)
	var all []finding
	for _, f := range found {
		m := episodes[f.Turn]
		if steered(&m, f.Start, f.End) {
			continue
		}
		all = append(all, finding{Found: f, episode: m, proposed: othersWish(&m, f.Type) ||
			directs(&m, f.Start, f.End) || offers(&m, f.Type) || m.Role == cairn.RoleAssistant &&
			f.Certainty != cairn.Stated})
	}
	return withAmendments(all, episodes, amendments)
}

// episodesOf reads the episodes of a job, without those forgotten or quarantined since, and their entity. If that was
// erased, there is nothing to read.
func (dv *Deriver) episodesOf(ctx context.Context, s cairn.Scope, j ExtractJob) (
	[]cairn.Memory, entities.Party, error) {
	subject, err := dv.entities.Survivor(ctx, s, j.Entity)
	if err != nil {
		return nil, entities.Party{}, entities.UnlessErased(err)
	}
	episodes, err := dv.truth.Store.Get(ctx, s, j.Episodes)
	if err != nil {
		return nil, entities.Party{}, err
	}
	episodes = slices.DeleteFunc(episodes, func(m cairn.Memory) bool { return facts.Withdrawn(m.State) })
	j.Fix(episodes)
	return episodes, entities.Party{Entity: subject, Of: j.Entity}, nil
}

// steered reports whether a quote must not lead to a fact: it tries to steer its reader, and comes from a channel into
// which others than the user write.
func steered(m *cairn.Memory, start, end int) bool {
	return !m.Trust.AtLeast(cairn.TrustUserStated) && gate.Steers(m.Text[start:end])
}

// othersWish reports whether a fact is a program's claim about what somebody likes: the person has to say so.
func othersWish(m *cairn.Memory, t cairn.FactType) bool {
	return t == cairn.FactPreference && (m.Role == cairn.RoleAssistant || m.Role == cairn.RoleTool)
}

// offers reports whether a fact is a task set by an assistant: it needs to be accepted by somebody.
func offers(m *cairn.Memory, t cairn.FactType) bool {
	return t == cairn.FactTask && m.Role == cairn.RoleAssistant
}

// directs reports whether the sentences of a quote give instructions, or change somebody's wishes, means of payment or
// contact data, and come from a channel into which others than the user write. Such a quote leads at most to a proposed
// fact, whatever a model says.
func directs(m *cairn.Memory, start, end int) bool {
	if m.Trust.AtLeast(cairn.TrustUserStated) {
		return false
	}
	own := m.Role == cairn.RoleUser || m.Role == ""
	start, end = sentencesOf(m.Text, start, end)
	return gate.Directs(m.Text[start:end], own)
}

// sentencesOf widens a part of a text to whole sentences, and to the comment around it.
func sentencesOf(text string, start, end int) (int, int) {
	before := text[:start]
	from := 0
	for _, mark := range []string{". ", "! ", "? ", "\n"} {
		if at := strings.LastIndex(before, mark); at >= 0 {
			from = max(from, at+len(mark))
		}
	}
	if at := strings.LastIndex(before, "<!--"); at > strings.LastIndex(before, "-->") {
		from = min(from, at)
	}
	to := len(text)
	for _, mark := range []string{". ", "! ", "? ", "\n"} {
		if at := strings.Index(text[max(start, end-1):], mark); at >= 0 {
			to = min(to, max(end, max(start, end-1)+at+1))
		}
	}
	return from, to
}

// speakerOf returns the speaker of an episode; if none is named, the entity that the words were stored for.
func speakerOf(m *cairn.Memory, subject entities.Party) string {
	if m.Speaker == "" && m.Role != cairn.RoleAssistant {
		return subject.Name
	}
	return m.Speaker
}

// finding is a fact as found by rules or a model, with its evidence.
type finding struct {
	extract.Found
	episode   cairn.Memory
	premises  []cairn.Premise
	proposed  bool                 // an offer, or doubtful
	known     *cairn.Memory        // the fact that it is about; nil: a new one
	amendment *reconcile.Amendment // the change that it makes to facts that are still to be found; nil: it is a fact
}

// takeIn reconciles findings with the known facts of their entities.
func (dv *Deriver) takeIn(ctx context.Context, s cairn.Scope, subject entities.Party, all []finding) error {
	byOwner, err := dv.SaidOfEach(ctx, s, subject, all)
	if err != nil {
		return err
	}
	for _, t := range byOwner {
		if err := dv.assert(ctx, s, t); err != nil {
			return err
		}
	}
	return nil
}

// ofOwner holds the statements about an entity that belong to one owner.
type ofOwner struct {
	Of         facts.Group
	assertions []reconcile.Assertion
}

// SaidOfEach turns findings into assertions, grouped by entity, without those whose value was erased.
func (dv *Deriver) SaidOfEach(ctx context.Context, s cairn.Scope, subject entities.Party, all []finding) (
	[]ofOwner, error) {
	said, entities := map[facts.Group][]reconcile.Assertion{}, map[facts.Group]cairn.Entity{}
	var order []facts.Group
	for _, f := range all {
		parties, err := dv.aboutFinding(ctx, s, subject, f)
		if err != nil {
			return nil, err
		}
		for _, about := range parties {
			a, err := dv.assertion(ctx, s, about, f)
			if err != nil {
				return nil, err
			}
			of := facts.Group{Entity: about.Of, Owner: a.Memory.Fact.Owner}
			if _, known := entities[of]; !known {
				order, entities[of] = append(order, of), about.Entity
			}
			said[of] = append(said[of], a)
		}
	}
	out := make([]ofOwner, len(order))
	for i, of := range order {
		as, err := dv.facts.WithoutJudged(ctx, s, entities[of], said[of])
		if err != nil {
			return nil, err
		}
		out[i] = ofOwner{of, as}
	}
	return out, nil
}

// Subject returns the entity that a scope's words are about if no speaker is named: its user, else its project, else
// its session, else the only person of the tenant.
func (dv *Deriver) Subject(ctx context.Context, s cairn.Scope) (entities.Party, error) {
	for _, id := range []cairn.Identifier{{Type: "user_id", Value: s.User}, {Type: "project", Value: s.Project},
		{Type: "session", Value: s.Session}} {
		if id.Value != "" {
			return dv.entities.MakeEntity(ctx, s, id)
		}
	}
	return dv.entities.MakeEntity(ctx, s, self)
}

// self identifies the only person of a tenant if no scope names one, as with an assistant on one's own machine.
var self = cairn.Identifier{Type: "self", Value: "User"}

// about returns the entity and the owner of a found fact. The entity is the one that the words were stored for if it is
// the speaker, the project for matters of a project, else the person who speaks or is named. An assistant's statements
// about itself are not facts.
func (dv *Deriver) about(ctx context.Context, s cairn.Scope, subject entities.Party, f finding) (
	entities.Party, bool, error) {
	m := f.episode
	about, err := subject, error(nil)
	owner := m.Scope.Owner()
	switch {
	case f.Subject == extract.PersonSubject && f.Name != "" && !entities.SameName(&subject.Entity, f.Name):
		about, err = dv.entities.MakeEntity(
			ctx, s, entities.Within(m.Scope, cairn.Identifier{Type: "name", Value: f.Name}))
	case f.Subject == extract.SpeakerSubject && m.Role == cairn.RoleAssistant:
		return subject, false, nil
	case f.Subject == extract.SpeakerSubject && m.Speaker != "" && !entities.SameName(&subject.Entity, m.Speaker):
		about, err = dv.entities.MakeEntity(
			ctx, s, entities.Within(m.Scope, cairn.Identifier{Type: "name", Value: m.Speaker}))
	case f.Subject == extract.ProjectSubject:
		owner = m.Scope.MatterOwner()
		if owner == cairn.ProjectOwner(m.Scope.Project) && isOf(&subject.Entity, m.Scope) {
			about, err = dv.entities.MakeEntity(ctx, s, cairn.Identifier{Type: "project", Value: m.Scope.Project})
		}
	}
	about.Holder = owner
	return about, err == nil, err
}

// isOf reports whether words were stored for an entity because the scope names it, and not because a caller did.
func isOf(v *cairn.Entity, s cairn.Scope) bool {
	return s.User != "" && entities.Has(v, cairn.Identifier{Type: "user_id", Value: s.User}) ||
		s.Session != "" && entities.Has(v, cairn.Identifier{Type: "session", Value: s.Session})
}

// assertion makes the memory of a found fact.
func (dv *Deriver) assertion(ctx context.Context, s cairn.Scope, about entities.Party, f finding) (
	reconcile.Assertion, error) {
	if f.amendment != nil {
		return changing(about, f), nil
	}
	m, node := f.episode, f.Node
	if f.known != nil && f.known.Fact.EntityID == about.ID {
		node = f.known.Fact.Node
	}
	if node.Type == "Person" && node.Name != "" {
		named, err := dv.entities.MakeEntity(
			ctx, s, cairn.Identifier{Type: "name", Value: node.Name, Owner: about.Holder})
		if err != nil {
			return reconcile.Assertion{}, err
		}
		node.EntityRef = named.Of
	}
	fact := &cairn.Fact{Owner: about.Holder, Guest: about.Holder != about.Owner, EntityID: about.ID, Verb: f.Verb,
		FactID: node.ID(), Node: node, Type: f.Type, Content: f.Content,
		Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence, AuthorRole: m.Role,
		Evidence: []cairn.Evidence{
			{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End, Premises: f.premises,
				Proposed: f.proposed}},
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.Deadline, Financial: f.Financial,
		Rule: f.Rule, SingleValued: f.Single}
	fact.Evidence[0].Other = f.Subject == extract.PersonSubject && m.Speaker != "" &&
		!entities.SameName(&about.Entity, m.Speaker)
	fact.RelationshipKey = fact.Key()
	until := f.Until
	if f.Type == cairn.FactEvent { // that it happened stays true after its end
		until = nil
	}
	since := m.EventTime
	if f.From != nil && f.From.Before(since) {
		fact.Evidence[0].SaidAt = new(m.EventTime)
		since = cairn.Time(*f.From)
	}
	if f.Begins != nil {
		since = cairn.Time(*f.Begins)
	}
	out := cairn.Memory{ID: fact.MemoryID(), Version: 1, Kind: cairn.KindFact,
		Text: entities.InName(f.Summary, spokenOf(f, &about.Entity), about.Name), Scope: m.Scope.Bare(), Role: m.Role,
		Speaker: m.Speaker, SourceID: m.SourceID, EventTime: since,
		RecordedAt: dv.truth.Now(), ValidUntil: until, State: cairn.StateActive, Trust: m.Trust, Fact: fact}
	return reconcile.Assertion{Memory: out, Ends: f.Ends, Untimed: !truth.Timed(&m)}, nil
}

// spokenOf returns the words that a finding uses for its entity; "" if the entity has no name to replace them.
func spokenOf(f finding, about *cairn.Entity) string {
	switch {
	case !slices.Contains(entities.NamesOf(about), about.Name):
	case f.Subject == extract.PersonSubject:
		return f.Name
	case f.Subject == extract.SpeakerSubject:
		return f.episode.Speaker
	}
	return ""
}

// assert applies statements about an entity. They become facts of the entity's survivor.
func (dv *Deriver) assert(ctx context.Context, s cairn.Scope, t ofOwner) error {
	_, _, err := dv.facts.ReviseWith(ctx, s, t.Of, dv.Applying(ctx, s, t))
	return err
}

// Applying returns the edit that applies statements about an entity.
func (dv *Deriver) Applying(ctx context.Context, s cairn.Scope, t ofOwner) facts.Edit {
	return func(v cairn.Entity, b *cairn.Batch, f *reconcile.Facts) error {
		for _, a := range t.assertions {
			a = saidOf(a, t.Of.Entity, v)
			if err := dv.refersTo(ctx, s, b, a.Memory.Fact); err != nil {
				return err
			}
			f.Apply(a)
		}
		return nil
	}
}

// saidOf returns an assertion as one about the survivor of the entity that it was said of.
func saidOf(a reconcile.Assertion, said cairn.ID, v cairn.Entity) reconcile.Assertion {
	fact := *a.Memory.Fact
	fact.EntityID, fact.Guest = v.ID, fact.Owner != v.Owner
	fact.RelationshipKey = fact.Key()
	if said != v.ID {
		fact.Evidence = slices.Clone(fact.Evidence)
		for i := range fact.Evidence {
			fact.Evidence[i].EntityID = said
		}
	}
	a.Memory.ID, a.Memory.Fact = fact.MemoryID(), &fact
	return a
}

// refersTo makes a fact's node name the survivor of the entity that it names, and makes sure that this is still right
// when the fact is stored.
func (dv *Deriver) refersTo(ctx context.Context, s cairn.Scope, b *cairn.Batch, f *cairn.Fact) error {
	if f.Node.EntityRef == "" {
		return nil
	}
	v, err := dv.entities.Survivor(ctx, s, f.Node.EntityRef)
	if err != nil {
		f.Node.EntityRef = ""
		return entities.UnlessErased(err)
	}
	f.Node.EntityRef = v.ID
	return entities.TouchEntity(b, v)
}
