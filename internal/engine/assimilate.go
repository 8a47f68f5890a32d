package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/extract"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/reconcile"
)

// jobExtract is the kind of job that derives facts from episodes. It is written with them: whatever happens afterwards, the
// words are stored and the facts follow.
const jobExtract = "extract"

// extractJob names the episodes and the entity that they are about, and says how they are read. The entity is the one that was
// meant, whatever it was merged into before or since.
type extractJob struct {
	Entity   cairn.ID         `json:"entity"`
	Episodes []cairn.ID       `json:"episodes"`
	Mode     cairn.Extraction `json:"mode,omitempty"`
	Profile  string           `json:"profile,omitempty"`
	// Fixed says of which owners the facts can be, beside what their scopes say.
	cairn.Fixed
}

// fix gives episodes the scopes of their caller, which memories keep without what the caller is fixed to.
func (j extractJob) fix(episodes []cairn.Memory) {
	for i := range episodes {
		episodes[i].Scope.Fixed = j.Fixed
	}
}

// Assimilate stores what was said about an entity and derives facts from it. The entity is found by its identifier, or
// made. Storing the words never fails because deriving or embedding does: the answer waits a while for the facts, and what
// is not done by then follows in the background; see [cairn.AssimilateResult].
func (e *Engine) Assimilate(ctx context.Context, s cairn.Scope, r cairn.AssimilateRequest) (cairn.AssimilateResult, error) {
	if err := checkScope(s); err != nil {
		return cairn.AssimilateResult{}, err
	}
	if r.Identifier.Owner != "" {
		return cairn.AssimilateResult{}, cairn.Errorf(cairn.Invalid, "identifier.owner: follows from the scope; leave it out")
	}
	r.Identifier = within(s, r.Identifier)
	return e.assimilate(ctx, s, r)
}

