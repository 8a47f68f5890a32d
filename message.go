package trilith

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Message is one turn of a conversation.
type Message struct {
	ExternalID string         `json:"external_id,omitempty" doc:"Your own id; storing it again changes nothing" maxLength:"255"`
	Role       Role           `json:"role,omitempty" doc:"user if empty" enum:"user,assistant,system,tool"`
	Speaker    string         `json:"speaker,omitempty" doc:"Name of the person who spoke" maxLength:"255"`
	Content    string         `json:"content" doc:"What was said, verbatim"`
	Timestamp  string         `json:"timestamp,omitempty" doc:"When it was said"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	Tags       []string       `json:"tags,omitempty" maxItems:"64"`

	// Omitted counts the parts of the message that are not words. A message without words that has some is not
	// stored.
	Omitted PartCounts `json:"omitted,omitempty" doc:"Parts without words that were left out of it, by kind"`
	// Files are those of the omitted parts whose bytes it had. They are not part of JSON.
	Files []MessagePart `json:"-"`

	further bool // it was read from the same message of an API as the one before it
}

// Messages are turns of a conversation, oldest first. Their JSON is the form that [ReadMessages] reads strictly.
type Messages []Message

// UnmarshalJSON is [ReadMessages].
func (ms *Messages) UnmarshalJSON(data []byte) (err error) {
	if string(data) == "null" {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(data, &items) == nil {
		for i, item := range items {
			if item[0] != '{' {
				return Errorf(Invalid, `messages[%d]: must be an object such as {"role": "user", "content": "…"}`, i)
			}
		}
	}
	*ms, err = ReadMessages(data, true)
	return err
}

// ReadMessages reads the JSON of a list of messages, or of one: ours, those of OpenAI, Anthropic, Gemini, Bedrock,
// Mistral and Ollama, of LangChain, LlamaIndex, Pydantic AI and the AI SDK. A bare text is a message.
//
//   - Words are the content, those of several parts on lines of their own. A name is the speaker, and created_at the
//     timestamp.
//   - The result of a tool is a message of the role tool, apart from the words that came with it.
//   - All other parts are counted in Omitted. A message that has nothing else keeps its place, with no content.
//   - Roles are those of [RoleNamed].
//
// Strictly, an unknown member is an error if it is a text, which may be words or a name, or if its name is like one that
// is known. The error is Invalid, begins with the field's path and names that member. Otherwise an unknown member is
// counted in Omitted, and a role that is none is ignored.
func ReadMessages(data []byte, strict bool) (Messages, error) {
	list, ok := readAny(data).([]any)
	if !ok {
		list = []any{readAny(data)}
	}
	out := make(Messages, 0, len(list))
	for i, v := range list {
		ms, err := readMessage(v, strict)
		if err != nil {
			return nil, Errorf(Invalid, "messages[%d]%s", i, MessageOf(err))
		}
		for j := range ms {
			ms[j].further = j > 0
		}
		out = append(out, ms...)
	}
	return out, nil
}

// Members of messages: ours; those that hold words or parts; others with content to keep; and those without any.
var (
	ownMembers   = strings.Fields("speaker external_id timestamp metadata tags omitted")
	partMembers  = slices.Concat(strings.Fields("content text parts refusal audio"), slices.Sorted(maps.Keys(besideMembers)))
	otherMembers = strings.Fields("role name created_at createdAt")
	idleMembers  = strings.Fields(`reasoning reasoning_content reasoning_details thinking tool_plan instructions type kind id
		object status phase channel model model_name provider provider_name provider_url provider_details provider_data
		provider_response_id provider_options provider_metadata usage container stop_reason stop_sequence stop_details
		finish_reason incomplete_details context_management annotations citations logprobs parsed index tool_call_id
		tool_use_id call_id tool_name agent_id assistant_id thread_id run_id conversation_id revision_id completed_at example
		additional_kwargs response_metadata usage_metadata weight tool_call_chunks chunk_position lc_direct_tool_output prefix
		cache_control cache_point ui`)

	// besideMembers are lists of parts outside the content, with the kind of parts that name none.
	besideMembers = map[string]PartKind{"tool_calls": CallPart, "invalid_tool_calls": CallPart, "function_call": CallPart,
		"toolInvocations": CallPart, "executed_tools": CallPart, "experimental_attachments": FilePart,
		"attachments": FilePart, "file_ids": FilePart, "images": ImagePart, "blocks": OtherPart, "content_blocks": OtherPart,
		"artifact": OtherPart, "data": OtherPart}
)

// The kinds. Only text is somebody's words.
const (
	TextPart     PartKind = "text" // words, a refusal among them
	ImagePart    PartKind = "image"
	AudioPart    PartKind = "audio"
	VideoPart    PartKind = "video"
	FilePart     PartKind = "file"
	CallPart     PartKind = "tool_call"
	ResultPart   PartKind = "tool_result"
	ThinkingPart PartKind = "thinking" // a model's notes to itself
	OtherPart    PartKind = "other"
)

type object = map[string]any

// jsonObject is an object with ways to look for its members.
type jsonObject map[string]any

// readMessage reads one message, which becomes one or more of ours. Errors begin with the path after its position.
func readMessage(v any, strict bool) ([]Message, error) {
	if s, ok := v.(string); ok {
		return []Message{{Content: s}}, nil
	}
	o, ok := v.(object)
	if !ok {
		return nil, Errorf(Invalid, ": is neither a message nor a text")
	}
	m := jsonObject(o)
	name := cmp.Or(asText(m["role"]), m.words("type", "kind"))
	if inner, ok := m.member("data", "kwargs").(object); ok && m["content"] == nil { // stored by LangChain
		if class, ok := m["id"].([]any); ok && m["lc"] != nil && len(class) > 0 {
			name = asText(class[len(class)-1])
		}
		m = inner
		name = cmp.Or(asText(m["role"]), name)
	}
	if more, ok := m["additional_kwargs"].(object); ok { // where LangChain has no member
		for name, v := range more {
			if list, _ := m[name].([]any); len(list) == 0 && m.words(name) == "" && slices.Contains(partMembers, name) {
				m[name] = v
			}
		}
	}
	role := RoleNamed(name)
	switch {
	case name == "message" || name == "":
		role = ""
	case role.known():
	case o["role"] == nil: // an item without a speaker
		parts := partOf(m, OtherPart)
		if len(parts) > 0 && (parts[0].Kind == CallPart || parts[0].Kind == ThinkingPart) {
			return divided(Message{Role: RoleAssistant}, parts), nil
		}
		return divided(Message{}, parts), nil
	case strict:
		return nil, Errorf(Invalid, ".role: %.32q is not one of user, assistant, system, tool", name)
	}
	first, err := m.own(strict)
	if err != nil {
		return nil, err
	}
	first.Role = role
	parts, err := m.parts(role, strict)
	return divided(first, parts), err
}

// RoleNamed returns the role that an API calls by a name: human, ai, model, developer, function, HumanMessage and the
// like. A name of no role is returned as it is.
func RoleNamed(name string) Role {
	name = strings.ToLower(name)
	switch short := strings.TrimSuffix(strings.TrimSuffix(name, "chunk"), "message"); short {
	case "user", "human", "request":
		return RoleUser
	case "assistant", "ai", "model", "response":
		return RoleAssistant
	case "system", "developer":
		return RoleSystem
	case "tool", "function", "data":
		return RoleTool
	}
	return Role(name)
}

func (r Role) known() bool {
	return r == RoleUser || r == RoleAssistant || r == RoleSystem || r == RoleTool
}

// PartCounts counts parts of messages by kind.
type PartCounts map[PartKind]int

// MessagePart is a part of the content of a message.
type MessagePart struct {
	Kind PartKind
	Text string // words, a tool's arguments, or its result: as JSON if it is no text
	Name string // of a tool or a file; of a file without a name its media type
	Data []byte // of a picture, a recording or a file; nil if the bytes are elsewhere

	role Role // of words that are not those of the message's role
}

// divided splits a message with those parts into its words and each result of a tool, in the order in which they
// begin. The message's own members go to its words, or to the first of the results.
func divided(first Message, parts []MessagePart) (out []Message) {
	words := -1
	omitted, files := maps.Clone(first.Omitted), []MessagePart(nil)
	for _, p := range parts {
		switch {
		case p.Kind == ResultPart && p.Text != "":
			out = append(out, Message{Role: RoleTool, Speaker: cmp.Or(p.Name, first.Speaker), Content: p.Text,
				Timestamp: first.Timestamp, Metadata: first.Metadata, Tags: first.Tags})
		case p.Kind != TextPart:
			omitted.Add(PartCounts{p.Kind: 1})
			if p.Data != nil {
				files = append(files, p)
			}
		case p.role != "" && p.role != first.Role:
			out = append(out, Message{Role: p.role, Content: p.Text, Timestamp: first.Timestamp})
		case words < 0:
			words, out = len(out), append(out, first)
			out[words].Content = p.Text
		default:
			if out[words].Content != "" {
				out[words].Content += "\n"
			}
			out[words].Content += p.Text
		}
	}
	if len(out) == 0 {
		out = []Message{first}
	}
	own := &out[max(words, 0)]
	own.ExternalID, own.Files, own.Omitted = first.ExternalID, files, omitted
	return out
}

// own reads the members that are ours, and those of APIs that mean the same.
func (m jsonObject) own(strict bool) (out Message, err error) {
	mine, kept, unknown := object{}, slices.Concat(ownMembers, partMembers, otherMembers), PartCounts{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch {
		case m[name] == nil: // says nothing
		case slices.Contains(ownMembers, name):
			mine[name] = m[name]
		case !slices.Contains(kept, name) && !idle(name):
			_, words := m[name].(string)
			if meant := Meant(name, kept...); strict && (words || meant != "") {
				return out, Errorf(Invalid, ".%.64s: unexpected property%s", name, meant)
			}
			unknown[OtherPart]++
		}
	}
	body, err := json.Marshal(mine)
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return out, Errorf(Invalid, ".%s: must not be %s", e.Field, e.Value)
	}
	out.Omitted.Add(unknown)
	out.Speaker = cmp.Or(out.Speaker, m.words("name"))
	out.Timestamp = cmp.Or(out.Timestamp, m.words("created_at", "createdAt"))
	if list, _ := m["parts"].([]any); len(list) > 0 && out.Timestamp == "" {
		last, _ := list[len(list)-1].(object)
		out.Timestamp = jsonObject(last).words("timestamp")
	}
	number, _ := m.member("created_at", "createdAt").(json.Number)
	if at, err := number.Float64(); err == nil && out.Timestamp == "" { // of seconds, or of milliseconds
		for at > 1e11 {
			at /= 1000
		}
		out.Timestamp = time.Unix(int64(at), 0).UTC().Format(time.RFC3339)
	}
	return out, err
}

// upper is where a name such as functionCall has two words.
var upper = regexp.MustCompile(`[a-z][A-Z]`)

// idle reports whether a member has nothing to keep, in either way to write a name of two words.
func idle(name string) bool {
	name = upper.ReplaceAllStringFunc(name, func(s string) string { return s[:1] + "_" + strings.ToLower(s[1:]) })
	return slices.Contains(idleMembers, name)
}

// Meant returns a question for the one of the known names that is nearest to an unknown name, to end a sentence with;
// "" if none is near.
func Meant(name string, known ...string) string {
	if best := Nearest(name, known...); best != "" {
		return "; did you mean " + best + "?"
	}
	return ""
}

// Nearest returns the one of the known names that is nearest to an unknown name; "" if none is near: at most a letter in
// three is another, or one begins as the other.
func Nearest(name string, known ...string) string {
	best, least := "", len(name)/3+1
	for _, k := range known {
		d := distance(strings.ToLower(name[:min(len(name), 64)]), k)
		if len(name) > 2 && (strings.HasPrefix(k, name) || strings.HasPrefix(name, k+"_")) {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to add, to leave out, to exchange or to swap with the next one, to make b of a.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		last := before
		before, row = row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(before[j+1]+1, row[j]+1, before[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], last[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// parts returns the parts of a message, wherever an API has them.
func (m jsonObject) parts(role Role, strict bool) ([]MessagePart, error) {
	content := m.member("content", "text")
	if list, ok := m["parts"].([]any); ok {
		content = list
	}
	switch content.(type) {
	case nil, string, []any, object:
	default:
		return nil, Errorf(Invalid, ".content: must be a text, a part or a list of parts")
	}
	audio, _ := m["audio"].(object)
	out, counts := partsOf(content), PartCounts{}
	for _, p := range out {
		counts[p.Kind]++
	}
	if role == RoleTool && counts[ResultPart] == 0 && content != "" {
		out = results("", content)
	}
	if _, there := m["content"]; strict && !there && m.member(partMembers...) == nil {
		return nil, Errorf(Invalid, ".content: is missing; it is what was said")
	}
	if said := cmp.Or(m.words("refusal"), jsonObject(audio).words("transcript")); said != "" {
		out = append(out, MessagePart{Kind: TextPart, Text: said})
	} else if audio != nil {
		out = append(out, MessagePart{Kind: AudioPart})
	}
	if said := m.words("instructions"); said != "" {
		out = append([]MessagePart{{Kind: TextPart, Text: said, role: RoleSystem}}, out...)
	}
	var beside []MessagePart
	for _, name := range slices.Sorted(maps.Keys(besideMembers)) {
		beside = append(beside, listed(m[name], besideMembers[name])...)
	}
	if m.member("reasoning", "reasoning_content", "reasoning_details", "thinking", "tool_plan") != nil {
		beside = append(beside, MessagePart{Kind: ThinkingPart})
	}
	for _, p := range beside { // some APIs have them twice
		if counts[p.Kind]--; counts[p.Kind] < 0 {
			out = append(out, p)
		}
	}
	return out, nil
}

// results reads the answer of a tool: a text, a list of parts, or any JSON.
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

// PartKind is the kind of a part of a message.
type PartKind string

// listed reads a list that an API has outside the content of a message. A part that names no kind gets this one.
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

// partOf reads one part, of the other kind if it names none. A mark between parts is not a part.
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
		{CallPart, []string{"tool"}}, // under any name of the tool
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

// words returns the first of the members that is a text and not empty.
func (m jsonObject) words(names ...string) string {
	for _, name := range names {
		if s, _ := m[name].(string); s != "" {
			return s
		}
	}
	return ""
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

// Place returns the position of a message in the list that it was read from, where one message may have been several.
func (ms Messages) Place(i int) int {
	place := i
	for _, m := range ms[:i+1] {
		if m.further {
			place--
		}
	}
	return place
}

// Add adds other counts.
func (c *PartCounts) Add(more PartCounts) {
	if *c == nil && len(more) > 0 {
		*c = PartCounts{}
	}
	for kind, n := range more {
		(*c)[kind] += n
	}
}

// String returns text such as "1 image, 2 tool_call"; "" for none.
func (c PartCounts) String() string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		out = append(out, fmt.Sprintf("%d %s", c[kind], kind))
	}
	return strings.Join(out, ", ")
}

// ReadParts takes the content of a message apart, in its order: null, a text, a part, or a list of parts as the APIs
// of language models have them. A part is known by its type, or by the name of its one member where an API has no
// types. A call that carries its result is two parts, and so are a result and a picture in it. Content that is not
// JSON has no parts.
func ReadParts(content json.RawMessage) []MessagePart { return partsOf(readAny(content)) }

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

func readAny(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // numbers keep their digits
	_ = d.Decode(&v)
	return v
}
