// Package scripted is the model "scripted:FILE" for tests and demonstrations: it answers by a script, and never
// anything else. It needs no network, and the same requests in the same order get the same answers.
//
// A script is a list of entries. A request is answered by the first entry that matches it and has not answered yet; if
// all that match have answered, by the last of them again, so that repeating a request is harmless. A program that is
// restarted begins the script again.
package scripted

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// defaultContext is the context of a script that names none.
const defaultContext = 32_000

// Entry is one thing that the model says.
type Entry struct {
	Match  string          // a text that a message of the request contains; empty: any request
	Form   role.OutputForm // the form that is asked for; empty: any
	Answer string
	Stop   role.StopReason   // end if empty
	Likely []float64         // of the words of a request for words; nil: it does not say
	Usage  *trilith.Usage    // if nil, a token for every 4 bytes
	Fails  bool              // answer with an error instead
	Kind   trilith.ErrorKind // of the error
}

// Script is a model's answers and its description.
type Script struct {
	Name    string              // "script" if empty
	Context int                 // tokens; 32,000 if 0
	Forms   []role.OutputForm   // all if nil
	Media   []trilith.MediaKind // that it reads; none if empty
	Entries []Entry
}

// Model is a [role.Model] that follows a script.
type Model struct {
	info    role.ModelInfo
	media   []trilith.MediaKind
	entries []Entry

	mu       sync.Mutex
	used     []bool
	requests []role.ModelRequest
	closed   bool
}

var (
	_ role.Model       = (*Model)(nil)
	_ role.MediaReader = (*Model)(nil)
)

// New returns a model that follows the script. The entries are not to be changed afterwards.
func New(s Script) *Model {
	info := role.ModelInfo{Provider: "scripted", Name: s.Name, Context: s.Context, Forms: slices.Clone(s.Forms)}
	if info.Name == "" {
		info.Name = "script"
	}
	if info.Context == 0 {
		info.Context = defaultContext
	}
	if s.Forms == nil {
		info.Forms = role.OutputForms()
	}
	return &Model{info: info, media: slices.Clone(s.Media), entries: s.Entries, used: make([]bool, len(s.Entries))}
}

// Info describes the model.
func (m *Model) Info() role.ModelInfo {
	i := m.info
	i.Forms = slices.Clone(i.Forms)
	return i
}

// MediaKinds lists the kinds of files that the script reads.
func (m *Model) MediaKinds() []trilith.MediaKind { return slices.Clone(m.media) }

// ReadMedia answers by the script, as if the prompt and the name of the file had been said.
func (m *Model) ReadMedia(ctx context.Context, r trilith.MediaRequest) (role.ModelAnswer, error) {
	switch {
	case ctx.Err() != nil:
		return role.ModelAnswer{}, ctx.Err()
	case r.Prompt == "" || r.Type == "" || len(r.Data) == 0:
		return role.ModelAnswer{}, trilith.Errorf(trilith.Invalid, "media: a file needs a prompt, a type and bytes")
	case !slices.Contains(m.media, trilith.MediaKindOf(r.Type)):
		return role.ModelAnswer{}, trilith.Errorf(trilith.Unsupported, "media: %s reads no such files", m.info)
	}
	return m.Generate(ctx, role.ModelRequest{System: r.System, MaxOutput: r.MaxOutput,
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: r.Prompt + "\n" + r.Name}}})
}

// Generate answers by the script. A request without an answer in the script is Unsupported.
func (m *Model) Generate(ctx context.Context, r role.ModelRequest) (role.ModelAnswer, error) {
	if err := ctx.Err(); err != nil {
		return role.ModelAnswer{}, err
	}
	if err := r.Validate(m.info); err != nil {
		return role.ModelAnswer{}, err
	}
	e, err := m.next(ctx, r)
	if err != nil {
		return role.ModelAnswer{}, err
	}
	a := role.ModelAnswer{Text: e.Answer, Stop: e.Stop}
	if a.Stop == "" {
		a.Stop = role.StopEnd
	}
	if r.Settle(&a, nil); len(e.Likely) == len(r.Words) {
		a.Likely = slices.Clone(e.Likely)
	}
	if r.Stream != nil {
		for piece := range strings.SplitAfterSeq(a.Text, " ") {
			r.Stream(piece)
		}
	}
	if e.Usage != nil {
		a.Usage = *e.Usage
	} else {
		a.Usage = trilith.Usage{InputTokens: tokens(r.System), OutputTokens: tokens(a.Text)}
		for _, msg := range r.Messages {
			a.Usage.InputTokens += tokens(msg.Text)
		}
	}
	trilith.Spend(ctx, trilith.Spent{Provider: m.info.Provider, Model: m.info.Name, Usage: a.Usage})
	return a, nil
}

// next records a request and returns the entry that answers it.
func (m *Model) next(ctx context.Context, r role.ModelRequest) (Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return Entry{}, trilith.Errorf(trilith.Unavailable, "model: it is closed")
	}
	m.requests = append(m.requests, r)
	trilith.Spend(ctx, trilith.Spent{Provider: m.info.Provider, Model: m.info.Name, Requests: 1})
	i := m.choose(&r)
	if i < 0 {
		return Entry{}, trilith.Errorf(trilith.Unsupported, "model: the script of %s has no answer to this request", m.info)
	}
	m.used[i] = true
	e := m.entries[i]
	if e.Fails {
		return Entry{}, trilith.Errorf(e.Kind, "model: the script of %s says that it fails (%s)", m.info, e.Kind)
	}
	return e, nil
}

// choose returns the entry that answers; -1 if none matches.
func (m *Model) choose(r *role.ModelRequest) int {
	last := -1
	for i, e := range m.entries {
		if e.Form != "" && e.Form != r.Form ||
			!slices.ContainsFunc(r.Messages,
				func(msg role.ModelMessage) bool { return strings.Contains(msg.Text, e.Match) }) {
			continue
		}
		if !m.used[i] {
			return i
		}
		last = i
	}
	return last
}

func tokens(s string) int { return (len(s) + 3) / 4 }

// Requests returns the requests to the model, in order.
func (m *Model) Requests() []role.ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Close ends the model.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// Unused names the entries that have not answered yet, by their places in the script from 1, so that a test can tell
// that its script was followed to the end.
func (m *Model) Unused() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var left []string
	for i, used := range m.used {
		if !used {
			left = append(left, fmt.Sprintf("%d %q", i+1, m.entries[i].Match))
		}
	}
	return left
}
