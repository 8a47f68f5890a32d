package engine

import (
	"context"
	"log/slog"

	"github.com/trilith-memory/trilith/internal/lang/prompt"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/recall/served"
	"github.com/trilith-memory/trilith/internal/review/alerts"
	"github.com/trilith-memory/trilith/internal/talk/sessions"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// Names of types in the rooms that the edges need, because edges do not import rooms.
type (
	JobOutcome = truth.JobOutcome
	Ledger     = truth.ErasureLedger
	Meter      = truth.Meter
	RecallLog  = served.Config
	// AlertsConfig limits the number of stored alerts, and lists the webhooks.
	AlertsConfig = alerts.Config
	// WebhookSender sends an alert to a webhook.
	WebhookSender = alerts.Sender
)

// WithRequest returns a context whose log lines name a request.
func WithRequest(ctx context.Context, id string) context.Context { return truth.WithRequest(ctx, id) }

// RequestOf returns the request id that [WithRequest] added to ctx, or "".
func RequestOf(ctx context.Context) string { return truth.RequestOf(ctx) }

// HoldsKey reports whether a text holds somebody's key, and so must stay out of the log.
func HoldsKey(text string) bool { return gate.HoldsKey(text) }

// LogRequests returns a logger whose lines name the request of their context.
func LogRequests(l *slog.Logger) *slog.Logger { return truth.LogRequests(l) }

// Fit returns as many of the items as an answer may hold, at least one, and whether others are left out. An answer may
// hold [trilith.MaxPageBytes].
func Fit[T any](items []T) (kept []T, truncated bool) { return truth.Fit(items) }

// Tokens counts the tokens of a text as context blocks do by default.
func Tokens(s string) int { return assemble.Tokens(s) }

// Neutral returns a text in the form that is safe for a model to read: see [prompt.Neutral].
func Neutral(text string) string { return prompt.Neutral(text) }

// SessionConfig is [sessions.Config].
type SessionConfig = sessions.Config
