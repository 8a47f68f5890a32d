package interview

import (
	"cmp"
	"slices"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// FieldOf returns the field of a domain with an id, nil if there is none.
func FieldOf(d *trilith.Domain, id string) *trilith.DomainField {
	return fieldWhere(d, func(f *trilith.DomainField) bool { return f.ID == id })
}

// Knowledge is the content of a domain's entries: values of its fields, and further statements.
type Knowledge struct {
	All    []trilith.Memory // the entries that count, the oldest first
	beside []trilith.Memory // those that fill no field
	domain *trilith.Domain
	by     map[string]*known
}

// known holds the known values of a field.
type known struct {
	values     []any            // the newest last; of a number, a date or a choice that one counts
	entries    []trilith.Memory // that say so
	confidence float64          // of the newest
}

// Know reads entries. Those that are not active, or of other domains, say nothing. An entry speaks of the fields whose
// ids its structured data holds with values of their types; without any, of the field whose label is its title.
func Know(d *trilith.Domain, entries []trilith.Memory) *Knowledge {
	k := &Knowledge{domain: d, by: map[string]*known{}}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b trilith.Memory) int {
		return cmp.Or(a.EventTime.Compare(b.EventTime), a.RecordedAt.Compare(b.RecordedAt), cmp.Compare(a.ID, b.ID))
	})
	fields := Fields(d)
	for _, m := range entries {
		if m.Entry == nil || m.State != trilith.StateActive || m.Scope.Domain != d.ID {
			continue
		}
		k.All = append(k.All, m)
		speaks := false
		for _, f := range fields {
			if v, has := m.Entry.Structured[f.ID]; has {
				speaks = true
				k.add(f, Value(f, v), m)
			}
		}
		if f := labelled(d, m.Entry.Title); !speaks && f != nil {
			k.add(f, contentValue(d, f, m), m)
		} else if !speaks {
			k.beside = append(k.beside, m)
		}
	}
	return k
}

// labelled returns the field whose label a title is, nil if there is none.
func labelled(d *trilith.Domain, title string) *trilith.DomainField {
	title = textproc.Fold(inline(title))
	return fieldWhere(d, func(f *trilith.DomainField) bool { return textproc.Fold(inline(f.Label)) == title })
}

func fieldWhere(d *trilith.Domain, is func(*trilith.DomainField) bool) *trilith.DomainField {
	all := Fields(d)
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}

// contentValue reads the value of a field out of the words of an entry.
func contentValue(d *trilith.Domain, f *trilith.DomainField, m trilith.Memory) any {
	if f.Type == trilith.FieldText || f.Type == trilith.FieldList {
		return Value(f, m.Entry.Content)
	}
	r := reader{d.Language, m.EventTime}
	if all := r.readings(f, m.Entry.Content); len(all) > 0 {
		return all[0].value
	}
	return nil
}

// Told reports whether an entry says all that a text does.
func (k *Knowledge) Told(text string) bool {
	words := slices.DeleteFunc(foldedWords(text), isStop)
	return slices.ContainsFunc(k.All, func(m trilith.Memory) bool {
		return subset(words, foldedWords(m.Entry.Title+" "+m.Entry.Content))
	})
}

func (k *Knowledge) add(f *trilith.DomainField, value any, m trilith.Memory) {
	if value == nil {
		return
	}
	o := k.by[f.ID]
	if o == nil {
		o = &known{}
		k.by[f.ID] = o
	}
	o.values, o.entries, o.confidence = append(o.values, value), append(o.entries, m), m.Entry.Confidence
}

// Entries returns the entries that fill a field, the oldest first.
func (k *Knowledge) Entries(id string) []trilith.Memory {
	if o := k.by[id]; o != nil {
		return o.entries
	}
	return nil
}

// Says reports whether a value tells nothing that is not known of a field.
func (k *Knowledge) Says(f *trilith.DomainField, value any) bool {
	have := k.texts(f)
	if len(have) == 0 {
		return false
	}
	if f.Type == trilith.FieldList || f.Type == trilith.FieldText {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, m := range list {
			words := foldedWords(Text(m))
			if !slices.ContainsFunc(have, func(h string) bool { return subset(words, foldedWords(h)) }) {
				return false
			}
		}
		return true
	}
	return textproc.Fold(have[0]) == textproc.Fold(Text(value))
}

func subset(words, of []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(of, w) })
}

