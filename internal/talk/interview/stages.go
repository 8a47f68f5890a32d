package interview

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/prompt"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/role"
)

// Turn holds the data for interpreting one answer. The stages do not change it.
type Turn struct {
	Domain  *trilith.Domain
	Asked   *trilith.DomainField // that the answer is about; nil if nothing was asked
	Answer  string
	Now     time.Time
	Context string // the dispatcher's summary
}

// Classify classifies an answer. It asks a model only if the words leave a doubt; an error of the model is returned
// along with the result of the rules.
func Classify(ctx context.Context, m role.Model, t *Turn) (trilith.AnswerKind, error) {
	kind, sure := ClassifyByRules(t.Answer)
	if sure || m == nil {
		return kind, nil
	}
	var out struct {
		Kind trilith.AnswerKind `json:"kind"`
	}
	if err := ask(ctx, m, "classify", t, &out); err != nil {
		return kind, err
	}
	if !slices.Contains(trilith.AnswerKinds(), out.Kind) {
		return kind, trilith.Errorf(trilith.Invalid, "model: its answer names no kind of answers")
	}
	return out.Kind, nil
}

// Structure finds the values that an answer gives to fields, and its other statements. It accepts a model's items as
// far as the answer supports them. Without a model, or if it fails, or if nothing is supported, rules find them. If
// the model finds nothing, the rules keep the other statements. An error is that of the model.
func Structure(ctx context.Context, m role.Model, t *Turn) ([]Found, error) {
	rules := func() []Found { return StructureByRules(t.Domain, t.Asked, t.Answer, t.Now) }
	if m == nil {
		return rules(), nil
	}
	var out struct {
		Items []proposal `json:"items"`
	}
	if err := ask(ctx, m, "structure", struct {
		*Turn
		Fields []*trilith.DomainField
	}{t, Fields(t.Domain)}, &out); err != nil {
		return rules(), err
	}
	var found []Found
	for _, p := range out.Items {
		f := FieldOf(t.Domain, p.Field)
		if f == nil && (p.Field == "none" || p.Field == "") {
			f = p.heading(t)
		}
		if f == nil || f.ID != "" && slices.ContainsFunc(found, func(o Found) bool { return o.Field.ID == f.ID }) {
			continue
		}
		if one, ok := p.check(t, f); ok {
			found = append(found, one)
		}
	}
	switch {
	case len(out.Items) == 0:
		return slices.DeleteFunc(rules(), func(f Found) bool { return f.Field.ID != "" }), nil
	case len(found) == 0:
		return rules(), trilith.Errorf(trilith.Invalid, "model: its quotes support none of its findings")
	}
	return found, nil
}

// proposal is a value that a model found in an answer.
type proposal struct {
	Field      string `json:"field"`
	Quote      string `json:"quote"`
	Value      any    `json:"value"`
	Category   string `json:"category"` // as Title and Structured, of a statement outside the fields
	Title      string `json:"title"`
	Structured []struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	} `json:"structured"`
	Content    string  `json:"content"`
	Confidence float64 `json:"confidence"`
	Corrects   bool    `json:"corrects"`
}

// heading returns title and category of a proposal without a field, as the field that [Found] has. The title is in the
// answer and no label, whose field the entry would fill; the category, at most two words, says nothing.
func (p *proposal) heading(t *Turn) *trilith.DomainField {
	f := &trilith.DomainField{Label: inline(p.Title), Category: inline(p.Category)}
	if len(f.Label) > maxLabel || !grounded(f.Label, t.Answer) || labelled(t.Domain, f.Label) != nil {
		f.Label = beginning(p.Quote)
	}
	if len(wordsOf(f.Category)) > 2 || len(f.Category) > maxLabel {
		f.Category = ""
	}
	return f
}

// data returns the structured data of a proposal without a field, as far as its quote supports them.
func (p *proposal) data(t *Turn, quote string) any {
	out := map[string]any{}
	for _, d := range p.Structured {
		if v := inline(scalar(d.Value)); FieldOf(t.Domain, d.Name) == nil && fieldPattern.MatchString(d.Name) &&
			grounded(v, quote) {
			out[d.Name] = v
		}
	}
	return out
}

// check believes a proposal whose quote is in the answer and whose value the quote supports.
func (p *proposal) check(t *Turn, f *trilith.DomainField) (Found, bool) {
	quote := strings.Trim(inline(p.Quote), "\"'“”„ ")
	if quote == "" || !strings.Contains(textproc.Fold(inline(t.Answer)), textproc.Fold(quote)) {
		return Found{}, false
	}
	value := p.supported(t, f, quote)
	if value == nil {
		return Found{}, false
	}
	confidence := p.Confidence
	if math.IsNaN(confidence) || confidence <= 0 || confidence > 1 {
		confidence = sureMention
	}
	if c := choices(f, quote); f.Type == trilith.FieldChoice && (len(c) == 0 || c[0].value != value) {
		confidence = min(confidence, sureMention) // the model has understood it; the words do not say it
	}
	content := inline(p.Content)
	if !grounded(content, t.Answer+" "+f.Label+" "+f.Question) {
		content = quote
	}
	return Found{Field: f, Value: value, Content: content, Quote: quote, Confidence: confidence,
		Corrects: p.Corrects}, true
}

