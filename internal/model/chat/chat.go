// Package chat is the common part of all models behind an HTTP service: it checks requests and sends them, whole or
// streamed, and joins the answers, removes thoughts, counts and meters. The form of a service's requests and answers
// is a [Dialect], which each driver brings.
package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
)

// Dialect is how a service is spoken to. Its methods are safe for concurrent use.
type Dialect interface {
	// Request returns where a request goes, below the service's base URL, and its body, which becomes JSON. r.Stream
	// says whether the answer is to come in events.
	Request(r *role.ModelRequest) (path string, body any)
	// Read reads an answer, or one event of it.
	Read(data []byte) (Part, error)
}

// MediaDialect is a [Dialect] of a service that takes files.
type MediaDialect interface {
	// Media returns where a request about a file goes, and its body. Read reads the answer.
	Media(r *trilith.MediaRequest) (path string, body any)
}

// Part is a part of an answer, or of an event in it.
type Part struct {
	// of the answer or of the call that the model was made to do; no thoughts that are marked as such
	Text  string
	Stop  role.StopReason // empty: it goes on. Of several the first counts
	Usage trilith.Usage   // so far; the largest of several reported numbers counts
	// First holds how likely the tokens are that the answer could have begun with, if the service says so.
	First map[string]float64
}

// Options describe a model.
type Options struct {
	Info    role.ModelInfo
	Dialect Dialect
	Client  *provider.Client // closed by the model
	// MaxOutput is the service's largest number of output tokens; 0: as many as the context.
	MaxOutput int
	// Media are the kinds of files that the model reads; the dialect is then a [MediaDialect].
	Media []trilith.MediaKind
	// AskAgain says that the service is known to answer with nothing now and then, and to do better the second time.
	AskAgain bool
}

// Model is a [role.Model] on an HTTP service.
//
// A service that does not know a form of output refuses requests with it. Once it has accepted a weaker form right
// after refusing a stronger one, the stronger form is Unsupported from then on, and no request is sent for it.
type Model struct {
	o      Options
	forms  refusals
	plain  atomic.Bool // the service has refused a temperature, or to say how likely words are
	closed atomic.Bool
}

var (
	_ role.Model       = (*Model)(nil)
	_ role.MediaReader = (*Model)(nil)
)

// New returns a model. Nothing is sent.
func New(o Options) *Model {
	o.Info.Forms, o.Media = slices.Clone(o.Info.Forms), slices.Clone(o.Media)
	return &Model{o: o}
}

// Generate answers a request.
func (m *Model) Generate(ctx context.Context, r role.ModelRequest) (role.ModelAnswer, error) {
	if err := ctx.Err(); err != nil {
		return role.ModelAnswer{}, err
	}
	if err := r.Validate(m.o.Info); err != nil {
		return role.ModelAnswer{}, err
	}
	if m.closed.Load() {
		return role.ModelAnswer{}, trilith.Errorf(trilith.Unavailable, "model: it is closed")
	}
	if m.forms.has(r.Form) {
		return role.ModelAnswer{}, trilith.Errorf(trilith.Unsupported, "form: the service of %s has refused %s", m.o.Info,
			string(r.Form))
	}
	if m.o.MaxOutput > 0 {
		r.MaxOutput = min(r.MaxOutput, m.o.MaxOutput)
	}
	a, err := m.ask(ctx, &r)
	if m.o.AskAgain && err == nil && a.Stop == role.StopEnd && a.Text == "" {
		used := a.Usage
		a, err = m.ask(ctx, &r)
		a.Usage.Add(used)
	}
	m.forms.note(&r, err)
	return a, err
}

// ask sends a request. A service that refuses a temperature, or to say how likely words are, is asked without from then
// on.
func (m *Model) ask(ctx context.Context, r *role.ModelRequest) (role.ModelAnswer, error) {
	plain := *r
	plain.Words, plain.Steady = nil, false
	if len(r.Words) == 0 && !r.Steady || m.plain.Load() {
		return m.once(ctx, &plain, r)
	}
	a, err := m.once(ctx, r, r)
	if err != nil && trilith.KindOf(err) == trilith.Invalid {
		if a, err = m.once(ctx, &plain, r); err == nil {
			m.plain.Store(true)
		}
	}
	return a, err
}

// once sends a request in one form, as the answer to another that differs in its words and its steadiness at most.
func (m *Model) once(ctx context.Context, r, asked *role.ModelRequest) (role.ModelAnswer, error) {
	path, body := m.o.Dialect.Request(r)
	return m.send(ctx, provider.Request{Path: path, Body: body, Tokens: tokens(r)}, asked)
}

// tokens estimates the cost of a request: a token for every 4 bytes, and the longest answer that it allows.
func tokens(r *role.ModelRequest) int {
	n := len(r.System)
	for _, msg := range r.Messages {
		n += len(msg.Text)
	}
	if r.Schema != nil {
		n += len(r.Schema.JSON)
	}
	return n/4 + r.MaxOutput
}

// MediaKinds lists the kinds of files that the model reads.
func (m *Model) MediaKinds() []trilith.MediaKind { return slices.Clone(m.o.Media) }

// fileTokens estimates the cost of a file: services count pictures, pages and seconds by their own rules.
const fileTokens = 2000

