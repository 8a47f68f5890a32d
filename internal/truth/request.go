package truth

import (
	"context"
	"log/slog"

	"github.com/trilith-memory/trilith/internal/trace"
)

type requestKey struct{}

// WithRequest adds a request id to ctx, for the log and for the jobs of the request. It has no other effect.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

type requestHandler struct{ slog.Handler }

// LogRequests returns a logger that writes to l and adds the request_id and trace_id of ctx.
func LogRequests(l *slog.Logger) *slog.Logger { return slog.New(requestHandler{l.Handler()}) }

func (h requestHandler) Handle(ctx context.Context, r slog.Record) error {
	for _, a := range []slog.Attr{slog.String("request_id", RequestOf(ctx)), slog.String("trace_id", trace.ID(ctx))} {
		if a.Value.String() != "" {
			r = r.Clone()
			r.AddAttrs(a)
		}
	}
	return h.Handler.Handle(ctx, r)
}

// RequestOf returns the request id in ctx, or "".
func RequestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

func (h requestHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(attrs)}
}

func (h requestHandler) WithGroup(name string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(name)}
}
