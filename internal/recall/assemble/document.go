package assemble

import (
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// maxQuery is how many bytes of the query a document repeats: enough to recognise it.
const maxQuery = 200

// document is a JSON document with one record per line.
type document struct {
	count   func(string) int
	query   string
	records []entry
}

// jsonRecord is a record in a document.
type jsonRecord struct {
	ID         trilith.ID    `json:"id"`
	Kind       trilith.Kind  `json:"kind"`
	EventTime  string        `json:"event_time,omitempty"`
	Session    string        `json:"session,omitempty"`
	Document   string        `json:"document,omitempty"`
	Heading    string        `json:"heading,omitempty"`
	Role       trilith.Role  `json:"role,omitempty"`
	Speaker    string        `json:"speaker,omitempty"`
	Text       string        `json:"text"`
	Cut        bool          `json:"cut,omitempty"`
	State      trilith.State `json:"state,omitempty"`
	ValidUntil string        `json:"valid_until,omitempty"`
	Trust      trilith.Trust `json:"trust,omitempty"`
	Planned    bool          `json:"planned,omitempty"`
	Score      *float64      `json:"score,omitempty"`
	Weak       bool          `json:"weak,omitempty"`
}

const documentTail = "]}\n"

func (d *document) frame() int { return d.count(d.head()) + d.count(documentTail) }

func (d *document) wording(m *trilith.Memory) string { return lines(m.Text) }

func (d *document) beside() bool { return true }

func (d *document) cost(r record) int {
	n := d.count(recordJSON(r) + "\n")
	if len(d.records) > 0 {
		n += d.count(",")
	}
	return n
}

func (d *document) add(r record) { d.records = append(d.records, entry{r, recordJSON(r)}) }

func recordJSON(r record) string {
	m := r.memory
	out := jsonRecord{ID: m.ID, Kind: m.Kind, Session: Inline(m.Scope.Session), Role: m.Role,
		Speaker: Inline(m.Speaker),
		Text:    r.text, Cut: r.cut, State: m.State, Planned: m.Planned, Trust: m.Trust, Weak: r.weak}
	if !m.EventTime.IsZero() {
		out.EventTime = m.EventTime.Format(time.RFC3339Nano)
	}
	if m.ValidUntil != nil {
		out.ValidUntil = m.ValidUntil.Format(time.RFC3339Nano)
	}
	if m.Kind == trilith.KindPassage {
		heading, _ := m.Metadata["heading"].(string)
		out.Document, out.Heading = Inline(documentName(m)), Inline(heading)
	}
	if r.score != nil && !math.IsNaN(*r.score) && !math.IsInf(*r.score, 0) {
		rounded := math.Round(*r.score*1e4) / 1e4
		out.Score = &rounded
	}
	return encode(out)
}

func documentName(m *trilith.Memory) string {
	name, _ := m.Metadata["document"].(string)
	return name
}

func (d *document) lacks(h *trilith.Hit) trilith.ContextLeft { return without(d, h) }

func (d *document) write(p *page) {
	p.write(d.head())
	for i := range d.records {
		end := ",\n"
		if i == len(d.records)-1 {
			end = "\n"
		}
		p.record(&d.records[i].record, d.records[i].lines+end)
	}
	p.write(documentTail)
}

func (d *document) head() string {
	query := Inline(d.query)
	if len(query) > maxQuery {
		n := maxQuery
		for n > 0 && !utf8.RuneStart(query[n]) {
			n--
		}
		query = query[:n] + "…"
	}
	return `{"note":` + encode(notice) + `,"query":` + encode(query) + `,"records":[` + "\n"
}

// encode also escapes < and >, so that no text can look like a tag.
func encode(v any) string {
	body, _ := json.Marshal(v) // strings and finite numbers: it cannot fail
	return string(body)
}
