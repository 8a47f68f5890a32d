package transfer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// claudeConversation holds the used parts of a conversation in a Claude export.
type claudeConversation struct {
	ID        string          `json:"uuid"`
	Name      string          `json:"name"`
	CreatedAt stamp           `json:"created_at"`
	UpdatedAt stamp           `json:"updated_at"`
	Messages  []claudeMessage `json:"chat_messages"`
}

type claudeMessage struct {
	ID          string          `json:"uuid"`
	Sender      string          `json:"sender"`
	Text        string          `json:"text"`
	Content     json.RawMessage `json:"content"`
	CreatedAt   stamp           `json:"created_at"`
	Attachments []struct {
		Name string `json:"file_name"`
		Text string `json:"extracted_content"`
	} `json:"attachments"`
	Files []struct {
		Name string `json:"file_name"`
	} `json:"files"`
}

// spoken is a message taken apart.
type spoken struct {
	text  string
	parts []string              // names of the parts that are not text
	tools []trilith.MessagePart // calls and results
}

// readBlocks takes the content of a message apart: a text, or a list of blocks. Answers of tools other than text are
// no part of the message.
func readBlocks(content json.RawMessage) spoken {
	var s spoken
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil { // no list: one block
		blocks = []json.RawMessage{content}
	}
	var said []string
	for _, raw := range blocks {
		for _, p := range trilith.ReadParts(raw) {
			switch p.Kind {
			case trilith.TextPart:
				if strings.TrimSpace(p.Text) != "" {
					said = append(said, p.Text)
				}
				continue
			case trilith.CallPart, trilith.ResultPart:
				s.tools = append(s.tools, p)
			case trilith.ThinkingPart:
			default: // image, document, and future kinds
				s.parts = append(s.parts, p.Name)
			}
			break // its other parts are the tool's
		}
	}
	s.text = strings.Join(said, "\n")
	return s
}

// readClaude reads the conversations one by one: a session each, named by its id, because names repeat and change.
func readClaude(in input) iter.Seq2[Item, error] {
	return readEach(in, (*gatherer).claudeConversation)
}

func (g *gatherer) claudeConversation(e element, c *claudeConversation) bool {
	if c.Messages == nil {
		return g.bad(e.line, trilith.Errorf(trilith.Invalid, "a conversation needs chat_messages"))
	}
	if c.ID == "" {
		c.ID = contentID(Claude, c.Name, string(c.CreatedAt))
	}
	scope := trilith.Scope{Session: scopeValue(c.ID), Channel: Claude}
	at := c.CreatedAt
	for _, m := range c.Messages {
		at = at.or(m.CreatedAt)
	}
	at = at.or(c.UpdatedAt)
	for i, m := range c.Messages {
		at = m.CreatedAt.or(at)
		if m.ID == "" {
			m.ID = contentID(c.ID, m.Sender, string(at), m.Text, string(m.Content), fmt.Sprint(i))
		}
		if !g.claudeMessage(e.line, scope, c, &m, at) {
			return false
		}
	}
	return g.flush()
}

func (g *gatherer) claudeMessage(line int, scope trilith.Scope, c *claudeConversation, m *claudeMessage, at stamp) bool {
	role := roleOf(m.Sender)
	if role == "" {
		g.omit("messages of unknown roles", 1)
		return true
	}
	s := readBlocks(m.Content)
	if s.text == "" && len(s.tools) == 0 { // older exports have the text outside the blocks
		s.text = m.Text
	}
	for _, f := range m.Files {
		s.parts = append(s.parts, f.Name)
	}
	for _, a := range m.Attachments {
		s.parts = append(s.parts, a.Name)
	}
	s.parts = slices.DeleteFunc(s.parts, func(name string) bool { return name == "" })
	about := metadata("session_name", c.Name, "parts", s.parts)
	id := externalID(c.ID, m.ID)
	if strings.TrimSpace(s.text) == "" {
		s.text = caption("", strings.Join(names(s.parts), ", "))
	}
	if s.text != "" && !g.say(
		line, scope, trilith.Message{ExternalID: id, Role: role, Content: s.text, Timestamp: string(at),
			Metadata: about}) {
		return false
	}
	if !g.tools(line, scope, s.tools, trilith.Message{ExternalID: id, Timestamp: string(at), Metadata: about}) {
		return false
	}
	for i, a := range m.Attachments {
		if strings.TrimSpace(a.Text) == "" {
			continue
		}
		err := fitDocument(len(a.Text))
		if err != nil && !g.bad(
			line, trilith.Errorf(trilith.Invalid, "attachment %.64q of message %s: %s", a.Name, id, trilith.MessageOf(err))) {
			return false
		}
		if err == nil && !g.request(line, scope, trilith.RememberRequest{
			Document:   &trilith.Document{Name: clip(cmp.Or(a.Name, "attachment")), Content: a.Text},
			ExternalID: externalID(c.ID, m.ID, fmt.Sprint("attachment", i+1)), Timestamp: string(at),
			Metadata: metadata("session_name", c.Name, "message", id)}) {
			return false
		}
	}
	return true
}

// tools adds calls and results of tools as messages like m, if they are requested.
func (g *gatherer) tools(line int, scope trilith.Scope, parts []trilith.MessagePart, m trilith.Message) bool {
	if !g.in.wants(Tools) {
		g.omit("tool messages", len(parts))
		return true
	}
	id := m.ExternalID
	for i, p := range parts {
		if strings.TrimSpace(p.Text) == "" {
			continue
		}
		m.ExternalID, m.Role, m.Speaker, m.Content = externalID(id, fmt.Sprint("tool", i+1)), trilith.RoleTool,
			clip(p.Name), p.Text
		if !g.say(line, scope, m) {
			return false
		}
	}
	return true
}
