package sqlite

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// more holds the fields of a memory that no query uses.
type more struct {
	Supersedes []trilith.ID     `json:"supersedes,omitempty"`
	SharedFrom trilith.ID       `json:"shared_from,omitempty"`
	Tags       []string         `json:"tags,omitempty"`
	Metadata   map[string]any   `json:"metadata,omitempty"`
	Entry      *trilith.Entry   `json:"entry,omitempty"`
	ArchivedAt *time.Time       `json:"archived_at,omitempty"`
	Offset     int              `json:"offset,omitempty"` // of the event time, in minutes
	Summary    *trilith.Summary `json:"summary,omitempty"`
	Fact       *trilith.Fact    `json:"fact,omitempty"` // complete; columns repeat the fields that queries use
}

// noMore is the stored form of a memory without any of these fields.
const noMore = ""

// decodeMore decodes the stored fields. A recall reads dozens of facts, and reflection takes longer than the rest of
// reading them, so JSON in the form that trilith writes is decoded without reflection. encoding/json decodes anything
// else.
func decodeMore(text string) (x more, err error) {
	r := newMoreReader(text)
	if x.read(r); !r.failed && r.rest == "" {
		return x, nil
	}
	x = more{}
	return x, json.Unmarshal([]byte(text), &x)
}

// moreReader parses JSON in the form that encoding/json writes, without white space, and fails on any other form. Texts
// without an escape share memory with the input.
type moreReader struct {
	rest    string
	plain   bool // the input is valid UTF-8 without an escape
	started bool // the current object or array has an element
	failed  bool
}

func newMoreReader(text string) *moreReader {
	return &moreReader{rest: text, plain: strings.IndexByte(text, '\\') < 0 && utf8.ValidString(text)}
}

func (x *more) read(r *moreReader) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "supersedes":
			x.Supersedes = elements(r, (*moreReader).id)
		case "shared_from":
			x.SharedFrom = trilith.ID(r.text())
		case "tags":
			x.Tags = elements(r, (*moreReader).text)
		case "metadata":
			x.Metadata = r.members()
		case "entry":
			x.Entry = new(entryFrom(r))
		case "archived_at":
			x.ArchivedAt = new(r.time())
		case "offset":
			x.Offset = int(r.integer())
		case "fact":
			x.Fact = new(factFrom(r))
		case "summary":
			x.Summary = new(summaryFrom(r))
		default:
			r.fail()
		}
	}
}

func entryFrom(r *moreReader) (e trilith.Entry) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "category":
			e.Category = r.text()
		case "title":
			e.Title = r.text()
		case "content":
			e.Content = r.text()
		case "structured":
			e.Structured = r.members()
		case "confidence":
			e.Confidence = r.number()
		default:
			r.fail()
		}
	}
	return e
}

func factFrom(r *moreReader) (f trilith.Fact) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "owner":
			f.Owner = trilith.Owner(r.text())
		case "guest":
			f.Guest = r.bool()
		case "entity_id":
			f.EntityID = trilith.ID(r.text())
		case "verb":
			f.Verb = r.text()
		case "fact_id":
			f.FactID = r.text()
		case "fact":
			f.Node = nodeFrom(r)
		case "relationship_key":
			f.RelationshipKey = r.text()
		case "fact_type":
			f.Type = trilith.FactType(r.text())
		case "content":
			f.Content = r.members()
		case "polarity":
			f.Polarity = trilith.Polarity(r.text())
		case "certainty":
			f.Certainty = trilith.Certainty(r.text())
		case "confidence":
			f.Confidence = r.number()
		case "author_role":
			f.AuthorRole = trilith.Role(r.text())
		case "evidence":
			f.Evidence = elements(r, evidenceFrom)
		case "priority":
			f.Priority = trilith.Priority(r.text())
		case "requires_action":
			f.RequiresAction = r.bool()
		case "action_deadline":
			f.ActionDeadline = new(r.time())
		case "financial":
			f.Financial = new(financialFrom(r))
		case "verification":
			f.Verification = verificationFrom(r)
		case "rule":
			f.Rule = r.text()
		case "single_valued":
			f.SingleValued = r.bool()
		case "legacy_id":
			f.LegacyID = r.integer()
		default:
			r.fail()
		}
	}
	return f
}

func nodeFrom(r *moreReader) (n trilith.Node) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "type":
			n.Type = r.text()
		case "name":
			n.Name = r.text()
		case "entity_ref":
			n.EntityRef = trilith.ID(r.text())
		default:
			r.fail()
		}
	}
	return n
}

// members reads an object with any values.
func (r *moreReader) members() map[string]any {
	out := map[string]any{}
	for r.begin('{'); r.another('}'); {
		name := r.name()
		out[name] = r.value()
	}
	return out
}

// value reads any value.
func (r *moreReader) value() any {
	if r.rest == "" {
		r.fail()
		return nil
	}
	switch r.rest[0] {
	case '"':
		return r.text()
	case '{':
		return r.members()
	case '[':
		return elements(r, (*moreReader).value)
	case 't', 'f':
		return r.bool()
	case 'n':
		r.expect("null")
		return nil
	}
	return r.number()
}