// supported returns the value of a proposal in the form of its field if the quote supports it, else nil.
func (p *proposal) supported(t *Turn, f *trilith.DomainField, quote string) any {
	r := reader{t.Domain.Language, t.Now}
	said := scalar(p.Value)
	switch f.Type {
	case "":
		if telling(quote) {
			return p.data(t, quote)
		}
	case trilith.FieldNumber:
		want := numberOf(p.Value)
		if want == nil {
			want, _ = first(r.numbers(said))
		}
		for _, got := range r.numbers(quote) {
			if want != nil && got.value == want {
				return want
			}
		}
	case trilith.FieldDate:
		for _, got := range r.dates(quote) {
			if v := got.value.(string); v == said || strings.HasPrefix(v, said) && len(said) >= len("2006") {
				return said
			}
		}
		if want, ok := first(r.dates(said)); ok {
			for _, got := range r.dates(quote) {
				if got.value == want {
					return want
				}
			}
		}
	case trilith.FieldChoice:
		if c, ok := choice(f, said); ok {
			return c
		}
	case trilith.FieldList:
		var list []any
		all, ok := p.Value.([]any)
		if !ok {
			all = items(said, "")
		}
		for _, m := range all {
			if s := inline(scalar(m)); s != "" && len([]rune(s)) <= maxItem && grounded(s, quote) {
				list = append(list, s)
			}
		}
		if len(list) > 0 {
			return list
		}
	case trilith.FieldText:
		if s := inline(said); s != "" && grounded(s, quote) {
			return s
		}
	}
	return nil
}

func first(list []reading) (any, bool) {
	if len(list) == 0 {
		return nil, false
	}
	return list[0].value, true
}

// grounded reports whether the words of a text come from another: its numbers all, of its other words that say
// something at least half.
func grounded(text, in string) bool {
	have := foldedWords(in)
	n, found := 0, 0
	for _, w := range foldedWords(text) {
		digits := strings.ContainsAny(w, "0123456789")
		switch {
		case digits && !slices.Contains(have, w):
			return false
		case !digits && textproc.Stops(w) != 0:
			continue
		}
		n++
		if slices.Contains(have, w) {
			found++
		}
	}
	return n > 0 && 2*found >= n
}

// Choose returns the gap to ask for next: the model's choice if it is a gap, else the first one. An error is that of
// the model. gaps must not be empty.
func Choose(ctx context.Context, m role.Model, t *Turn, k *Knowledge, gaps []*trilith.DomainField) (
	*trilith.DomainField, error) {
	if m == nil || len(gaps) == 1 {
		return gaps[0], nil
	}
	type fact struct{ Label, Value string }
	data := struct {
		*Turn
		Known []fact // of fields and outside them
		Gaps  []*trilith.DomainField
	}{Turn: t, Gaps: gaps}
	for _, f := range Fields(t.Domain) {
		if v := k.texts(f); len(v) > 0 {
			data.Known = append(data.Known, fact{prompt.Inline(f.Label), shown(joined(v))})
		}
	}
	for _, m := range k.beside[max(0, len(k.beside)-20):] { // the newest: a prompt has no room for all
		data.Known = append(data.Known, fact{prompt.Inline(cmp.Or(m.Entry.Title, m.Entry.Category)), shown(m.Entry.Content)})
	}
	var out struct {
		Field string `json:"field"`
	}
	if err := ask(ctx, m, "gap", data, &out); err != nil {
		return gaps[0], err
	}
	if i := slices.IndexFunc(gaps, func(f *trilith.DomainField) bool { return f.ID == out.Field }); i >= 0 {
		return gaps[i], nil
	}
	return gaps[0], trilith.Errorf(trilith.Invalid, "model: it asks for a field that is not a gap")
}

// maxQuestion limits a question, in runes.
const maxQuestion = 400

// Word returns the question for a gap: the model's if that asks for the gap and for nothing that is known, else the
// schema's. An error is that of the model.
func Word(ctx context.Context, m role.Model, t *Turn, k *Knowledge, gap *trilith.DomainField) (string, error) {
	own := schemaQuestion(t.Domain, gap)
	if m == nil {
		return own, nil
	}
	var out struct {
		Question string `json:"question"`
	}
	if err := ask(ctx, m, "persona", struct {
		*Turn
		Gap *trilith.DomainField
	}{t, gap}, &out); err != nil {
		return own, err
	}
	question := inline(out.Question)
	if !asksFor(question, t.Domain, k, gap) {
		return own, trilith.Errorf(trilith.Invalid, "model: its question does not ask for the gap, or asks for what is known")
	}
	return question, nil
}

