package camel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// Defaults for callers that do not say.
const (
	searchLimit     = 20
	searchSure      = 0.6 // minConfidence
	actionableLimit = 50
	unverifiedLimit = 20
)

type searchRequest struct {
	Query              string                       `json:"query"`
	ProjectID          *int64                       `json:"projectId"`
	UserID             *int64                       `json:"userId"`
	SessionID          string                       `json:"sessionId"`
	FactTypes          []trilith.FactType           `json:"factTypes"`
	MinConfidence      *float64                     `json:"minConfidence"`
	Limit              *int                         `json:"limit"`
	VerificationStatus []trilith.VerificationStatus `json:"verificationStatus"`
	ActiveOnly         *bool                        `json:"activeOnly"`
	ValidOnly          *bool                        `json:"validOnly"`
	RequiresAction     *bool                        `json:"requiresAction"`
	Priority           []trilith.Priority           `json:"priority"`
	FinancialOnly      bool                         `json:"financialOnly"`
	MinFinancialAmount float64                      `json:"minFinancialAmount"`
}

func (s *surface) search(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	var in searchRequest
	if _, err := parameters(r); err != nil {
		return nil, err
	}
	if err := decode(r, &in); err != nil {
		return nil, err
	}
	scope, q, err := in.question(tenant)
	if err != nil {
		return nil, err
	}
	page, err := s.engine.Facts(ctx, scope, q)
	page.Coverage, err = engine.Partly(page.Coverage, err)
	if err != nil {
		return nil, err
	}
	ms := make([]trilith.Memory, len(page.Items))
	for i, h := range page.Items {
		ms[i] = h.Memory
	}
	translated, err := s.translate(ctx, tenant, ms)
	if err != nil {
		return nil, err
	}
	out := results{Results: []foundFact{}, Scale: cmp.Or(page.Scale, trilith.ScaleFused), Partial: page.Partial,
		FailedArms: page.FailedArms}
	for _, h := range page.Items {
		if f, ok := translated[h.Memory.ID]; ok {
			out.Results = append(out.Results, foundFact{Fact: f, fact: f.fact, Similarity: score(h.Score),
				RelevanceScore: score(h.Relevance), Weak: h.Weak})
		}
	}
	var fewer bool
	out.Results, fewer = engine.Fit(out.Results)
	out.Truncated = fewer || page.Truncated
	return out, nil
}

// question is the request in the engine's words, with its defaults.
func (in *searchRequest) question(tenant trilith.Scope) (trilith.Scope, trilith.FactQuery, error) {
	q := trilith.FactQuery{Query: in.Query, Types: in.FactTypes, MinConfidence: searchSure, Status: in.VerificationStatus,
		ActiveOnly:     in.ActiveOnly,
		RequiresAction: in.RequiresAction, Priorities: in.Priority, FinancialOnly: in.FinancialOnly,
		MinAmount: in.MinFinancialAmount,
		ValidOnly: in.ValidOnly == nil || *in.ValidOnly, Limit: searchLimit}
	if in.MinConfidence != nil {
		q.MinConfidence = *in.MinConfidence
	}
	if in.Limit != nil {
		q.Limit = *in.Limit
	}
	scope := tenant
	scope.Session = in.SessionID
	var err error
	if scope.Project, err = scopeValue("projectId", in.ProjectID); err != nil {
		return scope, q, err
	}
	if scope.User, err = scopeValue("userId", in.UserID); err != nil {
		return scope, q, err
	}
	switch {
	case q.Query == "":
		return scope, q, trilith.Errorf(trilith.Invalid, "query: is empty; say what the facts should matter for")
	case q.Limit < 1 || q.Limit > trilith.MaxK:
		return scope, q, trilith.Errorf(trilith.Invalid, "limit: is %d, must be 1 to %d", q.Limit, trilith.MaxK)
	case !(q.MinConfidence >= 0 && q.MinConfidence <= 1):
		return scope, q, trilith.Errorf(trilith.Invalid, "minConfidence: must lie between 0 and 1")
	}
	if err := oneOf("verificationStatus", q.Status, trilith.PendingApproval, trilith.Verified, trilith.Rejected,
		trilith.NeedsReview, trilith.Disputed); err != nil {
		return scope, q, err
	}
	return scope, q, oneOf("priority", q.Priorities, trilith.PriorityCritical, trilith.PriorityHigh, trilith.PriorityNormal,
		trilith.PriorityLow)
}

func (s *surface) actionable(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	query, err := parameters(r, "limit", "days")
	if err != nil {
		return nil, err
	}
	days := 0
	if text, ok := query["days"]; ok {
		n, err := number("days", text)
		if err != nil {
			return nil, err
		}
		days = int(min(n, trilith.MaxAheadDays+1)) // more is refused, and fits
	}
	scope := tenant
	scope.Project = r.PathValue("projectId")
	if _, err := number("projectId", scope.Project); err != nil {
		return nil, err
	}
	limit, err := limitOf(query, actionableLimit)
	if err != nil {
		return nil, err
	}
	page, err := s.engine.Actionable(ctx, scope.OfEveryone(), trilith.ActionableQuery{Limit: limit, Days: days})
	if err != nil {
		return nil, err
	}
	return s.list(ctx, tenant, page)
}

