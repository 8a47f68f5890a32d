package camel

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// fact is a fact in the callers' form. Every field is always present; unknown values are null.
type fact struct {
	ID                 int64                      `json:"id"`
	SessionID          *string                    `json:"sessionId"`
	ProjectID          *int64                     `json:"projectId"` // null where the project is no number
	UserID             *int64                     `json:"userId"`    // null where the user is no number
	FactType           trilith.FactType           `json:"factType"`
	FactContent        map[string]any             `json:"factContent"`
	FactSummary        string                     `json:"factSummary"`
	IsActive           bool                       `json:"isActive"`
	SupersededBy       *int64                     `json:"supersededBy"`
	ValidUntil         *time.Time                 `json:"validUntil"`
	Version            int64                      `json:"version"`
	AuthorRole         trilith.Role               `json:"authorRole"`
	ConfidenceScore    float64                    `json:"confidenceScore"`
	VerificationStatus trilith.VerificationStatus `json:"verificationStatus"`
	VerifiedBy         *reviewer                  `json:"verifiedBy"`
	VerifiedAt         *time.Time                 `json:"verifiedAt"`
	FinancialAmount    json.RawMessage            `json:"financialAmount"` // the exact decimal, as a number
	Currency           *string                    `json:"currency"`
	FinancialCategory  *string                    `json:"financialCategory"`
	FinancialType      *string                    `json:"financialType"`
	Priority           trilith.Priority           `json:"priority"`
	RequiresAction     bool                       `json:"requiresAction"`
	ActionDeadline     *time.Time                 `json:"actionDeadline"`
	SourceMessageID    *string                    `json:"sourceMessageId"` // the caller's own id of the turn, else ours
	CreatedAt          time.Time                  `json:"createdAt"`
	UpdatedAt          time.Time                  `json:"updatedAt"`
}

// reviewer is who verified a fact: a number, if all of an answer are numbers, else a text.
type reviewer struct {
	name    string
	numbers *bool // shared by the facts of an answer
}

// MarshalJSON writes the number or the text.
func (r reviewer) MarshalJSON() ([]byte, error) {
	if *r.numbers {
		return []byte(r.name), nil
	}
	return json.Marshal(r.name)
}

// wholeFact is a fact with its vector; null if there is none.
type wholeFact struct {
	fact
	Embedding trilith.Vector `json:"embedding"`
}

// foundFact is a fact that a search found. Its members appear twice, in fact and at the top level, which callers of the
// flat form read.
type foundFact struct {
	Fact wholeFact `json:"fact"`
	fact
	Similarity     float64 `json:"similarity"`
	RelevanceScore float64 `json:"relevanceScore"`
	Weak           bool    `json:"weak,omitempty"` // fills a place: the query did not find it
}