// Repeats returns the fields whose known value is repeated by an answer that fills nothing. Values that say little by
// themselves, such as yes, do not count.
func (k *Knowledge) Repeats(answer string, now time.Time) []string {
	var out []string
	r := reader{k.domain.Language, now}
	for _, f := range Fields(k.domain) {
		for _, v := range k.texts(f) {
			said := f.Type != trilith.FieldChoice && f.Type != trilith.FieldNumber && telling(v) &&
				textproc.HasPhrase(answer, v)
			if f.Type == trilith.FieldDate {
				said = slices.ContainsFunc(r.dates(answer), func(d reading) bool { return d.value == v })
			}
			if said {
				out = append(out, f.ID)
				break
			}
		}
	}
	return out
}

// telling reports whether a text has a word that is neither a stop word nor very short.
func telling(text string) bool {
	return slices.ContainsFunc(foldedWords(text), func(w string) bool { return len(w) > 3 && textproc.Stops(w) == 0 })
}

// Report lists the known fields and the gaps; skipped are fields that an interview no longer asks for.
func (k *Knowledge) Report(skipped map[string]bool) trilith.DomainGaps {
	out := trilith.DomainGaps{Domain: k.domain.ID, Title: k.domain.Title, Items: []trilith.DomainGap{},
		Known: []trilith.KnownField{}}
	for _, f := range k.Gaps() {
		out.Items = append(out.Items, trilith.DomainGap{Field: f.ID, Label: f.Label, Question: f.Question, Type: f.Type,
			Required: f.Required, Choices: f.Choices, Skipped: skipped[f.ID]})
		if f.Required {
			out.Missing++
		}
	}
	for _, f := range Fields(k.domain) {
		o := k.by[f.ID]
		if o == nil {
			continue
		}
		one := trilith.KnownField{Field: f.ID, Label: f.Label, Value: joined(k.texts(f)), Confidence: o.confidence}
		for _, m := range o.entries {
			one.EntryIDs = append(one.EntryIDs, m.ID)
		}
		out.Known = append(out.Known, one)
	}
	return out
}

// Gaps returns the unknown fields of the domain, in its order. A follow-up counts only once the field before it is
// known, with a value that calls for it.
func (k *Knowledge) Gaps() []*trilith.DomainField {
	var out []*trilith.DomainField
	applies := map[string]bool{}
	walk(k.domain.Fields, nil, func(f, parent *trilith.DomainField) {
		applies[f.ID] = parent == nil || applies[parent.ID] && k.Has(parent.ID) && k.triggers(f, parent)
		if applies[f.ID] && !k.Has(f.ID) {
			out = append(out, f)
		}
	})
	return out
}

// Fields are all fields of a domain in the order of its questions: follow-ups come after the field that they follow.
func Fields(d *trilith.Domain) []*trilith.DomainField {
	var out []*trilith.DomainField
	walk(d.Fields, nil, func(f, _ *trilith.DomainField) { out = append(out, f) })
	return out
}

func walk(fields []trilith.DomainField, parent *trilith.DomainField, visit func(f, parent *trilith.DomainField)) {
	for i := range fields {
		visit(&fields[i], parent)
		walk(fields[i].FollowUps, &fields[i], visit)
	}
}

// Has reports whether a field is known.
func (k *Knowledge) Has(id string) bool { return k.by[id] != nil }

func (k *Knowledge) triggers(f, parent *trilith.DomainField) bool {
	if len(f.When) == 0 {
		return true
	}
	for _, have := range k.texts(parent) {
		if slices.ContainsFunc(f.When, func(w string) bool {
			return textproc.Fold(w) == textproc.Fold(have) ||
				parent.Type != trilith.FieldChoice && textproc.HasPhrase(have, w)
		}) {
			return true
		}
	}
	return false
}

// texts returns the values of a field as texts, without repetitions.
func (k *Knowledge) texts(f *trilith.DomainField) []string {
	o := k.by[f.ID]
	if o == nil {
		return nil
	}
	values := o.values
	if f.Type != trilith.FieldText && f.Type != trilith.FieldList {
		values = values[len(values)-1:]
	}
	var out []string
	seen := map[string]bool{}
	for _, v := range values {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, m := range list {
			if s := inline(Text(m)); !seen[textproc.Fold(s)] {
				seen[textproc.Fold(s)] = true
				out = append(out, s)
			}
		}
	}
	return out
}