func (s *surface) unverified(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	query, err := parameters(r, "projectId", "minAmount", "limit")
	if err != nil {
		return nil, err
	}
	scope := tenant
	if text, ok := query["projectId"]; ok {
		if _, err := number("projectId", text); err != nil {
			return nil, err
		}
		scope.Project = text
	}
	least, ok := query["minAmount"]
	if ok && !decimal.MatchString(least) {
		return nil, trilith.Errorf(trilith.Invalid, "minAmount: %.40q is not a decimal such as 5000 or 99.50", least)
	}
	limit, err := limitOf(query, unverifiedLimit)
	if err != nil {
		return nil, err
	}
	page, err := s.engine.UnverifiedFinancial(ctx, scope, trilith.UnverifiedQuery{MinAmount: least, Limit: limit})
	if err != nil {
		return nil, err
	}
	return s.list(ctx, tenant, page)
}

// verdicts are what callers decide, by the status that the fact has afterwards.
var verdicts = map[trilith.VerificationStatus]trilith.Decision{trilith.Verified: trilith.DecideVerify,
	trilith.Rejected:    trilith.DecideReject,
	trilith.NeedsReview: trilith.DecideReview, trilith.PendingApproval: trilith.DecidePending}

type verifyRequest struct {
	Status trilith.VerificationStatus `json:"status"`
	Notes  string                     `json:"notes"`
	UserID *int64                     `json:"userId"`
	// VerifiedBy is accepted and ignored: the decision is that of the key, or of the user that it names.
	VerifiedBy any `json:"verifiedBy"`
}

func (s *surface) verify(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	if _, err := parameters(r); err != nil {
		return nil, err
	}
	n, err := number("id", r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	in := verifyRequest{Status: trilith.Verified}
	if err := decode(r, &in); err != nil && !errors.Is(err, errNoBody) {
		return nil, err
	}
	by, err := scopeValue("userId", in.UserID)
	if err != nil {
		return nil, err
	}
	if err := oneOf("status", []trilith.VerificationStatus{in.Status}, trilith.Verified, trilith.Rejected,
		trilith.NeedsReview,
		trilith.PendingApproval); err != nil {
		return nil, err
	}
	if len(in.Notes) > trilith.MaxNameBytes {
		return nil, trilith.Errorf(trilith.Invalid, "notes: are %d bytes long, at most %d are allowed", len(in.Notes),
			trilith.MaxNameBytes)
	}
	id, err := s.engine.LegacyFact(ctx, tenant, n)
	if err != nil {
		return nil, err
	}
	m, err := s.engine.VerifyFact(
		ctx, tenant, id, trilith.VerifyRequest{Decision: verdicts[in.Status], Note: in.Notes, By: by})
	if err != nil {
		return nil, err
	}
	message := "Fact " + string(m.Fact.Verification.Status)
	if m.Masked > 0 {
		message += fmt.Sprintf("; secrets masked before storing: %d, in notes", m.Masked)
	}
	return decided{message}, nil
}

func oneOf[T ~string](name string, values []T, known ...T) error {
	for _, v := range values {
		if !slices.Contains(known, v) {
			return trilith.Errorf(trilith.Invalid, "%s: %.32q is not one of %s", name, string(v), words(known))
		}
	}
	return nil
}

func words[T ~string](vs []T) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

type regenerateRequest struct {
	Limit *int `json:"limit"`
}

func (s *surface) regenerate(ctx context.Context, tenant trilith.Scope, r *http.Request) (any, error) {
	query, err := parameters(r, "limit")
	if err != nil {
		return nil, err
	}
	limit, err := limitOf(query, trilith.DefaultRegenerate)
	if err != nil {
		return nil, err
	}
	var in regenerateRequest
	if err := decode(r, &in); err != nil && !errors.Is(err, errNoBody) {
		return nil, err
	}
	if in.Limit != nil {
		if len(query) > 0 {
			return nil, trilith.Errorf(trilith.Invalid, "limit: is in the query and in the body; send one of them")
		}
		if limit = *in.Limit; limit < 1 {
			return nil, trilith.Errorf(trilith.Invalid, "limit: is %d, must be at least 1", limit)
		}
	}
	res, err := s.engine.RegenerateEmbeddings(ctx, tenant, trilith.RegenerateRequest{Limit: limit})
	if err != nil {
		return nil, err
	}
	return done{Message: fmt.Sprintf("%d embeddings were regenerated, %d are left", res.Embedded, res.Left),
		Count: res.Embedded}, nil
}
