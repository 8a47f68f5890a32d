package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/gate"
	"github.com/cairn-memory/cairn/internal/ingest"
)

// maxMaskedIn is how many places an answer names: enough to find where secrets come from.
const maxMaskedIn = 100

// masker replaces secrets in what stands beside a text, and notes where they stood.
type masker struct {
	clean  func(string) string
	places []string
	within int // further secrets in the texts that places names
}

func newMasker() *masker {
	return &masker{clean: func(text string) string { clean, _ := gate.Mask(text); return clean }}
}

// text cleans a single value.
func (k *masker) text(place, text string) string {
	clean := k.clean(text)
	if clean != text {
		k.note(place, text)
	}
	return clean
}

// note names a place if it holds a secret: other things are cut out too.
func (k *masker) note(place, text string) {
	if _, n := gate.Mask(text); n > 0 {
		k.places = append(k.places, place)
	}
}

// texts cleans a list; the one it gets stays as it is.
func (k *masker) texts(place string, all []string) []string {
	for i, text := range all {
		if clean := k.text(fmt.Sprintf("%s[%d]", place, i), text); clean != text {
			all = slices.Clone(all)
			all[i] = clean
		}
	}
	return all
}

// object cleans a JSON object, its names too; the one it gets stays as it is.
func (k *masker) object(place string, m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	return k.value(place, nil, m).(map[string]any)
}

// value cleans a JSON value. What stands under a name is judged with it, and with the one above: "password" makes a secret
// of what follows. A number that is a secret becomes the text that stands for it.
func (k *masker) value(place string, names []string, v any) any {
	switch v := v.(type) {
	case string:
		return k.named(place, names, v)
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if clean := k.named(place, names, text); clean != text {
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
			if key == name { // a secret as a name says nothing about the value
				below = append([]string{name}, names[:min(1, len(names))]...)
			}
			out[key] = k.value(place+"."+key, below, v[name])
		}
		return out
	}
	return v
}

func (k *masker) named(place string, names []string, text string) string {
	for _, name := range append(slices.Clone(names), "") {
		lead := ""
		if name != "" {
			lead = name + ": "
		}
		if clean := strings.TrimPrefix(k.clean(lead+text), lead); clean != text {
			k.note(place, lead+text)
			return clean
		}
	}
	return text
}

// maskBeside masks what a memory holds beside its text.
func (k *masker) maskBeside(m *cairn.Memory) {
	m.Metadata = k.object("metadata", m.Metadata)
	m.Tags = k.texts("tags", m.Tags)
	m.Speaker = k.text("speaker", m.Speaker)
	m.Type = k.text("type", m.Type)
}

// maskEntry does to the parts of an entry what the gate did to its composed text.
func (k *masker) maskEntry(p gate.Policy, m *cairn.Memory) {
	plain := k.clean
	k.clean = func(text string) string { return p.Check(m.Role, m.Trust, text).Text }
	entry := *m.Entry
	entry.Title, entry.Category, entry.Content = k.text("title", entry.Title), k.text("category", entry.Category), k.text("content", entry.Content)
	if entry.Structured != nil {
		entry.Structured = k.object("structured", entry.Structured)
	}
	m.Entry, k.clean = &entry, plain
}

// secret notes a text that is masked elsewhere.
func (k *masker) secret(place, text string) {
	_, n := gate.Mask(text)
	k.within += max(n-1, 0)
	k.text(place, text)
}

// masking is what the answer says.
func (k *masker) masking() cairn.Masking { return maskingOf(len(k.places)+k.within, k.places) }

// maskingOf makes places what an answer names: each once, in their order, and not too many.
func maskingOf(n int, places []string) cairn.Masking {
	if n == 0 {
		return cairn.Masking{}
	}
	places = slices.Compact(slices.Sorted(slices.Values(places)))
	return cairn.Masking{Masked: n, MaskedIn: places[:min(len(places), maxMaskedIn)]}
}

// updateMasking says what is masked of an update. It looks at the request alone, so that repeating it answers the same.
func updateMasking(r cairn.UpdateRequest) cairn.Masking {
	k := newMasker()
	if r.Metadata != nil {
		if set, err := ingest.Metadata("metadata", *r.Metadata); err == nil {
			k.object("metadata", set)
		}
	}
	if r.Tags != nil {
		k.texts("tags", *r.Tags)
	}
	if r.Text != nil {
		k.secret("text", ingest.Normalise(*r.Text))
	}
	return k.masking()
}

// noteMasking says what is masked of the words that a person adds to a decision.
func noteMasking(note string) cairn.Masking {
	k := newMasker()
	k.secret("note", note)
	return k.masking()
}

// textPlace is what a request calls the text of a draft.
func textPlace(kind string) string {
	switch kind {
	case ingest.Messages, ingest.Note:
		return "content"
	case ingest.Document:
		return "document.content"
	}
	return "text"
}

// placesOf names the places of a draft as the request does.
func placesOf(kind string, d *ingest.Draft, places []string) []string {
	if kind != ingest.Messages {
		return places
	}
	out := make([]string, len(places))
	for i, place := range places {
		out[i] = fmt.Sprintf("messages[%d].%s", d.Index, place)
	}
	return out
}

// refuseSecretIDs refuses a secret in an id, name or type: things are told apart by them, and two masks would be the same.
func refuseSecretIDs(ids map[string]string) error {
	for _, field := range slices.Sorted(maps.Keys(ids)) {
		if _, n := gate.Mask(ids[field]); n > 0 {
			return cairn.Errorf(cairn.Invalid, "%s: looks like a secret; ids, names and types are refused and not masked; give another one", field)
		}
	}
	return nil
}
