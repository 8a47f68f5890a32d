package derive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/lang/money"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// telling is a fact on its way from a caller's data to the facts.
type telling struct {
	*Deriver
	scope  trilith.Scope
	r      trilith.TellRequest
	source trilith.SystemRef // of the request, or empty
	found  extract.Found
	words  trilith.Memory // that it rests on
	own    bool           // they are stored with it
}

// TellFact stores a fact that a caller states as data; see [trilith.TellRequest]. It returns the fact that has the
// statement as evidence: an equal one if that is known. A candidate waits for a person. The same request again changes
// nothing while its fact holds.
func (dv *Deriver) TellFact(ctx context.Context, s trilith.Scope, r trilith.TellRequest) (trilith.Memory, error) {
	t := telling{Deriver: dv, scope: s, r: r, source: *cmp.Or(r.Source, &trilith.SystemRef{})}
	if err := cmp.Or(truth.CheckScope(s), t.check()); err != nil {
		return trilith.Memory{}, err
	}
	key := ""
	if r.ExternalID != "" {
		key = string(trilith.DeriveID("told", s.Tenant, truth.ScopeText(s), r.ExternalID))
	}
	n, err := dv.truth.KeyedRequest(s, key, "tell", r)
	if err != nil {
		return trilith.Memory{}, err
	}
	about, made, err := n.Before(ctx)
	if err == nil && !made {
		about, err = t.tell(ctx, n)
	}
	if errors.Is(err, truth.ErrKeyTaken) {
		err = trilith.Errorf(trilith.Conflict, "external_id: was used for another fact; use a new one, or send that fact")
	}
	if err != nil {
		return trilith.Memory{}, err
	}
	m, err := dv.truth.Get(ctx, s, about[0].ID)
	dv.facts.RedactQuotes(ctx, s, []*trilith.Memory{&m})
	return m, err
}

var isWord = regexp.MustCompile(`^[a-z0-9_]{0,64}$`)

// check returns an error for a request that states nothing, or what may not be stored, and puts its texts in form.
func (t *telling) check() (err error) {
	r, x, clock := &t.r, &t.found, t.truth.ClockOf(t.scope)
	if t.source.System != t.scope.System && r.Source != nil {
		return trilith.Errorf(trilith.Forbidden, "source.system: the key may not speak for %.64q; make one with that setting: "+
			"trilith keys create NAME --system %.64s", t.source.System, t.source.System)
	}
	for i, text := range []*string{&r.Sentence, &r.Topic, &r.Value, &r.ExternalID, &t.source.ID} {
		field := []string{"sentence", "topic", "value", "external_id", "source.id"}[i]
		if *text != "" && i < 3 && err == nil {
			*text, err = Statement(t.truth.Policy, field, *text)
		}
		if *text != "" && i > 0 && err == nil {
			err = truth.CheckName(field, *text)
		}
	}
	for i, text := range []string{r.ValidFrom, r.ValidUntil, r.ActionDeadline} {
		at, wrong := clock.Time([]string{"valid_from", "valid_until", "action_deadline"}[i], text)
		if err = cmp.Or(err, wrong); text != "" {
			*[]**time.Time{&x.From, &x.Until, &x.Deadline}[i] = &at
		}
	}
	if err != nil {
		return err
	}
	switch c := r.Confidence; {
	case r.Verb != "" && r.Topic != "":
		return trilith.Errorf(trilith.Invalid, "topic: stands instead of a verb; give one of the two")
	case r.Value+r.Sentence == "":
		return trilith.Errorf(trilith.Invalid, "value: is empty; give a value of a verb or a topic, or a sentence")
	case r.Value != "" && r.Verb+r.Topic == "":
		return trilith.Errorf(trilith.Invalid, "verb: is empty; say by a verb or a topic what the value is of")
	case r.Sentence != "" && !strings.Contains(textproc.Fold(r.Sentence), textproc.Fold(r.Value)):
		return trilith.Errorf(trilith.Invalid, "sentence: does not contain the value; send the fact with one of the two")
	case !isWord.MatchString(r.Verb) || !isWord.MatchString(string(r.FactType)) || r.FactType == trilith.FactRelation:
		return trilith.Errorf(trilith.Invalid, "verb, fact_type: must be at most 64 of a-z 0-9 _, and no relation")
	case !isWord.MatchString(strings.ToLower(r.ValueType)):
		return trilith.Errorf(trilith.Invalid, "value_type: must be at most 64 of A-Z a-z 0-9 _")
	case x.From != nil && x.Until != nil && !x.Until.After(*x.From):
		return trilith.Errorf(trilith.Invalid, "valid_until: must be after valid_from")
	case c != nil && !(*c >= 0 && *c <= 1):
		return trilith.Errorf(trilith.Invalid, "confidence: is %v, must be 0 to 1", *c)
	case !slices.Contains([]trilith.Priority{"", trilith.PriorityCritical, trilith.PriorityHigh, trilith.PriorityNormal,
		trilith.PriorityLow}, r.Priority):
		return trilith.Errorf(trilith.Invalid, "priority: %.32q is not one of critical, high, normal, low", string(r.Priority))
	}
	if r.Financial != nil {
		if _, err := money.ParseDecimal(r.Financial.Amount); err != nil {
			return trilith.Errorf(trilith.Invalid, "financial.amount: %.32q is not a decimal such as 1250.50", r.Financial.Amount)
		}
	}
	r.Content, err = ingest.Metadata("content", r.Content)
	r.Content = truth.NewMasker().Object("content", r.Content)
	return err
}

