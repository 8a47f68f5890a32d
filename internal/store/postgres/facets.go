package postgres

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// facetColumns are the columns of [trilith.Facets] in the order of [encodeFacets] and [facetRow]. Every table that
// filters search has all of them, so one [where] works for every table.
var facetColumns = []string{"tenant", "id", "version", "kind", "state", "trust",
	"project", "domain", "user_id", "agent", "session", "channel",
	"role", "speaker", "type", "source_id", "shared_from", "superseded_by", "external_id", "category", "title",
	"entity_id", "verb", "fact_id", "entity_ref", "owner", "evidence",
	"seq", "event_time", "recorded_at", "valid_until", "superseded_at", "tags", "more"}

// columnsOf returns the facet columns of a table or its alias, for a SELECT.
func columnsOf(table string) string { return table + "." + strings.Join(facetColumns, ", "+table+".") }

// placeholders returns n numbered placeholders after the first `after`: "$1, $2" for 0 and 2.
func placeholders(after, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(after + i + 1))
	}
	return b.String()
}

// more holds the fields of a memory that have no columns. For facets it holds Metadata and Fact.
type more struct {
	Supersedes []trilith.ID     `json:"supersedes,omitempty"`
	Metadata   map[string]any   `json:"metadata,omitempty"`
	Entry      *trilith.Entry   `json:"entry,omitempty"`
	ArchivedAt *time.Time       `json:"archived_at,omitempty"`
	Summary    *trilith.Summary `json:"summary,omitempty"`
	Offset     int              `json:"offset,omitempty"` // of the event time, in minutes
	Fact       *trilith.Fact    `json:"fact,omitempty"`   // columns repeat the fields that queries use
}

// encodeFacets returns the values of [facetColumns]. Of a fact it includes the fields that filters test, without
// quotes.
func encodeFacets(f *trilith.Facets) ([]any, error) {
	var fact *trilith.Fact
	if f.Fact != nil {
		lean := *f.Fact
		lean.Content, lean.Evidence = nil, make([]trilith.Evidence, len(f.Fact.Evidence))
		for i, e := range f.Fact.Evidence {
			lean.Evidence[i].EpisodeID = e.EpisodeID
			for _, p := range e.Premises {
				lean.Evidence[i].Premises = append(lean.Evidence[i].Premises, trilith.Premise{EpisodeID: p.EpisodeID})
			}
		}
		fact = &lean
	}
	return encodeRow(f, more{Metadata: f.Metadata, Fact: fact})
}

// encodeRow returns the values of [facetColumns], with m for the fields without columns.
func encodeRow(f *trilith.Facets, m more) ([]any, error) {
	m.Offset = trilith.OffsetOf(f.EventTime)
	var rest any // NULL, or text: some modes of pgx do not accept bytes for jsonb
	if len(m.Supersedes) > 0 || len(m.Metadata) > 0 || m.Entry != nil || m.ArchivedAt != nil || m.Fact != nil ||
		m.Summary != nil || m.Offset != 0 {
		m.ArchivedAt = trilith.OptionalTime(m.ArchivedAt)
		if m.Fact != nil {
			kept := *m.Fact
			kept.ActionDeadline = trilith.OptionalTime(kept.ActionDeadline)
			kept.Verification.At = trilith.OptionalTime(kept.Verification.At)
			m.Fact = &kept
		}
		b, err := json.Marshal(m)
		if err != nil {
			return nil, trilith.Errorf(
				trilith.Invalid, "memories: the metadata or the structured data of %s cannot be written as JSON: %w",
				f.ID, err)
		}
		rest = string(jsonText(b))
	}
	var fact trilith.Fact
	if f.Fact != nil {
		fact = *f.Fact
	}
	evidence := []string{}
	for _, e := range fact.Evidence {
		evidence = append(evidence, texts(e.Episodes())...)
	}
	s := &f.Scope
	return []any{text(s.Tenant), text(string(f.ID)), f.Version, text(string(f.Kind)), text(string(f.State)),
		text(string(f.Trust)),
		text(s.Project), text(s.Domain), text(s.User), text(s.Agent), text(s.Session), text(s.Channel),
		text(string(f.Role)), text(f.Speaker), text(f.Type), text(string(f.SourceID)), text(string(f.SharedFrom)),
		text(string(f.SupersededBy)),
		text(f.ExternalID), text(f.Category), text(f.Title),
		text(string(fact.EntityID)), text(fact.Verb), text(fact.FactID), text(string(fact.Node.EntityRef)),
		text(string(f.Owner())), evidence,
		int64(f.Seq), trilith.Time(f.EventTime), trilith.Time(f.RecordedAt), trilith.OptionalTime(f.ValidUntil),
		trilith.OptionalTime(f.SupersededAt), texts(f.Tags), rest}, nil
}

// facetTexts is the number of facet columns that are single texts.
const facetTexts = 25

// facetRow receives the facet columns of a row.
type facetRow struct {
	texts             [facetTexts]string
	version, seq      int64
	event, recorded   time.Time
	until, superseded *time.Time
	evidence, tags    []string
	rest              []byte
}

// targets returns the arguments of Scan for [facetColumns].
func (r *facetRow) targets() []any {
	t := &r.texts
	return []any{&t[0], &t[1], &r.version, &t[2], &t[3], &t[4], &t[5], &t[6], &t[7], &t[8], &t[9], &t[10], &t[11],
		&t[12], &t[13],
		&t[14], &t[15], &t[16], &t[17], &t[18], &t[19], &t[20], &t[21], &t[22], &t[23], &t[24], &r.evidence,
		&r.seq, &r.event, &r.recorded, &r.until, &r.superseded, &r.tags, &r.rest}
}

// facets returns the scanned facets.
func (r *facetRow) facets() (trilith.Facets, more, error) {
	t := &r.texts
	for i := range t {
		t[i] = plain(t[i])
	}
	f := trilith.Facets{ID: trilith.ID(t[1]), Version: r.version, Kind: trilith.Kind(t[2]), State: trilith.State(t[3]),
		Trust: trilith.Trust(t[4]),
		Scope: trilith.Scope{Tenant: t[0], Project: t[5], Domain: t[6], User: t[7], Agent: t[8], Session: t[9],
			Channel: t[10]},
		Role: trilith.Role(t[11]), Speaker: t[12], Type: t[13], SourceID: trilith.ID(t[14]), SharedFrom: trilith.ID(t[15]),
		SupersededBy: trilith.ID(t[16]),
		ExternalID:   t[17], Category: t[18], Title: t[19], Seq: int(r.seq), EventTime: r.event.UTC(),
		RecordedAt: r.recorded.UTC(),
		ValidUntil: trilith.OptionalTime(r.until), SupersededAt: trilith.OptionalTime(r.superseded)}
	for _, tag := range r.tags {
		f.Tags = append(f.Tags, plain(tag))
	}
	var m more
	if len(r.rest) > 0 {
		if err := json.Unmarshal(plainJSON(r.rest), &m); err != nil {
			return f, m, trilith.Errorf(trilith.Internal, "store: memory %s cannot be decoded: %w", f.ID, err)
		}
	}
	f.EventTime = trilith.AtOffset(f.EventTime, m.Offset)
	f.Metadata, f.Fact = m.Metadata, m.Fact
	return f, m, nil
}