// ReadMedia reads a file.
func (m *Model) ReadMedia(ctx context.Context, r trilith.MediaRequest) (role.ModelAnswer, error) {
	if err := ctx.Err(); err != nil {
		return role.ModelAnswer{}, err
	}
	kind := trilith.MediaKindOf(r.Type)
	d, ok := m.o.Dialect.(MediaDialect)
	switch {
	case r.Prompt == "" || r.Type == "" || len(r.Data) == 0 || r.MaxOutput < 1 || r.MaxOutput > m.o.Info.Context:
		return role.ModelAnswer{}, trilith.Errorf(trilith.Invalid,
			"media: a file needs a prompt, a type, bytes, and room for an answer within %d tokens", m.o.Info.Context)
	case !ok || !slices.Contains(m.o.Media, kind):
		return role.ModelAnswer{}, trilith.Errorf(trilith.Unsupported, "media: %s reads no files of the kind %s", m.o.Info,
			kind)
	case m.closed.Load():
		return role.ModelAnswer{}, trilith.Errorf(trilith.Unavailable, "model: it is closed")
	}
	if m.o.MaxOutput > 0 {
		r.MaxOutput = min(r.MaxOutput, m.o.MaxOutput)
	}
	path, body := d.Media(&r)
	return m.send(ctx, provider.Request{Path: path, Body: body, Tokens: fileTokens + r.MaxOutput}, &role.ModelRequest{})
}

// joiner makes one answer of its parts.
type joiner struct {
	piece    func(string)
	thoughts thoughts
	text     strings.Builder
	stop     role.StopReason
	usage    trilith.Usage
	first    map[string]float64
}

// send sends a request and reads the answer, in events if pieces of it are wanted.
func (m *Model) send(ctx context.Context, request provider.Request, r *role.ModelRequest) (role.ModelAnswer, error) {
	var err error
	j := joiner{piece: r.Stream}
	read := func(data []byte) error {
		p, err := m.o.Dialect.Read(data)
		if err == nil {
			j.add(p)
		}
		return err
	}
	if r.Stream != nil {
		err = m.o.Client.Stream(ctx, request, read)
	} else {
		var whole json.RawMessage
		if err = m.o.Client.Do(ctx, request, &whole); err == nil {
			err = read(whole)
		}
	}
	if err == nil && j.stop == "" {
		if r.Stream != nil {
			err = &provider.Failure{Class: provider.Soon, Status: http.StatusOK}
		}
		j.stop = role.StopEnd // some services do not say so of a whole answer
	}
	if j.usage != (trilith.Usage{}) {
		trilith.Spend(ctx, trilith.Spent{Provider: m.o.Info.Provider, Model: m.o.Info.Name, Usage: j.usage})
	}
	if err != nil {
		return role.ModelAnswer{}, m.errorOf(err)
	}
	a := role.ModelAnswer{Text: j.end(), Stop: j.stop, Usage: j.usage}
	r.Settle(&a, j.first)
	return a, nil
}

func (j *joiner) add(p Part) {
	j.say(j.thoughts.pass(p.Text))
	if j.stop == "" {
		j.stop = p.Stop
	}
	if j.first == nil {
		j.first = p.First
	}
	j.usage.InputTokens = max(j.usage.InputTokens, p.Usage.InputTokens)
	j.usage.OutputTokens = max(j.usage.OutputTokens, p.Usage.OutputTokens)
}

// kinds maps classes of failures that come instead of an answer or in the middle of it to error kinds.
var kinds = map[provider.Class]trilith.ErrorKind{provider.Money: trilith.Exhausted, provider.TooBig: trilith.Invalid,
	provider.Bad:  trilith.Invalid,
	provider.Auth: trilith.Unauthenticated, provider.Answer: trilith.Internal}

// errorOf gives an error the kind of the contract.
func (m *Model) errorOf(err error) error {
	f, ok := errors.AsType[*provider.Failure](err)
	switch {
	case ok && error(f) == err:
		return &trilith.Error{Kind: cmp.Or(kinds[f.Class], trilith.Unavailable), Msg: m.o.Info.Provider + ": " +
			f.Error(), Err: f}
	case ok && f.Status == http.StatusForbidden && trilith.KindOf(err) == trilith.Unauthenticated:
		return &trilith.Error{Kind: trilith.Forbidden, Msg: trilith.MessageOf(err), Err: f}
	}
	return err
}

// Info describes the model.
func (m *Model) Info() role.ModelInfo {
	i := m.o.Info
	i.Forms = slices.Clone(i.Forms)
	return i
}

// Close gives the connections back.
func (m *Model) Close() error {
	if !m.closed.Swap(true) {
		m.o.Client.Close()
	}
	return nil
}

func (j *joiner) end() string {
	j.say(j.thoughts.end())
	return j.text.String()
}

func (j *joiner) say(text string) {
	j.text.WriteString(text)
	if j.piece != nil && text != "" {
		j.piece(text)
	}
}

// Timeout is how long an answer may take from its first byte to its last: thousands of tokens take minutes, and a
// self-hosted server may have to load the model first.
const Timeout = 10 * time.Minute

// Unmarshal decodes an answer or an event of it. JSON that is no object of the service is a failure too.
func Unmarshal(data []byte, v any) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' || json.Unmarshal(data, v) != nil {
		return &provider.Failure{Class: provider.Answer} // the decoder's own words may repeat the answer's
	}
	return nil
}

// Failed is the failure of an answer that is an error although its status was another. explain is the driver's own;
// where it does not know better, the service broke off and may go on another time.
func Failed(data []byte, explain func(int, http.Header, []byte) (string, provider.Class)) error {
	message, class := explain(http.StatusOK, nil, data)
	return &provider.Failure{Class: cmp.Or(class, provider.Soon), Status: http.StatusOK, Message: message}
}