// tell applies the statement to the facts of its entity.
func (t *telling) tell(ctx context.Context, n truth.KeyedRequest) (about []truth.Target, err error) {
	if err := t.cite(ctx); err != nil {
		return nil, err
	}
	who := t.entities.Resolver(t.words.Scope, nil)
	subject, err := t.subject(ctx, who)
	if err != nil {
		return nil, err
	}
	f, err := t.finding(ctx, who, subject)
	if err != nil {
		return nil, err
	}
	said, err := t.StatementsOf(ctx, who, subject, []finding{f})
	if err = cmp.Or(err, t.checkErased(ctx, said)); err != nil {
		return nil, err
	}
	a := said[0].assertions[0]
	a.Untimed = a.Untimed && !t.own
	apply := func(who *entities.Resolver, v trilith.Entity, f *reconcile.Facts) (err error) {
		var made bool
		if about, made, err = n.Before(ctx); err != nil || made { // by another writer, at the same time
			return err
		}
		if about, err = t.apply(ctx, who, ofSurvivor(a, said[0].Of.Entity, v), f); err != nil {
			return err
		}
		return n.Note(who.Batch, about...)
	}
	if _, _, err = t.facts.ReviseWith(ctx, t.scope, said[0].Of, apply); err != nil {
		return nil, err
	}
	about, _, err = n.Begin(ctx, func() ([]truth.Target, error) { return about, nil }) // if nothing was to be committed
	return about, err
}