// assimilate is Assimilate about an identifier that says within whom a name means somebody.
func (e *Engine) assimilate(ctx context.Context, s cairn.Scope, r cairn.AssimilateRequest) (cairn.AssimilateResult, error) {
	if err := checkIdentifier(r.Identifier); err != nil {
		return cairn.AssimilateResult{}, err
	}
	if err := refuseSecretIDs(map[string]string{"identifier.value": r.Identifier.Value, "external_id": r.ExternalID}); err != nil {
		return cairn.AssimilateResult{}, err
	}
	if r.Content == "" {
		return cairn.AssimilateResult{}, cairn.Errorf(cairn.Invalid, "content: is empty")
	}
	if !slices.Contains([]cairn.Wait{"", cairn.WaitStored, cairn.WaitExtracted, cairn.WaitIndexed}, r.Wait) {
		return cairn.AssimilateResult{}, cairn.Errorf(cairn.Invalid, "wait: %.32q is not one of stored, extracted, indexed", string(r.Wait))
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
	switch {
	case r.Role == cairn.RoleAssistant:
	case r.Speaker == "" && r.Identifier.Type == "name":
		r.Speaker = entity.Name
	case r.Speaker != "" && r.Identifier.Type != "name":
		if entity, err = e.learnName(ctx, s, entity, r.Speaker); err != nil {
			return cairn.AssimilateResult{}, err
		}
	}
	req := cairn.RememberRequest{Text: r.Content, Role: r.Role, Speaker: r.Speaker, Timestamp: r.Timestamp,
		ExternalID: r.ExternalID, RequestKey: r.RequestKey}
	var x *extraction
	if derive {
		x = &extraction{how: func() (cairn.SourceExtraction, error) { return e.howTo(ctx, s, entity.of, mode, r.Profile) }, inPlace: true,
			whose: meantBy(r)}
	}
	res, repeats, err := e.rememberTurn(ctx, s, req, x)
	if err != nil {
		return cairn.AssimilateResult{}, err
	}
	source := res.SourceID
	if source == "" && r.ExternalID != "" { // said before: the facts are those of then
		if source, err = e.sourceOf(ctx, s, r.ExternalID); err != nil {
			return cairn.AssimilateResult{}, err
		}
	}
	if source == "" && repeats != "" {
		turn, err := e.get(ctx, tenantOf(s), repeats)
		if err != nil {
			return cairn.AssimilateResult{}, err
		}
		source = turn.SourceID
	}
	if source == "" {
		return cairn.AssimilateResult{}, refused(res)
	}
	out, err := e.awaitFacts(ctx, s, entity.Entity, source, cmp.Or(r.Wait, cairn.WaitIndexed), x != nil && x.done)
	out.Masked, out.MaskedIn = res.Masked, slices.Clone(res.MaskedIn)
	if i := slices.Index(out.MaskedIn, "text"); i >= 0 {
		out.MaskedIn[i] = "content" // as this request calls it
	}
	if now, followed := e.survivor(ctx, s, entity.ID); followed == nil { // it may have been merged since
		out.Entity = now
	}
	return out, err
}

// meantBy names whom a request is about where its speaker does not.
func meantBy(r cairn.AssimilateRequest) string {
	if r.Speaker != "" {
		return ""
	}
	return identifierKey(r.Identifier).Value
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
	facts = slices.DeleteFunc(facts, func(m cairn.Memory) bool { return !s.SeesMemory(&m) })
	slices.SortFunc(facts, func(a, b cairn.Memory) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if facts == nil {
		facts = []cairn.Memory{}
	}
	e.discreet(ctx, s, pointers(facts))
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
	return e.takeIn(ctx, s, subject, byRules(episodes, subject))
}

// byRules finds what rules find in episodes.
func byRules(episodes []cairn.Memory, subject party) []finding {
	turns := make([]extract.Turn, len(episodes))
	for i, m := range episodes {
		turns[i] = extract.Turn{Role: m.Role, Speaker: speakerOf(&m, subject), Text: m.Text, At: m.EventTime}
	}
	found, changes := extract.Read(turns)
	var all []finding
	for _, f := range found {
		m := episodes[f.Turn]
		if steered(&m, f.Start, f.End) {
			continue
		}
		all = append(all, finding{Found: f, episode: m, proposed: othersWish(&m, f.Type) || directs(&m, f.Start, f.End) || m.Role == cairn.RoleAssistant && f.Certainty != cairn.Stated})
	}
	return withChanges(all, episodes, changes)
}

// episodesOf reads what a job is to read, without what was forgotten or quarantined since, and whom it is about.
// Nothing is to be read for somebody who was erased.
func (e *Engine) episodesOf(ctx context.Context, s cairn.Scope, j extractJob) ([]cairn.Memory, party, error) {
	subject, err := e.survivor(ctx, s, j.Entity)
	if err != nil {
		return nil, party{}, unlessErased(err)
	}
	episodes, err := e.cfg.Store.Get(ctx, s, j.Episodes)
	if err != nil {
		return nil, party{}, err
	}
	episodes = slices.DeleteFunc(episodes, func(m cairn.Memory) bool { return withdrawn(m.State) })
	j.fix(episodes)
	return episodes, party{Entity: subject, of: j.Entity}, nil
}

// steered reports whether a quote is no ground for a fact: it steers its reader, and comes from a channel into which others
// than the user write.
func steered(m *cairn.Memory, start, end int) bool {
	return !m.Trust.AtLeast(cairn.TrustUserStated) && gate.Steers(m.Text[start:end])
}

// othersWish reports whether a fact is what a program says that somebody likes: that somebody has to say so.
func othersWish(m *cairn.Memory, t cairn.FactType) bool {
	return t == cairn.FactPreference && (m.Role == cairn.RoleAssistant || m.Role == cairn.RoleTool)
}

// directs reports whether the sentences of a quote say what is to be done, or change what somebody wants, pays by or is reached
// at, and come from a channel into which others than the user write: no more than a proposal, whatever a model made of it.
func directs(m *cairn.Memory, start, end int) bool {
	if m.Trust.AtLeast(cairn.TrustUserStated) {
		return false
	}
	own := m.Role == cairn.RoleUser || m.Role == ""
	start, end = sentencesOf(m.Text, start, end)
	return gate.Directs(m.Text[start:end], own)
}

// sentencesOf widens a part of a text to whole sentences, and to the comment that it lies in.
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

// speakerOf is who said an episode: the one that the words were stored for, where nobody is named.
func speakerOf(m *cairn.Memory, subject party) string {
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
	proposed bool              // an offer, or in doubt
	known    *cairn.Memory     // the fact that it says something about; nil: a new one
	change   *reconcile.Change // it says something about facts that are yet to be found; nil: it is a fact
}

// takeIn reconciles findings with what is known of those that they are about.
func (e *Engine) takeIn(ctx context.Context, s cairn.Scope, subject party, all []finding) error {
	told, err := e.saidOfEach(ctx, s, subject, all)
	if err != nil {
		return err
	}
	for _, t := range told {
		if err := e.assert(ctx, s, t); err != nil {
			return err
		}
	}
	return nil
}

// told is what was said of an entity, and is one owner's.
type told struct {
	of         holding
	assertions []reconcile.Assertion
}

// saidOfEach makes assertions of findings, without those whose value was erased, by the entities that they are about.
func (e *Engine) saidOfEach(ctx context.Context, s cairn.Scope, subject party, all []finding) ([]told, error) {
	said, entities := map[holding][]reconcile.Assertion{}, map[holding]cairn.Entity{}
	var order []holding
	for _, f := range all {
		parties, err := e.aboutFinding(ctx, s, subject, f)
		if err != nil {
			return nil, err
		}
		for _, about := range parties {
			a, err := e.assertion(ctx, s, about, f)
			if err != nil {
				return nil, err
			}
			of := holding{entity: about.of, owner: a.Memory.Fact.Owner}
			if _, known := entities[of]; !known {
				order, entities[of] = append(order, of), about.Entity
			}
			said[of] = append(said[of], a)
		}
	}
	out := make([]told, len(order))
	for i, of := range order {
		as, err := e.unjudged(ctx, s, entities[of], said[of])
		if err != nil {
			return nil, err
		}
		out[i] = told{of, as}
	}
	return out, nil
}

// subject returns the entity that a scope's words are about where no speaker is named: its user, else its project, else
// its session, else the one person whose memory the tenant is.
func (e *Engine) subject(ctx context.Context, s cairn.Scope) (party, error) {
	for _, id := range []cairn.Identifier{{Type: "user_id", Value: s.User}, {Type: "project", Value: s.Project}, {Type: "session", Value: s.Session}} {
		if id.Value != "" {
			return e.makeEntity(ctx, s, id)
		}
	}
	return e.makeEntity(ctx, s, self)
}

// self names the person whose memory a tenant is, where no scope says whose: that of an assistant on one's own machine.
var self = cairn.Identifier{Type: "self", Value: "User"}

// about returns the entity that a found fact is about, and whose it is then. It is the one that the words were stored for where
// that speaks itself, the project for its matters, else the person who speaks or is named. What an assistant says of itself is
// nobody's fact.
func (e *Engine) about(ctx context.Context, s cairn.Scope, subject party, f finding) (party, bool, error) {
	m := f.episode
	about, err := subject, error(nil)
	owner := m.Scope.Owner()
	switch {
	case f.Subject == extract.PersonSubject && f.Name != "" && !sameName(&subject.Entity, f.Name):
		about, err = e.makeEntity(ctx, s, within(m.Scope, cairn.Identifier{Type: "name", Value: f.Name}))
	case f.Subject == extract.SpeakerSubject && m.Role == cairn.RoleAssistant:
		return subject, false, nil
	case f.Subject == extract.SpeakerSubject && m.Speaker != "" && !sameName(&subject.Entity, m.Speaker):
		about, err = e.makeEntity(ctx, s, within(m.Scope, cairn.Identifier{Type: "name", Value: m.Speaker}))
	case f.Subject == extract.ProjectSubject:
		owner = m.Scope.MatterOwner()
		if owner == cairn.ProjectOwner(m.Scope.Project) && isOf(&subject.Entity, m.Scope) {
			about, err = e.makeEntity(ctx, s, cairn.Identifier{Type: "project", Value: m.Scope.Project})
		}
	}
	about.owner = owner
	return about, err == nil, err
}

// isOf reports whether words were stored for an entity because the scope names it, and not because somebody did.
func isOf(v *cairn.Entity, s cairn.Scope) bool {
	return s.User != "" && has(v, cairn.Identifier{Type: "user_id", Value: s.User}) ||
		s.Session != "" && has(v, cairn.Identifier{Type: "session", Value: s.Session})
}

// assertion makes the memory of a found fact.
func (e *Engine) assertion(ctx context.Context, s cairn.Scope, about party, f finding) (reconcile.Assertion, error) {
	if f.change != nil {
		return changing(about, f), nil
	}
	m, node := f.episode, f.Node
	if f.known != nil && f.known.Fact.EntityID == about.ID {
		node = f.known.Fact.Node
	}
	if node.Type == "Person" && node.Name != "" {
		named, err := e.makeEntity(ctx, s, cairn.Identifier{Type: "name", Value: node.Name, Owner: about.owner})
		if err != nil {
			return reconcile.Assertion{}, err
		}
		node.EntityRef = named.of
	}
	fact := &cairn.Fact{Owner: about.owner, Guest: about.owner != about.Owner, EntityID: about.ID, Verb: f.Verb, FactID: node.ID(), Node: node, Type: f.Type, Content: f.Content,
		Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence, AuthorRole: m.Role,
		Evidence: []cairn.Evidence{{EpisodeID: m.ID, Quote: m.Text[f.Start:f.End], Start: f.Start, End: f.End, Premises: f.premises, Proposed: f.proposed}},
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.Deadline, Financial: f.Financial,
		Rule: f.Rule, SingleValued: f.Single}
	fact.Evidence[0].Other = f.Subject == extract.PersonSubject && m.Speaker != "" && !sameName(&about.Entity, m.Speaker)
	fact.RelationshipKey = fact.Key()
	until := f.Until
	if f.Type == cairn.FactEvent { // that it happened stays true when it is over
		until = nil
	}
	since := m.EventTime
	if f.From != nil && f.From.Before(since) {
		since = cairn.Time(*f.From)
	}
	if f.Begins != nil {
		since = cairn.Time(*f.Begins)
	}
	out := cairn.Memory{ID: fact.MemoryID(), Version: 1, Kind: cairn.KindFact,
		Text: inName(f.Summary, spokenOf(f, &about.Entity), about.Name), Scope: m.Scope.Bare(), Role: m.Role, Speaker: m.Speaker, SourceID: m.SourceID, EventTime: since,
		RecordedAt: e.now(), ValidUntil: until, State: cairn.StateActive, Trust: m.Trust, Fact: fact}
	return reconcile.Assertion{Memory: out, Ends: f.Ends, Untimed: !timed(&m)}, nil
}

// spokenOf is what a finding calls whom it is about; empty where that has no name to be called by instead.
func spokenOf(f finding, about *cairn.Entity) string {
	switch {
	case !slices.Contains(namesOf(about), about.Name):
	case f.Subject == extract.PersonSubject:
		return f.Name
	case f.Subject == extract.SpeakerSubject:
		return f.episode.Speaker
	}
	return ""
}

// assert takes in what was said of an entity. It becomes what is known of the one that answers for the entity by then.
func (e *Engine) assert(ctx context.Context, s cairn.Scope, t told) error {
	_, _, err := e.reviseWith(ctx, s, t.of, e.applying(ctx, s, t))
	return err
}

// applying is the change that takes in what was said of an entity.
func (e *Engine) applying(ctx context.Context, s cairn.Scope, t told) change {
	return func(v cairn.Entity, b *cairn.Batch, f *reconcile.Facts) error {
		for _, a := range t.assertions {
			a = saidOf(a, t.of.entity, v)
			if err := e.refersTo(ctx, s, b, a.Memory.Fact); err != nil {
				return err
			}
			f.Apply(a)
		}
		return nil
	}
}

// saidOf returns an assertion as one of the entity that answers for the one of which it was said.
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

// refersTo lets a fact's node name the entity that answers for the one it names, and sees to it that it still does when the
// fact is stored.
func (e *Engine) refersTo(ctx context.Context, s cairn.Scope, b *cairn.Batch, f *cairn.Fact) error {
	if f.Node.EntityRef == "" {
		return nil
	}
	v, err := e.survivor(ctx, s, f.Node.EntityRef)
	if err != nil {
		f.Node.EntityRef = ""
		return unlessErased(err)
	}
	f.Node.EntityRef = v.ID
	return touchEntity(b, v)
}