// schemaQuestion returns the question of the schema, with the choices that it does not name.
func schemaQuestion(d *trilith.Domain, f *trilith.DomainField) string {
	q := inline(f.Question)
	if f.Type != trilith.FieldChoice || len(choices(f, q)) == len(f.Choices) {
		return q
	}
	return q + " (" + strings.Join(f.Choices, " / ") + ")"
}

// asksFor reports whether a question asks for the gap. It has to share a word that says something with the label, the
// aliases or the question of the gap, and no sentence of it that asks may have more words of a known field that the gap
// does not have than words of the gap.
func asksFor(question string, d *trilith.Domain, k *Knowledge, gap *trilith.DomainField) bool {
	if !strings.Contains(question, "?") || utf8.RuneCountInString(question) > maxQuestion {
		return false
	}
	about := vocabulary(d, gap)
	if common(tellingWords(d, question), about) == 0 {
		return false
	}
	for _, s := range sentencesOf(question) {
		if !strings.HasPrefix(question[s.end:], "?") {
			continue
		}
		words := tellingWords(d, asking(s.of(question)))
		for _, f := range Fields(d) {
			if f.ID == gap.ID || !k.Has(f.ID) {
				continue
			}
			of := vocabulary(d, f)
			for w := range about {
				delete(of, w)
			}
			if n := common(words, of); n > 0 && n >= common(words, about) {
				return false
			}
		}
	}
	return true
}

// asking returns the part of a sentence that asks, without an introduction before a dash or a colon.
func asking(sentence string) string {
	for _, dash := range []string{"—", "–", " - ", ": "} {
		before, after, ok := strings.Cut(sentence, dash)
		if words := foldedWords(before); ok && len(words) > 0 && !questionWords[words[0]] {
			return after
		}
	}
	return sentence
}

func vocabulary(d *trilith.Domain, f *trilith.DomainField) map[string]bool {
	return tellingWords(d, f.Label+" . "+f.Question+" . "+strings.Join(f.Aliases, " . "))
}

func common(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// tellingWords returns the stems of the meaningful words of a text.
func tellingWords(d *trilith.Domain, text string) map[string]bool {
	lang := textproc.English
	a, err := textproc.NewAnalyzer(d.Language)
	if err != nil {
		a = textproc.Analyzer{}
	} else if d.Language == "de" {
		lang = textproc.German
	}
	out := map[string]bool{}
	for _, w := range foldedWords(text) {
		if textproc.Stops(w) != 0 {
			continue
		}
		if forms := a.QueryTerms(w, textproc.Set(0).With(lang)); len(forms) > 0 {
			out[forms[0][0]] = true
		}
	}
	return out
}

// Reply holds the acknowledgement of an answer.
type Reply struct {
	Kind     trilith.AnswerKind   // empty where nothing was answered
	Repeated bool                 // it said something that was known
	Filled   bool                 // it brought something new
	Again    *trilith.DomainField // a field to ask for again because it is still unknown; nil: none
}

// Acknowledge returns the response to an answer before the next question. It may be empty.
func Acknowledge(d *trilith.Domain, r Reply) string {
	s := say(d.Language)
	var parts []string
	switch {
	case r.Kind == trilith.AnswerStop:
		return s.paused
	case r.Repeated && !r.Filled:
		parts = append(parts, s.repeated)
	case r.Kind == trilith.AnswerSkip:
		parts = append(parts, s.skipped)
	case r.Kind == trilith.AnswerGiven && r.Again != nil && !r.Filled:
		parts = append(parts, s.unclear)
	case r.Kind == trilith.AnswerGiven && r.Again != nil:
		parts = append(parts, s.noted)
	}
	switch f := r.Again; {
	case f == nil:
	case f.Type == trilith.FieldChoice:
		parts = append(parts, s.choices+strings.Join(f.Choices, ", ")+".")
	case s.hint[f.Type] != "":
		parts = append(parts, s.hint[f.Type])
	case r.Kind == trilith.AnswerQuestion:
		parts = append(parts, s.again)
	}
	return strings.Join(parts, " ")
}

// Farewell returns the last words when nothing is left to ask.
func Farewell(d *trilith.Domain, missing int) string {
	s := say(d.Language)
	if missing > 0 {
		return s.incomplete
	}
	return s.done
}

// EntryOf returns the entry for a finding.
func EntryOf(d *trilith.Domain, f *Found) trilith.Entry {
	data, _ := f.Value.(map[string]any)
	if f.Field.ID != "" {
		data = map[string]any{f.Field.ID: f.Value}
	}
	return trilith.Entry{Category: cmp.Or(f.Field.Category, d.Title), Title: inline(f.Field.Label), Content: f.Content,
		Structured: data, Confidence: f.Confidence}
}
