package transfer

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/filetype"
)

// HeadBytes is how much of a file [Detect] needs: the keys that distinguish the formats come before any long text.
const HeadBytes = 16 << 10

// mem0Keys are members of a memory of mem0 besides its text.
var mem0Keys = []string{"user_id", "agent_id", "run_id", "hash", "created_at", "categories", "metadata"}

// Detect names the format of a file from its path and its first bytes. The ending decides about texts, the content
// about everything else.
func Detect(path string, head []byte) (format string, ok bool) {
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case bytes.HasPrefix(head, []byte(sqliteMagic)):
		return MemoryChunks, true
	case bytes.HasPrefix(head, []byte("%PDF-")) || ending == ".pdf":
		return PDF, true
	case filetype.Type(head) != "":
		return Media, true
	case ending == ".vtt" || ending == ".srt" || bytes.HasPrefix(bytes.TrimPrefix(head, bom), []byte("WEBVTT")):
		return Captions, true
	case ending == ".txt" || ending == ".text":
		return Text, true
	case ending == ".md" || ending == ".markdown":
		return Markdown, true
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, bom)))
	start, _ := d.Token()
	if start == json.Delim('{') {
		format = formatOfObject(membersOf(d))
		return format, format != ""
	}
	if start != json.Delim('[') {
		return "", false
	}
	if open, _ := d.Token(); open != json.Delim('{') {
		return "", false
	}
	format = formatOfObject(membersOf(d))
	if !slices.Contains([]string{ChatGPT, Claude, Mem0}, format) {
		return "", false
	}
	return format, true
}

// formatOfObject returns the format of a file whose first object has these members, as far as they are known.
func formatOfObject(m members) string {
	switch {
	case m.has("trilith_export"), m.has("cairn_export"): // the second made by the program under its first name
		return Trilith
	case m.is("type", "entity") && m.has("name"), m.is("type", "relation") && m.has("from"),
		m.has("entities", "relations"):
		return MCPMemory
	case m.has("type", "sessionId"), m.is("type", "summary") && m.has("leafUuid"),
		m.is("type", "file-history-snapshot"):
		return ClaudeCode
	case m.has("mapping"), m.has("title", "create_time"):
		return ChatGPT
	case m.has("chat_messages"), m.has("uuid", "name", "account"), m.has("uuid", "name", "summary"):
		return Claude
	case m.has("memory") && m.hasAny(mem0Keys), m.has("text", "user_id"), m.wraps != nil && m.wraps.has("memory"):
		return Mem0
	}
	return ""
}

// members are the members of an object in the first bytes of a file.
type members struct {
	values map[string]json.RawMessage // nil for one that is cut off
	wraps  *members                   // the first object of a list of results
}

func (m *members) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { _, ok := m.values[k]; return !ok })
}

func (m *members) hasAny(keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return m.has(k) })
}

func (m *members) is(key, value string) bool { return string(m.values[key]) == `"`+value+`"` }

// membersOf reads the object that d has just entered, as far as its bytes go.
func membersOf(d *json.Decoder) members {
	m := members{values: map[string]json.RawMessage{}}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			break
		}
		m.values[name] = nil
		if name == "results" || name == "memories" {
			if list, _ := d.Token(); list == json.Delim('[') {
				if open, _ := d.Token(); open == json.Delim('{') {
					inner := membersOf(d)
					m.wraps = &inner
				}
			}
			break
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			break
		}
		m.values[name] = value
	}
	return m
}
