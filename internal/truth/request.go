package truth

import (
	"context"
	"log/slog"

	"github.com/cairn-memory/cairn/internal/trace"
)

type requestKey struct{}

// WithRequest names the request that ctx belongs to, for the log and for the jobs that the request makes. It decides
// nothing.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestOf returns the name of the request that ctx belongs to; empty outside of one.
func RequestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// LogRequests returns a logger that writes to l, and adds request_id and trace_id to what is logged for a
// request.
func LogRequests(l *slog.Logger) *slog.Logger { return slog.New(requestHandler{l.Handler()}) }

type requestHandler struct{ slog.Handler }

func (h requestHandler) Handle(ctx context.Context, r slog.Record) error {
	for _, a := range []slog.Attr{slog.String("request_id", RequestOf(ctx)), slog.String("trace_id", trace.ID(ctx))} {
		if a.Value.String() != "" {
			r = r.Clone()
			r.AddAttrs(a)
		}
	}
	return h.Handler.Handle(ctx, r)
}

func (h requestHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(attrs)}
}

func (h requestHandler) WithGroup(name string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(name)}
}
