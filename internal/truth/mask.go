package truth

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// maxMaskedIn is the largest number of fields that an answer lists: enough to find where secrets come from.
const maxMaskedIn = 100

// Masker masks secrets in the fields that accompany a text, and records which fields contained any.
type Masker struct {
	Clean  func(string) string
	Places []string
	within int // further secrets in the texts that places names
}

// MaskBeside masks the fields of a memory other than its text.
func (k *Masker) MaskBeside(m *trilith.Memory) {
	m.Metadata = k.Object("metadata", m.Metadata)
	m.Tags = k.texts("tags", m.Tags)
	m.Speaker = k.text("speaker", m.Speaker)
	m.Type = k.text("type", m.Type)
}

// MaskEntry masks the parts of an entry as the gate has masked its composed text.
func (k *Masker) MaskEntry(p gate.Policy, m *trilith.Memory) {
	plain := k.Clean
	k.Clean = func(text string) string { return p.Check(m.Role, m.Trust, text).Text }
	entry := *m.Entry
	entry.Title, entry.Category, entry.Content = k.text("title", entry.Title), k.text("category", entry.Category),
		k.text("content", entry.Content)
	if entry.Structured != nil {
		entry.Structured = k.Object("structured", entry.Structured)
	}
	m.Entry, k.Clean = &entry, plain
}

// UpdateMasking reports the masked fields of an update. It depends only on the request, so a repetition gets the same
// answer.
func UpdateMasking(r trilith.UpdateRequest) trilith.Masking {
	k := NewMasker()
	if r.Metadata != nil {
		if set, err := ingest.Metadata("metadata", *r.Metadata); err == nil {
			k.Object("metadata", set)
		}
	}
	if r.Tags != nil {
		k.texts("tags", *r.Tags)
	}
	if r.Text != nil {
		k.Secret("text", ingest.Normalise(*r.Text))
	}
	return k.Masking()
}

// Object masks a JSON object, including its keys, in a copy.
func (k *Masker) Object(place string, m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	return k.value(place, nil, m).(map[string]any)
}

// value masks a JSON value. Whether a value is a secret also depends on its key and the key above: under "password"
// every value is one. A number that is a secret becomes the masking text.
func (k *Masker) value(place string, names []string, v any) any {
	switch v := v.(type) {
	case string:
		return k.named(place, names, v)
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if clean := k.named(place, names, text); clean != text {
			return clean
		}
	case json.Number:
		if clean := k.named(place, names, v.String()); clean != v.String() {
			return clean
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = k.value(fmt.Sprintf("%s[%d]", place, i), names, e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key, below := k.text(place, name), []string(nil)
			if key == name { // a masked key says nothing about the value
				below = append([]string{name}, names[:min(1, len(names))]...)
			}
			out[key] = k.value(place+"."+key, below, v[name])
		}
		return out
	}
	return v
}

func (k *Masker) named(place string, names []string, text string) string {
	for _, name := range append(slices.Clone(names), "") {
		lead := ""
		if name != "" {
			lead = name + ": "
		}
		if clean := strings.TrimPrefix(k.Clean(lead+text), lead); clean != text {
			k.note(place, lead+text)
			return clean
		}
	}
	return text
}

// texts masks a list, in a copy.
func (k *Masker) texts(place string, all []string) []string {
	for i, text := range all {
		if clean := k.text(fmt.Sprintf("%s[%d]", place, i), text); clean != text {
			all = slices.Clone(all)
			all[i] = clean
		}
	}
	return all
}

// NoteMasking reports the masking of a decision's note.
func NoteMasking(note string) trilith.Masking {
	k := NewMasker()
	k.Secret("note", note)
	return k.Masking()
}

func NewMasker() *Masker {
	return &Masker{Clean: func(text string) string { clean, _ := gate.Mask(text); return clean }}
}

// Secret records a field whose text is masked elsewhere.
func (k *Masker) Secret(place, text string) {
	_, n := gate.Mask(text)
	k.within += max(n-1, 0)
	k.text(place, text)
}

// text masks a single value.
func (k *Masker) text(place, text string) string {
	clean := k.Clean(text)
	if clean != text {
		k.note(place, text)
	}
	return clean
}

// note records a field if it contains a secret. Other markup that the gate removes does not count.
func (k *Masker) note(place, text string) {
	if _, n := gate.Mask(text); n > 0 {
		k.Places = append(k.Places, place)
	}
}

// Masking returns the report for the answer.
func (k *Masker) Masking() trilith.Masking { return MaskingOf(len(k.Places)+k.within, k.Places) }

// MaskingOf makes the report: each field once, in order, up to a maximum.
func MaskingOf(n int, places []string) trilith.Masking {
	if n == 0 {
		return trilith.Masking{}
	}
	places = slices.Compact(slices.Sorted(slices.Values(places)))
	return trilith.Masking{Masked: n, MaskedIn: places[:min(len(places), maxMaskedIn)]}
}

// TextPlace returns the request field that contains the text of a draft.
func TextPlace(kind string) string {
	switch kind {
	case ingest.Messages, ingest.Note:
		return "content"
	case ingest.Document:
		return "document.content"
	}
	return "text"
}

// PlacesOf translates the fields of a draft to the fields of the request.
func PlacesOf(kind string, d *ingest.Draft, places []string) []string {
	if kind != ingest.Messages {
		return places
	}
	out := make([]string, len(places))
	for i, place := range places {
		out[i] = fmt.Sprintf("messages[%d].%s", d.Index, place)
	}
	return out
}

// RefuseSecretIDs returns an error if an id, name or type contains a secret: ids distinguish things, and masked ones
// would be equal.
func RefuseSecretIDs(ids map[string]string) error {
	for _, field := range slices.Sorted(maps.Keys(ids)) {
		if _, n := gate.Mask(ids[field]); n > 0 {
			return trilith.Errorf(trilith.Invalid,
				"%s: looks like a secret; ids, names and types cannot be masked, so choose another", field)
		}
	}
	return nil
}