// cite sets the words that the fact rests on: a memory with its quote, or a record of its own. The id of a record is that
// of its request, so that the request again finds it.
func (t *telling) cite(ctx context.Context) (err error) {
	ev := cmp.Or(t.r.Evidence, &trilith.ToldEvidence{})
	quote := ev.Quote
	if t.own = ev.ID == ""; t.own {
		if quote != "" {
			quote, err = Statement(t.truth.Policy, "evidence.quote", quote)
		}
		body, _ := json.Marshal(t.r) // its parts were checked
		id := trilith.DeriveID("told", t.scope.Tenant, truth.ScopeText(t.scope), string(body))
		t.words = trilith.Memory{ID: id, Version: 1, Kind: trilith.KindNote, Type: trilith.ToldType, Text: quote,
			Scope: t.scope, EventTime: t.truth.ClockOf(t.scope).Now, RecordedAt: t.truth.Now(), State: trilith.StateActive,
			Trust: trilith.TrustUserStated}
		if t.r.Source != nil {
			t.words.Metadata = map[string]any{"system": t.source.System, "system_id": t.source.ID}
		}
		return err
	}
	m, err := t.truth.Get(ctx, t.scope, ev.ID)
	if err != nil {
		return err
	}
	t.found.Start = strings.Index(m.Text, quote)
	t.found.End = t.found.Start + len(cmp.Or(quote, m.Text))
	if at := strings.Index(m.Text, t.r.Value); quote == "" && t.r.Value != "" && at >= 0 {
		t.found.Start, t.found.End = sentencesOf(m.Text, at, at+len(t.r.Value))
	}
	switch start, end := t.found.Start, t.found.End; {
	case !truth.CanBeEvidence(&m) || m.SharedFrom != "" || facts.Withdrawn(m.State):
		return trilith.Errorf(trilith.Invalid, "evidence.id: is a %s %s, or a share; name what was said, noted or written", m.State,
			m.Kind)
	case start < 0:
		return trilith.Errorf(trilith.Invalid, "evidence.quote: memory %s does not contain it; quote it word for word", m.ID)
	case end-start > trilith.MaxCorrection:
		return trilith.Errorf(trilith.Invalid, "evidence.quote: is needed, because the memory is long")
	case steered(&m, start, end):
		return trilith.Errorf(trilith.Invalid, "evidence: the words try to steer their reader; no fact follows from them")
	}
	m.Scope.Actor, m.Scope.Fixed, m.Scope.Bound = t.scope.Actor, t.scope.Fixed, t.scope.Bound
	t.words = m
	return nil
}

// subject returns the entity that the request names, or that of the words.
func (t *telling) subject(ctx context.Context, who *entities.Resolver) (entities.Party, error) {
	if t.r.Subject == nil {
		return Subject(ctx, who)
	}
	id, err := who.Given(ctx, "subject", *t.r.Subject)
	if err != nil {
		return entities.Party{}, err
	}
	return who.Make(ctx, id)
}

// matters are the types of facts that belong to a project, whoever tells them.
var matters = []trilith.FactType{trilith.FactTask, trilith.FactDecision, trilith.FactMilestone, trilith.FactFinancial,
	trilith.FactSchedule, trilith.FactMaterial, trilith.FactRisk, trilith.FactConstraint, trilith.FactDataPoint}

// finding returns the statement of the request, and completes its own words.
func (t *telling) finding(ctx context.Context, who *entities.Resolver, subject entities.Party) (finding, error) {
	r, x := &t.r, &t.found
	x.Verb = cmp.Or(r.Verb, "has_fact")
	if r.Topic != "" {
		x.Verb = topicVerb(r.Topic)
	}
	known := extract.Verbs()[x.Verb]
	x.Rule, x.Type = trilith.ToldRule+t.source.System, cmp.Or(r.FactType, known.Type, trilith.FactOther)
	x.Subject, x.Single = extract.PersonSubject, known.Single || r.SingleValued || r.Topic != ""
	switch project := (trilith.Identifier{Type: "project", Value: t.words.Scope.Project}); {
	case *cmp.Or(r.Subject, &project) == project && (r.Subject != nil || slices.Contains(matters, x.Type)):
		x.Subject = extract.ProjectSubject
	case r.Subject == nil && t.words.Role != trilith.RoleAssistant:
		x.Subject = extract.SpeakerSubject
	}
	x.Polarity, x.Certainty, x.Content, x.Financial = trilith.Affirmed, trilith.Stated, r.Content, r.Financial
	x.Priority, x.RequiresAction = cmp.Or(r.Priority, trilith.PriorityNormal), r.RequiresAction
	if x.Confidence = 0.9; r.Confidence != nil {
		x.Confidence = *r.Confidence
	}
	if x.From != nil && x.From.After(t.words.EventTime) {
		x.From, x.Begins = nil, x.From
	}
	about, _, err := t.about(ctx, who, subject, finding{Found: *x, episode: t.words})
	if err != nil {
		return finding{}, err
	}
	x.Summary = cmp.Or(r.Sentence, about.Name+" "+strings.ReplaceAll(x.Verb, "_", " ")+" "+r.Value+".")
	if r.Topic != "" && r.Sentence == "" {
		x.Summary = r.Topic + ": " + r.Value
	}
	if x.Node = freeNode(x.Summary); r.Value != "" {
		x.Node = trilith.Node{Type: cmp.Or(r.ValueType, known.Node, "Value"), Name: r.Value}
	}
	if t.own {
		t.words.Text = cmp.Or(t.words.Text, x.Summary)
		x.End = len(t.words.Text)
	}
	f := finding{Found: *x, episode: t.words}
	f.proposed = claimsPreference(&t.words, x.Type) || proposesTask(&t.words, x.Type) || directs(&t.words, x.Start, x.End)
	all, err := t.truth.FactsOf(ctx, t.scope, about.ID)
	if i := slices.IndexFunc(all, func(m trilith.Memory) bool {
		return m.Fact.Verb == x.Verb && reconcile.SameName(m.Fact.Node, x.Node)
	}); i >= 0 {
		f.known = &all[i] // an equal fact keeps the type of its value
	}
	return f, err
}

