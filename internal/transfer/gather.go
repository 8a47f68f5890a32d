package transfer

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

const (
	requestBytes = 4 << 20                  // of text in one request: several are in flight at once
	pieceBytes   = trilith.MaxTextBytes / 2 // of one message; its normal form may be longer than itself
)

// gatherer joins adjacent messages of one scope into requests, and counts the parts left out. Its methods report
// whether to continue.
type gatherer struct {
	in    input
	yield func(Item, error) bool
	// profile is that of messages whose project only the file names: code, or personal, because a folder or a
	// conversation does not tell what its project is
	profile string
	folder  string // of messages that were said in one
	open    Item   // no request: nothing is open
	size    int
}

// object decodes an element as far as its members are of the kinds that they should be, and reports the first that is
// not: a title that is no text costs no conversation. It is not ok if nothing can be made of it.
func (g *gatherer) object(e element, v any) (ok, more bool) {
	if err := trilith.CheckJSON(e.text); err != nil {
		return false, g.bad(e.line, err)
	}
	err := json.Unmarshal(e.text, v)
	if err == nil && e.text[0] == '{' {
		return true, true
	}
	if err == nil {
		err = errors.New("is no object")
	}
	_, kept := errors.AsType[*json.UnmarshalTypeError](err)
	return kept && e.text[0] == '{', g.bad(e.line, invalidJSON("item", err))
}

// say adds a message. One that is too long to be a memory becomes several, cut at the ends of lines.
func (g *gatherer) say(line int, scope trilith.Scope, m trilith.Message) bool {
	text, id := m.Content, m.ExternalID
	for n := 1; ; n++ {
		piece := text
		if len(text) > pieceBytes {
			piece = text[:cutAt(text, pieceBytes)]
		}
		text = text[len(piece):]
		m.Content = piece
		if n > 1 {
			m.ExternalID = id + "#" + strconv.Itoa(n)
		}
		if r := g.open.Request; r != nil &&
			(g.open.Scope != scope || len(r.Messages) == trilith.MaxItems || g.size+len(piece) > requestBytes) &&
			!g.flush() {
			return false
		}
		if g.open.Request == nil {
			g.open.Path, g.open.Line, g.open.Scope, g.open.Folder, g.open.Request = g.in.path, line, scope, g.folder,
				&trilith.RememberRequest{Imported: true, Fallback: g.profile}
		}
		g.open.Request.Messages = append(g.open.Request.Messages, m)
		g.size += len(piece)
		if text == "" {
			return true
		}
	}
}

// cutAt returns where to cut a text of more than n bytes: after the last line break in the second half of its first n
// bytes, else before a character.
func cutAt(text string, n int) int {
	if i := strings.LastIndexByte(text[n/2:n], '\n'); i >= 0 {
		return n/2 + i + 1
	}
	for !utf8.RuneStart(text[n]) && n > 1 {
		n--
	}
	return n
}

// request yields a separate request, after the open one.
func (g *gatherer) request(line int, scope trilith.Scope, r trilith.RememberRequest) bool {
	if g.open.Request != nil && !g.flush() {
		return false
	}
	r.Imported = true
	g.open.Path, g.open.Line, g.open.Scope, g.open.Request = g.in.path, line, scope, &r
	return g.flush()
}

// omit counts something that is left out.
func (g *gatherer) omit(what string, n int) {
	if n == 0 {
		return
	}
	count(&g.open.Omitted, what, n)
}

// bad reports an error in the file, without closing the open request.
func (g *gatherer) bad(line int, err error) bool { return g.yield(Item{}, g.in.bad(line, err)) }

// fail yields an error of the reader: an error in the file, after which reading continues, or the end, after the open
// request.
func (g *gatherer) fail(err error) bool {
	if !isLineError(err) && !g.flush() {
		return false
	}
	return g.yield(Item{}, err)
}

// flush yields the open request.
func (g *gatherer) flush() bool {
	item := g.open
	g.open, g.size = Item{}, 0
	if item.Request == nil {
		item.Path, item.Line = g.in.path, max(item.Line, 1)
	}
	return item.Request == nil && item.Omitted == nil || g.yield(item, nil)
}
