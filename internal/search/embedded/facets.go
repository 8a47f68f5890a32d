package embedded

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/search/packed"
)

// Numbers before a text that are no index of a word.
const (
	shortID   = 64
	shortText = 65 // plus the length
)

// shortWords are frequent texts of facets. Rows refer to them by index, so these stay as they are; others may be
// appended.
var shortWords = []string{"episode", "fact", "entry", "note", "passage", "summary", "active", "candidate", "superseded",
	"retracted", "expired", "quarantined", "user", "assistant", "system", "tool", "user_confirmed", "user_stated",
	"imported", "assistant_said", "tool_output"}

// appendFacets writes facets, of their texts only those that are not empty: a bit for each text, then for each set bit
// a number: the index of a common word, a mark for the 16 bytes of an id, or the length of a text. It returns an
// Invalid error if JSON cannot represent the metadata.
func appendFacets(b []byte, f *trilith.Facets) ([]byte, error) {
	texts := facetTexts(f)
	var there uint64
	for i, text := range texts {
		if *text != "" {
			there |= 1 << i
		}
	}
	b = packed.AppendUint(b, there)
	for _, text := range texts {
		if *text == "" {
			continue
		}
		if k, ok := keyOf(trilith.ID(*text)); ok {
			b = append(packed.AppendUint(b, shortID), k[:]...)
		} else if i := slices.Index(shortWords, *text); i >= 0 {
			b = packed.AppendUint(b, uint64(i))
		} else {
			b = append(packed.AppendUint(b, shortText+uint64(len(*text))), *text...)
		}
	}
	var metadata []byte
	if len(f.Metadata) > 0 {
		var err error
		if metadata, err = json.Marshal(f.Metadata); err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "metadata: cannot be stored: %w", err)
		}
	}
	b = packed.AppendInt(b, int64(f.Seq))
	b = appendTime(b, f.EventTime)
	b = appendTime(b, f.RecordedAt)
	b = appendOptionalTime(b, f.ValidUntil)
	b = appendOptionalTime(b, f.SupersededAt)
	b = packed.AppendUint(b, uint64(len(f.Tags)))
	b = appendTexts(b, f.Tags...)
	b = packed.AppendText(b, string(metadata))
	if f.Fact == nil {
		return appendBool(b, false), nil
	}
	return appendFact(appendBool(b, true), f.Fact), nil
}

func appendFact(b []byte, x *trilith.Fact) []byte {
	b = appendTexts(b, string(x.Owner), string(x.EntityID), x.Verb, x.FactID, x.Node.Type, x.Node.Name,
		string(x.Node.EntityRef), x.RelationshipKey, string(x.Type),
		string(x.Polarity), string(x.Certainty), string(x.AuthorRole), string(x.Priority), x.Rule,
		string(x.Verification.Status), x.Verification.By, x.Verification.Note)
	b = packed.AppendUint(b, math.Float64bits(x.Confidence))
	b = packed.AppendInt(b, x.LegacyID)
	b = appendBool(appendBool(b, x.RequiresAction), x.SingleValued)
	b = appendOptionalTime(b, x.ActionDeadline)
	b = appendOptionalTime(b, x.Verification.At)
	b = packed.AppendUint(b, uint64(len(x.Evidence)))
	for i := range x.Evidence {
		e := &x.Evidence[i]
		b = packed.AppendText(b, string(e.EpisodeID))
		b = packed.AppendUint(b, uint64(len(e.Premises)))
		for _, p := range e.Premises {
			b = packed.AppendText(b, string(p.EpisodeID))
		}
	}
	m := x.Financial
	if m == nil {
		return appendBool(b, false)
	}
	return appendTexts(appendBool(b, true), m.Amount, m.Currency, m.Category, m.Type, m.Quantity, m.Unit,
		m.Rate, m.Check)
}

func appendTexts(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = packed.AppendText(b, text)
	}
	return b
}