// translate returns facts in the callers' form, by id, without ones erased meanwhile. It assigns numbers to facts
// without one, and to those that replaced them.
func (s *surface) translate(ctx context.Context, tenant trilith.Scope, ms []trilith.Memory) (
	map[trilith.ID]wholeFact, error) {
	var ids, turns []trilith.ID
	for _, m := range ms {
		ids = append(ids, m.ID)
		if len(m.Fact.Evidence) > 0 {
			turns = append(turns, m.Fact.Evidence[0].EpisodeID)
		}
	}
	numbers, err := s.engine.LegacyIDs(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	successors, err := s.engine.LegacyIDs(ctx, tenant, successors(ms))
	if err != nil {
		return nil, err
	}
	names, err := s.externalIDs(ctx, tenant, turns)
	if err != nil {
		return nil, err
	}
	vectors, err := s.engine.VectorsAtHand(ctx, tenant, ms)
	if err != nil {
		return nil, err
	}
	out := make(map[trilith.ID]wholeFact, len(ms))
	counted := true // whether all who verified are numbers
	for i := range ms {
		if n := numbers[ms[i].ID]; n != 0 {
			f := toldAs(&ms[i], n, successors, names)
			if f.VerifiedBy != nil {
				f.VerifiedBy.numbers = &counted
				counted = counted && scopeNumber(f.VerifiedBy.name) != nil
			}
			out[ms[i].ID] = wholeFact{f, vectors[i]}
		}
	}
	return out, nil
}

// list tells the facts of a page in their order.
func (s *surface) list(ctx context.Context, tenant trilith.Scope, page trilith.Page) (facts, error) {
	translated, err := s.translate(ctx, tenant, page.Items)
	out := facts{Facts: []wholeFact{}}
	for _, m := range page.Items {
		if f, ok := translated[m.ID]; ok {
			out.Facts = append(out.Facts, f)
		}
	}
	var fewer bool
	out.Facts, fewer = engine.Fit(out.Facts)
	out.Truncated = fewer || page.Truncated
	return out, err
}

func successors(ms []trilith.Memory) []trilith.ID {
	var ids []trilith.ID
	for _, m := range ms {
		if m.SupersededBy != "" {
			ids = append(ids, m.SupersededBy)
		}
	}
	return ids
}

// externalIDs returns the callers' own ids of turns, by ours.
func (s *surface) externalIDs(ctx context.Context, tenant trilith.Scope, turns []trilith.ID) (map[trilith.ID]string, error) {
	out := map[trilith.ID]string{}
	if len(turns) == 0 {
		return out, nil
	}
	r := trilith.ListRequest{Limit: trilith.MaxPageSize, States: trilith.States(), Archived: true,
		Filter: trilith.AllOf(trilith.Where("id", trilith.OpIn, turns), trilith.Where("external_id", trilith.OpNe, nil))}
	for { // long turns take several pages
		page, err := s.engine.List(ctx, tenant, r)
		for _, m := range page.Items {
			out[m.ID] = m.ExternalID
		}
		if r.Cursor = page.NextCursor; err != nil || r.Cursor == "" {
			return out, err
		}
	}
}

// toldAs is a memory of kind fact in the callers' words.
func toldAs(m *trilith.Memory, n int64, numbers map[trilith.ID]int64, names map[trilith.ID]string) fact {
	f := m.Fact
	out := fact{ID: n, SessionID: orNull(m.Scope.Session), ProjectID: scopeNumber(m.Scope.Project),
		UserID:   scopeNumber(m.Scope.User),
		FactType: f.Type, FactContent: f.Content, FactSummary: m.Text, IsActive: m.State == trilith.StateActive,
		ValidUntil: m.ValidUntil,
		Version:    m.Version, AuthorRole: f.AuthorRole, ConfidenceScore: f.Confidence,
		VerificationStatus: f.Verification.Status,
		VerifiedAt:         f.Verification.At, FinancialAmount: json.RawMessage("null"),
		Priority: f.Priority, RequiresAction: f.RequiresAction, ActionDeadline: f.ActionDeadline,
		CreatedAt: m.RecordedAt, UpdatedAt: m.RecordedAt}
	if out.FactContent == nil {
		out.FactContent = map[string]any{}
	}
	if out.Priority == "" {
		out.Priority = trilith.PriorityNormal
	}
	if successor := numbers[m.SupersededBy]; successor != 0 {
		out.SupersededBy = &successor
	}
	if f.Financial != nil {
		out.FinancialAmount = amount(f.Financial.Amount)
		out.Currency, out.FinancialCategory, out.FinancialType = orNull(f.Financial.Currency),
			orNull(f.Financial.Category), orNull(f.Financial.Type)
	}
	switch {
	case f.Foreign(): // the application's own words, where it has some
		id, _ := m.Metadata["source_message_id"].(string)
		out.SourceMessageID = orNull(id)
	case len(f.Evidence) > 0:
		turn := f.Evidence[0].EpisodeID
		if out.SourceMessageID = orNull(names[turn]); out.SourceMessageID == nil {
			out.SourceMessageID = orNull(string(turn))
		}
	}
	if by := f.Verification.By; by != "" && by != trilith.ByForeign {
		out.VerifiedBy = &reviewer{name: by}
	}
	for _, at := range []*time.Time{m.SupersededAt, f.Verification.At} {
		if at != nil && at.After(out.UpdatedAt) {
			out.UpdatedAt = *at
		}
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

var decimal = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,20})?$`)

// amount is a decimal as a JSON number, digit for digit but for zeros in front; null if it is none.
func amount(text string) json.RawMessage {
	n, ok := new(big.Rat), decimal.MatchString(text)
	if ok {
		n, ok = n.SetString(text)
	}
	if !ok {
		return json.RawMessage("null")
	}
	_, fraction, _ := strings.Cut(text, ".")
	return json.RawMessage(n.FloatString(len(fraction)))
}

// score is rounded so that equal facts have equal scores on every machine.
func score(x float64) float64 { return math.Round(x*1e4) / 1e4 }
