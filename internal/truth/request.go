package truth

import (
	"context"
	"log/slog"
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

// LogRequests returns a logger that writes to l, and adds request_id to what is logged for a request.
func LogRequests(l *slog.Logger) *slog.Logger { return slog.New(requestHandler{l.Handler()}) }

type requestHandler struct{ slog.Handler }

func (h requestHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := RequestOf(ctx); id != "" {
		r = r.Clone()
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h requestHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestHandler{h.Handler.WithAttrs(attrs)}
}

func (h requestHandler) WithGroup(name string) slog.Handler {
	return requestHandler{h.Handler.WithGroup(name)}
}
