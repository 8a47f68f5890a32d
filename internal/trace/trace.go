// Package trace records how a request spent its time: as spans, which belong to one trace and are sent to a collector
// by OpenTelemetry's protocol. It is off unless a setting names a collector.
//
// A trace travels in the context, as the W3C recommendation Trace Context describes it on the wire. An entry begins a
// span with [Tracer.Start]; code below it adds spans with [Start], which costs nothing if tracing is off. Spans hold
// names and ids of ours and numbers, never a text.
package trace

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Kind is the side of a call that a span records; the numbers are those of the protocol.
type Kind int

// Kinds of spans.
const (
	Internal Kind = 1
	Server   Kind = 2 // answers a request
	Client   Kind = 3 // waits for an answer
)

// position is a place in a trace: a span of a caller elsewhere, or one of ours.
type position struct {
	trace   [16]byte
	span    [8]byte
	sampled bool
}

// current is a context's link to its trace.
type current struct {
	tracer *Tracer // nil: nothing below is recorded
	at     position
}

type currentKey struct{}

// Without returns a context that belongs to no trace, for work that is not done for the caller of ctx.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, currentKey{}, current{})
}

// WithParent returns a context in the trace that the value of a traceparent header names. One that is not valid names
// none.
func WithParent(ctx context.Context, traceparent string) context.Context {
	at, ok := parse(traceparent)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, currentKey{}, current{at: at})
}

// version is the only one of traceparent that there is. Later ones begin as it does.
const version = "00"

// parse reads a traceparent: VERSION-TRACE-SPAN-FLAGS, in small hexadecimal digits.
func parse(s string) (p position, ok bool) {
	const length = len("00-00000000000000000000000000000000-0000000000000000-00")
	if len(s) < length || len(s) > length && (s[:2] == version || s[length] != '-') ||
		s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return p, false
	}
	var head, flags [1]byte
	for _, part := range []struct {
		into []byte
		text string
	}{{head[:], s[:2]}, {p.trace[:], s[3:35]}, {p.span[:], s[36:52]}, {flags[:], s[53:55]}} {
		if part.text != strings.ToLower(part.text) {
			return p, false
		}
		if _, err := hex.Decode(part.into, []byte(part.text)); err != nil {
			return p, false
		}
	}
	p.sampled = flags[0]&1 == 1
	return p, head[0] != 0xff && p.trace != [16]byte{} && p.span != [8]byte{}
}

// ID returns the trace that a context belongs to, in hexadecimal digits; empty if it belongs to none.
func ID(ctx context.Context) string {
	at := of(ctx).at
	if at.trace == [16]byte{} {
		return ""
	}
	return hex.EncodeToString(at.trace[:])
}

// Parent returns the traceparent for requests made in ctx; empty if it is in no trace.
func Parent(ctx context.Context) string {
	at := of(ctx).at
	if at.trace == [16]byte{} {
		return ""
	}
	flags := "-00"
	if at.sampled {
		flags = "-01"
	}
	return version + "-" + hex.EncodeToString(at.trace[:]) + "-" + hex.EncodeToString(at.span[:]) + flags
}

// Span is a piece of work. A nil one is not recorded, and all its methods do nothing. It belongs to one goroutine.
type Span struct {
	tracer     *Tracer
	name       string
	kind       Kind
	at         position
	parent     [8]byte // zero: the first of its trace
	start, end time.Time
	attributes []attribute
	failed     bool
}

// Rename gives the span another name, which is known later than its beginning.
func (s *Span) Rename(name string) {
	if s != nil {
		s.name = name
	}
}

type model struct{ role.Model }

func (m *model) Generate(ctx context.Context, r role.ModelRequest) (role.ModelAnswer, error) {
	return m.call(ctx, "model.generate", func(ctx context.Context) (role.ModelAnswer, error) {
		return m.Model.Generate(ctx, r)
	})
}

// reader is a model that reads files too.
type reader struct {
	model
	files role.MediaReader
}

// Model returns a model whose calls are spans. It reads files if m does.
func Model(m role.Model) role.Model {
	if m == nil {
		return nil
	}
	if files, ok := m.(role.MediaReader); ok {
		return &reader{model{m}, files}
	}
	return &model{m}
}

func (r *reader) MediaKinds() []trilith.MediaKind { return r.files.MediaKinds() }

func (r *reader) ReadMedia(ctx context.Context, m trilith.MediaRequest) (role.ModelAnswer, error) {
	return r.call(ctx, "model.read", func(ctx context.Context) (role.ModelAnswer, error) {
		return r.files.ReadMedia(ctx, m)
	})
}

func (m *model) call(ctx context.Context, name string, do func(context.Context) (role.ModelAnswer, error)) (
	role.ModelAnswer, error) {
	ctx, span := Start(ctx, name, Client)
	info := m.Info()
	span.Set("gen_ai.system", info.Provider)
	span.Set("gen_ai.request.model", info.Name)
	a, err := do(ctx)
	span.SetInt("gen_ai.usage.input_tokens", a.Usage.InputTokens)
	span.SetInt("gen_ai.usage.output_tokens", a.Usage.OutputTokens)
	span.End(err)
	return a, err
}

// Start begins a span below that of ctx, and returns the context for the work in it. If tracing is off, the span is
// nil.
func Start(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	return of(ctx).tracer.Start(ctx, name, kind)
}

// Start begins a span below that of ctx, or the first of a new trace. It is nil if t is, and in a trace whose caller
// does not want it recorded.
func (t *Tracer) Start(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	at := of(ctx).at
	s := &Span{tracer: t, name: name, kind: kind, parent: at.span, at: at, start: t.o.Now()}
	switch {
	case at.trace == [16]byte{}:
		binary.NativeEndian.PutUint64(s.at.trace[:8], some())
		binary.NativeEndian.PutUint64(s.at.trace[8:], some())
		s.at.sampled = true
	case !at.sampled:
		return ctx, nil
	}
	binary.NativeEndian.PutUint64(s.at.span[:], some())
	return context.WithValue(ctx, currentKey{}, current{tracer: t, at: s.at}), s
}

func of(ctx context.Context) current {
	c, _ := ctx.Value(currentKey{}).(current)
	return c
}

// some returns a number other than 0, which means none in ids. Ids have to differ, and are no secret.
func some() uint64 { return rand.Uint64N(1<<64-1) + 1 }

// attribute is a string or a whole number under a name.
type attribute struct {
	key   string
	value any
}

// SetInt notes a number.
func (s *Span) SetInt(key string, value int) {
	if s != nil {
		s.attributes = append(s.attributes, attribute{key, value})
	}
}

// End ends the span and hands it over to be sent. An error makes it a failed one.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.Fail(trilith.KindOf(err).String())
	}
	s.end = s.tracer.o.Now()
	s.tracer.take(s)
}

// Fail notes that the work failed, and how: a kind of error, never its text.
func (s *Span) Fail(kind string) {
	if s != nil {
		s.failed = true
		s.Set("error.type", kind)
	}
}

// Set notes a string of ours.
func (s *Span) Set(key, value string) {
	if s != nil && value != "" {
		s.attributes = append(s.attributes, attribute{key, value})
	}
}
