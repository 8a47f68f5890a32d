package derive

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// FreeNode is the type of nodes whose name is a person's sentence.
const FreeNode = "Text"

// Correction is a person's sentence in place of a fact: the fact that it states, whatever its words are, and what else
// rules find in it.
type Correction struct {
	States reconcile.Assertion
	Beside []Statements
}

// Correct returns the statement that a person's sentence, stored as a note, makes in place of a fact. Its text is the
// sentence; verb, type and owner are those of the fact, and the value is the one that rules find for that verb, the
// only name in common words where the old value is a name too, or else the sentence.
func (dv *Deriver) Correct(ctx context.Context, s trilith.Scope, old, note *trilith.Memory) (Correction, error) {
	v, err := dv.entities.Survivor(ctx, s, old.Fact.EntityID)
	if err != nil {
		return Correction{}, err
	}
	who := dv.entities.Resolver(s, nil)
	party := entities.Party{Entity: v, Of: v.ID}
	var found []finding
	if err := survive.Do(func() error {
		said := []trilith.Memory{*note}
		found = slices.DeleteFunc(ByRules(ctx, who, ExtractJob{}, said, said, party), func(f finding) bool {
			return f.amendment != nil || f.proposed
		})
		return nil
	}); err != nil {
		found = nil // what rules cannot read is no less a person's correction
	}
	beside, err := dv.StatementsOf(ctx, who, party, found)
	if err != nil {
		return Correction{}, err
	}
	c := Correction{States: free(old, note, &v), Beside: beside}
	of := facts.Group{Entity: v.ID, Owner: old.Fact.Owner}
	for i := range c.Beside {
		t := &c.Beside[i]
		t.assertions = slices.DeleteFunc(t.assertions, func(a reconcile.Assertion) bool { return a.Ends })
		if t.Of != of {
			continue
		}
		t.assertions = slices.DeleteFunc(t.assertions, func(a reconcile.Assertion) bool {
			is := a.Memory.Fact.Verb == old.Fact.Verb
			if is && a.Memory.Fact.FactID != old.Fact.FactID && c.States.Memory.Fact.Node.Type == FreeNode {
				c.States = a
			}
			return is
		})
	}
	m, fact := &c.States.Memory, *c.States.Memory.Fact
	m.Text, m.Trust, fact.Rule, fact.Confidence = note.Text, trilith.TrustUserConfirmed, "", 1
	m.Fact = &fact
	return c, nil
}

// freeNode returns the node of a sentence.
func freeNode(text string) trilith.Node {
	if end := len(text); end > trilith.MaxNameBytes/2 { // a key of what stores index
		for end = trilith.MaxNameBytes / 2; !utf8.RuneStart(text[end]); end-- {
		}
		text = text[:end] + "… " + string(trilith.DeriveID(text))
	}
	return trilith.Node{Type: FreeNode, Name: text}
}

// Statement returns a sentence of a caller as it is stored, or an error if it cannot be.
func Statement(p gate.Policy, field, text string) (string, error) {
	text = strings.TrimSpace(ingest.Normalise(text))
	v := p.Check("", trilith.TrustImported, text) // what reads like an order is no statement of a fact
	switch {
	case v.Reason != "":
		return "", trilith.Errorf(trilith.Invalid, "%s: refused (%s) %s", field, v.Reason, v.Detail)
	case len(text) > trilith.MaxCorrection:
		return "", trilith.Errorf(trilith.Invalid, "%s: is %d bytes long, at most %d are allowed", field, len(text),
			trilith.MaxCorrection)
	case v.Masked > 0:
		return "", trilith.Errorf(trilith.Invalid, "%s: contains a secret; say it without", field)
	case v.Quarantine:
		return "", trilith.Errorf(trilith.Invalid, "%s: %s; say it as a statement", field, v.Detail)
	case v.Text != text:
		return "", trilith.Errorf(trilith.Invalid, "%s: contains a context block of this memory; say it in your own words", field)
	}
	return text, nil
}

// free returns a sentence as a fact in place of another.
func free(old, note *trilith.Memory, v *trilith.Entity) reconcile.Assertion {
	node, was := freeNode(note.Text), old.Fact
	if name := nameIn(note, was.Node.Name); name != "" {
		node = trilith.Node{Type: was.Node.Type, Name: name}
	}
	fact := &trilith.Fact{Owner: was.Owner, Guest: was.Owner != v.Owner, EntityID: v.ID, Verb: was.Verb, FactID: node.ID(),
		Node: node, Type: was.Type, Polarity: trilith.Affirmed, Certainty: trilith.Stated, AuthorRole: note.Role,
		Priority: was.Priority, RequiresAction: was.RequiresAction, SingleValued: was.SingleValued,
		Evidence: []trilith.Evidence{{EpisodeID: note.ID, Quote: note.Text, End: len(note.Text)}}}
	fact.RelationshipKey = fact.Key()
	return reconcile.Assertion{Memory: trilith.Memory{ID: fact.MemoryID(), Version: 1, Kind: trilith.KindFact,
		Scope: note.Scope, Role: note.Role, EventTime: note.EventTime, RecordedAt: note.RecordedAt,
		State: trilith.StateActive, Fact: fact}}
}

// nameIn returns the name that a sentence gives instead of another one: apart from the two there are only common
// words and expressions of time, and none of the words denies the new one. It is empty for any other sentence.
func nameIn(note *trilith.Memory, was string) string {
	text, _ := retrieve.Undated(note.Text, time.Time{}, note.EventTime)
	rest := strings.ReplaceAll(text, was, " ")
	name, before := "", ""
	for _, word := range retrieve.Words(rest) {
		small := strings.ToLower(word)
		opens, denies := slices.Contains(extract.Words("opener"), small), slices.Contains(extract.Words("not"), small)
		switch common := opens || retrieve.Common(word); {
		case !common && !capital(word), denies && !opens && rest == text,
			!common && name == "" && capital(before) && strings.Contains(rest, before+" "+word): // Le Mans
			return ""
		case !common:
			name = strings.TrimSpace(name + " " + word)
		}
		if before = word; opens || strings.Contains(word, "'") {
			before = ""
		}
	}
	if !capital(was) || !strings.Contains(rest, name) { // several names are apart
		return ""
	}
	return name
}

func capital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// Of returns the further statements of the sentence about the corrected fact's group, and those about other
// entities.
func (c *Correction) Of(of facts.Group) (own []reconcile.Assertion, others []Statements) {
	for _, t := range c.Beside {
		switch {
		case len(t.assertions) == 0:
		case t.Of == of:
			own = t.assertions
		case t.Of.Entity != of.Entity: // one commit revises an entity once
			others = append(others, t)
		}
	}
	return own, others
}