func appendOptionalTime(b []byte, t *time.Time) []byte {
	if t == nil {
		return appendBool(b, false)
	}
	return appendTime(appendBool(b, true), *t)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendTime(b []byte, t time.Time) []byte { return packed.AppendInt(b, t.UnixMicro()) }

// readFacets reads the output of [appendFacets] into f. Texts are parts of the reader's data.
func readFacets(r *packed.Reader, f *trilith.Facets) {
	there := r.Uint()
	for i, text := range facetTexts(f) {
		if there&(1<<i) == 0 {
			continue
		}
		switch n := r.Uint(); {
		case n < uint64(len(shortWords)):
			*text = shortWords[n]
		case n == shortID:
			*text = idOf(r.Bytes(len(key{})))
		case n > shortText && n-shortText <= uint64(len(r.Rest())):
			*text = r.Bytes(int(n - shortText))
		default:
			r.Fail()
		}
	}
	f.Seq = int(r.Int())
	f.EventTime, f.RecordedAt = timeFrom(r), timeFrom(r)
	f.ValidUntil, f.SupersededAt = optionalTimeFrom(r), optionalTimeFrom(r)
	if n := r.Count(1); n > 0 {
		f.Tags = make([]string, n)
		for i := range f.Tags {
			f.Tags[i] = r.Text()
		}
	}
	if metadata := r.Text(); metadata != "" && json.Unmarshal([]byte(metadata), &f.Metadata) != nil {
		r.Fail()
	}
	if boolFrom(r) {
		f.Fact = factFrom(r)
	}
}

// Facets are stored as texts and numbers in a fixed order; only metadata are JSON, because they may be anything. Id,
// version and tenant of the memory are stored separately. Fields that no filter tests are left out: the actor, the
// content of a fact, the quotes of its evidence.

// facetTexts returns the texts of facets, in the order in which they are written.
func facetTexts(f *trilith.Facets) [18]*string {
	s := &f.Scope
	return [...]*string{&s.Project, &s.Domain, &s.User, &s.Agent, &s.Session, &s.Channel, (*string)(&f.Kind),
		(*string)(&f.Role), (*string)(&f.State), &f.Speaker, &f.Type, (*string)(&f.SourceID),
		(*string)(&f.SharedFrom), (*string)(&f.Trust), (*string)(&f.SupersededBy), &f.Category, &f.Title,
		&f.ExternalID}
}

// idOf returns the id of its bytes, or nothing if they are cut off.
func idOf(b string) string {
	var k key
	if copy(k[:], b) < len(k) {
		return ""
	}
	return string(k.id())
}

func factFrom(r *packed.Reader) *trilith.Fact {
	x := &trilith.Fact{Owner: trilith.Owner(r.Text()), EntityID: trilith.ID(r.Text()), Verb: r.Text(),
		FactID:          r.Text(),
		Node:            trilith.Node{Type: r.Text(), Name: r.Text(), EntityRef: trilith.ID(r.Text())},
		RelationshipKey: r.Text(), Type: trilith.FactType(r.Text()), Polarity: trilith.Polarity(r.Text()),
		Certainty:  trilith.Certainty(r.Text()),
		AuthorRole: trilith.Role(r.Text()), Priority: trilith.Priority(r.Text()), Rule: r.Text(),
		Verification: trilith.Verification{Status: trilith.VerificationStatus(r.Text()), By: r.Text(), Note: r.Text()}}
	x.Confidence = math.Float64frombits(r.Uint())
	x.LegacyID = r.Int()
	x.RequiresAction, x.SingleValued = boolFrom(r), boolFrom(r)
	x.ActionDeadline, x.Verification.At = optionalTimeFrom(r), optionalTimeFrom(r)
	if n := r.Count(2); n > 0 {
		x.Evidence = make([]trilith.Evidence, n)
		for i := range x.Evidence {
			e := &x.Evidence[i]
			e.EpisodeID = trilith.ID(r.Text())
			for range r.Count(1) {
				e.Premises = append(e.Premises, trilith.Premise{EpisodeID: trilith.ID(r.Text())})
			}
		}
	}
	if boolFrom(r) {
		x.Financial = &trilith.Financial{Amount: r.Text(), Currency: r.Text(), Category: r.Text(), Type: r.Text(),
			Quantity: r.Text(), Unit: r.Text(), Rate: r.Text(), Check: r.Text()}
	}
	return x
}

func optionalTimeFrom(r *packed.Reader) *time.Time {
	if !boolFrom(r) {
		return nil
	}
	t := timeFrom(r)
	return &t
}

func boolFrom(r *packed.Reader) bool { return r.Uint() != 0 }

func timeFrom(r *packed.Reader) time.Time { return time.UnixMicro(r.Int()).UTC() }