func evidenceFrom(r *moreReader) (e trilith.Evidence) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "episode_id":
			e.EpisodeID = trilith.ID(r.text())
		case "quote":
			e.Quote = r.text()
		case "start":
			e.Start = int(r.integer())
		case "end":
			e.End = int(r.integer())
		case "entity_id":
			e.EntityID = trilith.ID(r.text())
		case "premises":
			e.Premises = elements(r, premiseFrom)
		case "at":
			e.At = r.time()
		case "said_at":
			e.SaidAt = new(r.time())
		case "until":
			e.Until = new(r.time())
		case "confidence":
			e.Confidence = r.number()
		case "certainty":
			e.Certainty = trilith.Certainty(r.text())
		case "trust":
			e.Trust = trilith.Trust(r.text())
		case "ends":
			e.Ends = r.bool()
		case "says":
			e.Says = r.text()
		case "source_id":
			e.SourceID = trilith.ID(r.text())
		case "rule":
			e.Rule = r.text()
		case "heir":
			e.Successor = trilith.ID(r.text())
		case "withdrawn":
			e.Withdrawn = r.bool()
		case "other":
			e.Other = r.bool()
		case "proposed":
			e.Proposed = r.bool()
		default:
			r.fail()
		}
	}
	return e
}

func premiseFrom(r *moreReader) (p trilith.Premise) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "episode_id":
			p.EpisodeID = trilith.ID(r.text())
		case "quote":
			p.Quote = r.text()
		case "start":
			p.Start = int(r.integer())
		case "end":
			p.End = int(r.integer())
		default:
			r.fail()
		}
	}
	return p
}

func financialFrom(r *moreReader) (m trilith.Financial) {
	to := map[string]*string{"amount": &m.Amount, "currency": &m.Currency, "category": &m.Category, "type": &m.Type,
		"quantity": &m.Quantity, "unit": &m.Unit, "rate": &m.Rate, "check": &m.Check}
	for r.begin('{'); r.another('}'); {
		if field := to[r.name()]; field != nil {
			*field = r.text()
		} else {
			r.fail()
		}
	}
	return m
}

func verificationFrom(r *moreReader) (v trilith.Verification) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "status":
			v.Status = trilith.VerificationStatus(r.text())
		case "by":
			v.By = r.text()
		case "at":
			v.At = new(r.time())
		case "note":
			v.Note = r.text()
		default:
			r.fail()
		}
	}
	return v
}

func summaryFrom(r *moreReader) (s trilith.Summary) {
	for r.begin('{'); r.another('}'); {
		switch r.name() {
		case "of":
			s.Of = trilith.SummaryOf(r.text())
		case "subject":
			s.Subject = r.text()
		case "sources":
			s.Sources = elements(r, (*moreReader).id)
		case "from":
			s.From = r.time()
		case "through":
			s.Through = int(r.integer())
		case "tokens":
			s.Tokens = int(r.integer())
		case "stale":
			s.Stale = r.bool()
		case "model":
			s.Model = r.text()
		default:
			r.fail()
		}
	}
	return s
}

// name reads the name of a member.
func (r *moreReader) name() string {
	name := r.text()
	r.expect(":")
	return name
}

// elements reads an array; one reads each element.
func elements[T any](r *moreReader, one func(*moreReader) T) []T {
	if strings.HasPrefix(r.rest, "n") {
		r.expect("null")
		return nil
	}
	out := []T{}
	for r.begin('['); r.another(']'); {
		out = append(out, one(r))
	}
	return out
}

// another reports whether one more element follows, and skips the comma before it, or the end.
func (r *moreReader) another(end byte) bool {
	if r.failed {
		return false
	}
	if r.next(end) {
		r.started = true // it is itself an element
		return false
	}
	if r.started {
		r.expect(",")
	}
	r.started = true
	return !r.failed
}

func (r *moreReader) id() trilith.ID { return trilith.ID(r.text()) }

func (r *moreReader) time() (t time.Time) {
	if t.UnmarshalText([]byte(r.text())) != nil {
		r.fail()
	}
	return t
}

func (r *moreReader) integer() int64 {
	v, err := strconv.ParseInt(r.literal(), 10, 64)
	if err != nil {
		r.fail()
	}
	return v
}

func (r *moreReader) bool() bool {
	if strings.HasPrefix(r.rest, "t") {
		r.expect("true")
		return true
	}
	r.expect("false")
	return false
}

// expect skips a text that has to come next.
func (r *moreReader) expect(text string) {
	var ok bool
	if r.rest, ok = strings.CutPrefix(r.rest, text); !ok {
		r.fail()
	}
}

// begin skips the beginning of an object or array.
func (r *moreReader) begin(c byte) {
	if !r.next(c) {
		r.fail()
	}
	r.started = false
}

// text reads a text. Without an escape it shares memory with the data.
func (r *moreReader) text() string {
	if !r.next('"') {
		r.fail()
		return ""
	}
	end := strings.IndexByte(r.rest, '"')
	if end < 0 || !r.plain && (strings.IndexByte(r.rest[:end], '\\') >= 0 || !utf8.ValidString(r.rest[:end])) {
		return r.escaped()
	}
	text := r.rest[:end]
	r.rest = r.rest[end+1:]
	return text
}

// next skips a character if it comes next.
func (r *moreReader) next(c byte) bool {
	if r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// escaped reads a text with escapes, after its opening quotation mark.
func (r *moreReader) escaped() (text string) {
	end := 0
	for ; end < len(r.rest) && r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			end++
		}
	}
	if end >= len(r.rest) || json.Unmarshal([]byte(`"`+r.rest[:end+1]), &text) != nil {
		r.fail()
		return ""
	}
	r.rest = r.rest[end+1:]
	return text
}

func (r *moreReader) number() float64 {
	v, err := strconv.ParseFloat(r.literal(), 64)
	if err != nil {
		r.fail()
	}
	return v
}

// literal reads a number.
func (r *moreReader) literal() string {
	n := 0
	for n < len(r.rest) && strings.IndexByte("+-.0123456789Ee", r.rest[n]) >= 0 {
		n++
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *moreReader) fail() { r.rest, r.failed = "", true }
