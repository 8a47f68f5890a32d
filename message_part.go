package trilith

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// PartKind is what a part of a message is.
type PartKind string

// The kinds. Only text is what somebody says.
const (
	TextPart     PartKind = "text" // words, a refusal among them
	ImagePart    PartKind = "image"
	AudioPart    PartKind = "audio"
	VideoPart    PartKind = "video"
	FilePart     PartKind = "file"
	CallPart     PartKind = "tool_call"
	ResultPart   PartKind = "tool_result"
	ThinkingPart PartKind = "thinking" // what a model writes for itself
	OtherPart    PartKind = "other"
)

// MessagePart is a part of the content of a message.
type MessagePart struct {
	Kind PartKind
	Text string // words, what a tool was asked, or what it has answered: as JSON if it is no text
	Name string // of a tool or a file; of a file without a name its media type
	Data []byte // of a picture, a recording or a file; nil if the bytes are elsewhere

	role Role // of words that are not those of the message's role
}

// ReadParts takes the content of a message apart, in its order: null, a text, a part, or a list of parts as the APIs of
// language models have them. A part is known by its type, or by the name of its one member where an API has no types. A
// call that carries its result is two parts, and so are a result and a picture in it. What is no JSON has no parts.
func ReadParts(content json.RawMessage) []MessagePart { return partsOf(readAny(content)) }

type object = map[string]any

// jsonObject is an object with ways to look for its members.
type jsonObject map[string]any

func readAny(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // numbers keep their digits
	_ = d.Decode(&v)
	return v
}

// asText returns a text as it is and anything else as JSON.
func asText(v any) string {
	if s, ok := v.(string); ok || v == nil {
		return s
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was JSON
	return strings.TrimSuffix(out.String(), "\n")
}

// member returns the first of the members that is there and not null.
func (m jsonObject) member(names ...string) any {
	for _, name := range names {
		if v := m[name]; v != nil {
			return v
		}
	}
	return nil
}

// words returns the first of the members that is a text and not empty.
func (m jsonObject) words(names ...string) string {
	for _, name := range names {
		if s, _ := m[name].(string); s != "" {
			return s
		}
	}
	return ""
}

func partsOf(v any) (out []MessagePart) {
	switch v := v.(type) {
	case string:
		return []MessagePart{{Kind: TextPart, Text: v}}
	case []any:
		for _, part := range v {
			out = append(out, partsOf(part)...)
		}
	case object:
		return partOf(v, OtherPart)
	}
	return out
}

// listed reads a list that an API has beside the content of a message. What does not say what it is, is of the kind.
func listed(v any, kind PartKind) (out []MessagePart) {
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
	}
	for _, item := range list {
		if o, ok := item.(object); ok {
			out = append(out, partOf(o, kind)...)
			continue
		}
		out = append(out, MessagePart{Kind: kind, Data: carried(jsonObject{"data": item})})
	}
	return out
}

// upper is where a name such as functionCall has two words.
var upper = regexp.MustCompile(`[a-z][A-Z]`)

// typeOf returns the type of a part with underscores, and the object that holds the part: an inner one in some APIs.
func typeOf(part jsonObject) (string, jsonObject) {
	kind, inner := part.words("type", "block_type", "part_kind", "kind"), part
	names := []string{kind, "toolInvocation"}
	if kind == "" && part.words("text", "name", "toolName") == "" {
		names = slices.Sorted(maps.Keys(part))
	}
	for _, name := range names {
		if o, ok := part[name].(object); ok {
			kind, inner = cmp.Or(kind, name), o
			break
		}
	}
	kind = upper.ReplaceAllStringFunc(kind, func(s string) string { return s[:1] + "_" + s[1:] })
	return strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(kind)), inner
}

// kindOf returns the kind of a part by its type.
func kindOf(kind string) PartKind {
	for _, k := range []struct {
		kind  PartKind
		words []string // any of them is in the type
	}{
		{ResultPart, []string{"_result", "_return", "_response", "_output", "retry_prompt"}},
		{CallPart, []string{"tool"}}, // whatever the tool is called
		{ThinkingPart, []string{"thinking", "reasoning", "thought", "summary_text"}},
		{ImagePart, []string{"image", "screenshot"}}, {AudioPart, []string{"audio"}}, {VideoPart, []string{"video"}},
		{CallPart, []string{"_call", "executable_code"}},
		{FilePart, []string{"file", "document", "inline_data", "media"}},
		{TextPart, []string{"refusal"}},
	} {
		if slices.ContainsFunc(k.words, func(word string) bool { return strings.Contains(kind, word) }) {
			return k.kind
		}
	}
	if strings.HasSuffix(kind, "text") || strings.HasSuffix(kind, "_prompt") {
		return TextPart
	}
	return OtherPart
}

