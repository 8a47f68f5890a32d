package proxy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// asked is the question of a request, and where the block of memory goes.
type asked struct {
	text    string // the last turn of the person
	first   string // the first turn, which identifies a conversation without a name
	before  string // a hash of all before the last turn, also equal when a tool's answer follows
	user    string // as in the body
	session string
	project string
	agent   string
	unnamed map[string]error // what of these the body has, and names nothing
	with    func(raw []byte, block string) []byte
}

// dialect is one API of a model.
type dialect interface {
	// read returns the question of a request. It returns false for a request without a turn of a person, and for an
	// invalid one, which the upstream will refuse.
	read(raw []byte) (asked, bool)
	// hear records what an answer says to the person, given its whole body or one event of its stream.
	hear(h *heard, data []byte)
}

// completions is OpenAI's chat completions API, which many others offer too. The block is a system message before the
// last turn of the person, so that the text before it is the same as last time.
type completions struct{}

// responses is OpenAI's responses API. The block goes into the instructions, which apply only to this request: the
// service stores the input.
type responses struct{}

// messages is Anthropic's messages API. It has no system message inside a conversation, and a change of the text before
// would make the service read all of it again. So the block is in the person's turn, before the words.
type messages struct{}

// dialectOf returns the dialect of a request; nil if it passes unchanged.
func dialectOf(r *http.Request) dialect {
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "" {
		return nil
	}
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case strings.HasSuffix(path, "/chat/completions"):
		return completions{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/messages"):
		return messages{}
	}
	return nil
}

func (completions) read(raw []byte) (asked, bool) {
	q, last, ok := askIn(raw)
	q.with = func(raw []byte, block string) []byte {
		return insert(raw, last.at.from, `{"role":"system","content":`+quoted(block)+`},`)
	}
	return q, ok
}

func (responses) read(raw []byte) (asked, bool) {
	at, ok := whole(raw)
	body := members(raw, at)
	input, there := body["input"]
	if !ok || !there {
		return asked{}, false
	}
	q, found := asked{}, false
	if s, is := text(raw, input); is {
		q, found = asked{text: s, first: s, before: digest("user", s)}, strings.TrimSpace(s) != ""
	} else {
		q, _, found = ask(conversation(raw, input))
	}
	if previous, is := text(raw, body["previous_response_id"]); is { // the service has the earlier turns
		q.before = digest(previous, q.before)
	}
	q.named(raw, body)
	q.with = func(raw []byte, block string) []byte {
		had, there := body["instructions"]
		switch _, is := text(raw, had); {
		case there && is:
			return insert(raw, had.to-1, inString("\n\n"+block))
		case there:
			return slices.Concat(raw[:had.from], []byte(quoted(block)), raw[had.to:])
		}
		return insert(raw, at.from+1, `"instructions":`+quoted(block)+`,`)
	}
	return q, found
}

func (messages) read(raw []byte) (asked, bool) {
	q, last, ok := askIn(raw)
	q.with = func(raw []byte, block string) []byte {
		if last.list {
			return insert(raw, last.in.from, `{"type":"text","text":`+quoted(block)+`},`)
		}
		return insert(raw, last.in.from+1, inString(block+"\n\n"))
	}
	return q, ok
}

// turn is one element of a conversation.
type turn struct {
	at   span
	role string
	text string
	in   span // where the text begins: a string, or the first text element of a list
	list bool // it is in a list
}

// askIn finds the last turn of a person in the messages of a body, and the caller.
func askIn(raw []byte) (q asked, last turn, ok bool) {
	at, ok := whole(raw)
	body := members(raw, at)
	list, there := body["messages"]
	if !ok || !there {
		return q, last, false
	}
	q, last, ok = ask(conversation(raw, list))
	q.named(raw, body)
	return q, last, ok
}

// ask finds the last turn of a person in a conversation.
func ask(turns []turn) (q asked, last turn, ok bool) {
	at := -1
	var all []string
	for i, t := range turns {
		if t.role != "user" || strings.TrimSpace(t.text) == "" {
			continue
		}
		if q.first == "" {
			q.first = t.text
		}
		at = i
	}
	if at < 0 {
		return q, last, false
	}
	for _, t := range turns[:at+1] {
		all = append(all, t.role, t.text)
	}
	last = turns[at]
	q.text, q.before = last.text, digest(all...)
	return q, last, true
}

// conversation reads the turns of a list of messages.
func conversation(raw []byte, at span) []turn {
	var out []turn
	for _, e := range elements(raw, at) {
		m := members(raw, e)
		t := turn{at: e}
		t.role, _ = text(raw, m["role"])
		content, there := m["content"]
		if !there {
			out = append(out, t)
			continue
		}
		if s, ok := text(raw, content); ok {
			t.text, t.in = s, content
			out = append(out, t)
			continue
		}
		var texts []string
		for _, part := range elements(raw, content) {
			p := trilith.ReadParts(part.of(raw))
			if len(p) == 0 || p[0].Kind != trilith.TextPart {
				continue
			}
			if texts == nil {
				t.in, t.list = part, true
			}
			texts = append(texts, p[0].Text)
		}
		t.text = strings.Join(texts, "\n")
		out = append(out, t)
	}
	return out
}

// in narrows a scope by values of the body that the headers do not set. The name of an unnamed conversation is derived
// from its beginning, so that its turns are in order. A value that names nothing is refused where nothing else names
// one: it would be taken for everybody.
func (q *asked) in(s trilith.Scope) (trilith.Scope, error) {
	for _, f := range []struct {
		name string
		have *string
		said string
	}{{"user", &s.User, q.user}, {"session", &s.Session, q.session}, {"project", &s.Project, q.project},
		{"agent", &s.Agent, q.agent}} {
		if *f.have = cmp.Or(*f.have, f.said); *f.have == "" && q.unnamed[f.name] != nil {
			return s, q.unnamed[f.name]
		}
	}
	if s.Session == "" {
		s.Session = "chat-" + digest(s.User, q.first)[:16]
	}
	return s, nil
}

// digest returns a hash of a list of texts.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		sum := sha256.Sum256([]byte(t))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// named reads the values of a body that identify the caller.
func (q *asked) named(raw []byte, body map[string]span) {
	q.unnamed = map[string]error{}
	take := func(into *string, name string, at span) {
		value := at.of(raw)
		if len(value) == 0 {
			return
		}
		if err := trilith.CheckScopeJSON(name, value); err != nil {
			q.unnamed[name] = err
		} else if s, ok := text(raw, at); ok && *into == "" {
			*into = s
		}
	}
	take(&q.user, "user", body["user"])
	meta, there := body["metadata"]
	if !there {
		return
	}
	m := members(raw, meta)
	take(&q.user, "user", m["user"])
	take(&q.user, "user", m["user_id"])
	take(&q.session, "session", m["session"])
	take(&q.session, "session", m["session_id"])
	take(&q.project, "project", m["project"])
	take(&q.agent, "agent", m["agent"])
}