// topicVerb returns the verb for a topic; topics that differ in more than case, accents and separators have different
// ones.
func topicVerb(topic string) string {
	verb := "topic_" + strings.NewReplacer(" ", "_", "-", "_", ".", "_").Replace(textproc.Fold(topic))
	if !isWord.MatchString(verb) {
		verb = "topic_" + strings.ReplaceAll(string(trilith.DeriveID(textproc.Fold(topic))), "-", "")
	}
	return verb
}

// checkErased returns an error if the value, or words of its own, were erased before.
func (t *telling) checkErased(ctx context.Context, said []Statements) error {
	gone, err := t.truth.Tombstones(ctx, t.scope)
	if err != nil || len(said) == 0 {
		return err
	}
	scope, d := truth.ScopeText(t.scope), ingest.Draft{Memory: t.words}
	owners, err := t.truth.Store.Find(ctx, truth.TenantOf(t.scope), gone.Keys(scope, d, t.words.ID))
	if err == nil && (len(said[0].assertions) == 0 || t.own && gone.Hit(owners, scope, d, t.words.ID)) {
		return trilith.Refuse("fact", []trilith.Rejection{{Reason: trilith.ReasonErased, Detail: "it was erased and stays so"}})
	}
	return err
}

// apply applies the assertion, and adds words of its own to the batch. It returns the fact that has it as evidence. A
// system's statement verifies an active fact that is neither decided nor disputed.
func (t *telling) apply(ctx context.Context, who *entities.Resolver, a reconcile.Assertion, f *reconcile.Facts) (
	[]truth.Target, error) {
	verb, b := a.Memory.Fact.Verb, who.Batch
	if t.own {
		before := f.Stating(t.words.ID, verb)
		if before != nil && (before.State == trilith.StateActive || before.State == trilith.StateCandidate) {
			return []truth.Target{{ID: before.ID}}, nil // and it holds
		}
		known, err := t.truth.Store.Get(ctx, truth.TenantOf(t.scope), []trilith.ID{t.words.ID})
		if err != nil {
			return nil, err
		}
		if len(known) > 0 {
			t.words.ID = trilith.NewID(t.truth.Now())
		}
		a.Memory.Fact.Evidence[0].EpisodeID = t.words.ID
		b.Expect = append(b.Expect, role.Expect{ID: t.words.ID})
		b.Memories = append(b.Memories, t.words)
		b.Memories[len(b.Memories)-1].Scope = t.scope.Bare()
	}
	if err := resolveNode(ctx, who, a.Memory.Fact); err != nil {
		return nil, err
	}
	f.Apply(a)
	m := f.Stating(t.words.ID, verb)
	if m == nil {
		return nil, trilith.Errorf(trilith.Conflict, "evidence: says something else of the fact already")
	}
	if v := &m.Fact.Verification; t.r.Source != nil && m.State == trilith.StateActive && !v.Decided() &&
		v.Status != trilith.Disputed {
		*v, m.Trust = trilith.Verification{Status: trilith.Verified, By: trilith.BySystem + t.source.System,
			At: new(t.truth.Now()), Note: t.source.ID}, trilith.TrustUserConfirmed
	}
	b.Audit = append(b.Audit, t.truth.Audit(t.scope, "fact.tell", m.ID, map[string]string{"system": t.source.System})...)
	return []truth.Target{{ID: m.ID}}, nil
}