// partOf reads one part, which is of the other kind if it does not say what it is. A mark between parts is none.
func partOf(m jsonObject, other PartKind) []MessagePart {
	kind, in := typeOf(m)
	source, _ := in["source"].(object)
	media := cmp.Or(in.words("mediaType", "media_type", "mimeType", "mime_type", "contentType"), jsonObject(source).words("media_type"))
	p := MessagePart{Kind: kindOf(kind), Name: cmp.Or(in.words("name", "toolName", "tool_name", "filename", "file_name"), media)}
	switch {
	case kind == "step_start" || strings.HasPrefix(kind, "cache"):
		return nil
	case in["toolCallId"] != nil && in["state"] != nil: // the name of its tool is in the type
		p.Kind = CallPart
	case m["thought"] == true:
		p.Kind = ThinkingPart
	case kind == "" && m.words("text") != "":
		p.Kind = TextPart
	case p.Kind == AudioPart && in.words("transcript") != "":
		return partsOf(in["transcript"])
	case p.Kind == OtherPart && strings.HasSuffix(kind, "_content"):
		return partsOf(in.member("content", "text"))
	case p.Kind == OtherPart && media == "":
		p.Kind = other
	case p.Kind == FilePart || p.Kind == OtherPart:
		p.Kind = FilePart
		sort, _, _ := strings.Cut(media, "/")
		if named := kindOf(sort); named == ImagePart || named == AudioPart || named == VideoPart {
			p.Kind = named
		}
	}
	switch p.Kind {
	case TextPart:
		said := partsOf(in.member("text", "refusal", "value", "content"))
		for i := range said {
			if kind == "system_prompt" {
				said[i].role = RoleSystem
			}
		}
		return said
	case ResultPart:
		return results(p.Name, in.member("content", "output", "result", "response"))
	case CallPart:
		p.Name, p.Text = cmp.Or(p.Name, strings.TrimPrefix(m.words("type"), "tool-")), asText(in.member("input", "arguments", "args"))
		if result := in.member("output", "result", "errorText"); result != nil {
			return append([]MessagePart{p}, results(p.Name, result)...)
		}
	default:
		p.Name, p.Data = cmp.Or(p.Name, m.words("type")), carried(in)
	}
	return []MessagePart{p}
}

// results reads what a tool has answered: a text, a list of parts, or any JSON.
func results(tool string, v any) []MessagePart {
	if o, ok := v.(object); ok {
		_, typed := o["type"].(string)
		if value, there := o["value"]; typed && there {
			v = value
		} else if list, ok := o["content"].([]any); ok {
			v = list
		} else if part := partOf(o, OtherPart); typed && len(part) > 0 && part[0].Kind != OtherPart {
			v = []any{o}
		}
	}
	p := MessagePart{Kind: ResultPart, Name: tool}
	list, ok := v.([]any)
	if !ok {
		p.Text = asText(v)
		return []MessagePart{p}
	}
	var texts []string
	out := []MessagePart{p}
	for _, e := range list {
		o, _ := e.(object)
		parts := partsOf(e)
		if o["type"] == nil && (len(parts) == 0 || parts[0].Kind == OtherPart) {
			texts = append(texts, asText(e))
		}
		for _, part := range parts {
			switch part.Kind {
			case TextPart:
				texts = append(texts, part.Text)
			case ImagePart, AudioPart, VideoPart, FilePart:
				out = append(out, part)
			}
		}
	}
	out[0].Text = strings.Join(texts, "\n")
	return out
}

// carried returns the bytes that a part holds as base64, by itself or in a data URL; nil if there are none.
func carried(m jsonObject) []byte {
	for _, name := range []string{"data", "url", "image_url", "image", "source", "bytes", "file_data", "audio", "input_audio", "result"} {
		switch v := m[name].(type) {
		case object:
			if data := carried(v); data != nil {
				return data
			}
		case string:
			if _, after, ok := strings.Cut(v, ";base64,"); ok && strings.HasPrefix(v, "data:") {
				v = after
			}
			if data, err := base64.StdEncoding.DecodeString(v); err == nil && len(data) > 0 {
				return data
			}
		}
	}
	return nil
}
