// Package summary condenses many texts to a few quotes: it chooses the sentences that carry the most, and never
// writes one of its own. It also checks a model's summary against the texts.
//
// A sentence is worth the weights of the terms that no chosen sentence holds yet. Rare terms weigh more than those
// that the texts repeat, and names, numbers and dates more than other words. People's statements about themselves are
// worth more than questions and greetings. Everything depends on the texts only: equal texts give equal summaries.
package summary

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// Text is one of the texts that are summarised.
type Text struct {
	Who  string    // the speaker; empty if unknown
	At   time.Time // when; the zero time shows none
	Text string
	// Weight scales what its sentences are worth; 1 if 0.
	Weight float64
}

// Quote is a chosen part of a text.
type Quote struct {
	Text int // its number
	Said string
}

// Limits of a sentence.
const (
	shortest = 12  // bytes; shorter ones say nothing by themselves
	longest  = 400 // bytes; a longer one is cut at a word
)

// Weights, chosen on open sets of conversations; docs/evaluation.md has the measurement.
const (
	nameWeight   = 2.0 // of a term with a capital inside a sentence
	numberWeight = 1.6 // of a term with a digit
	costPower    = 0.3 // how much a long sentence pays for its length: 0 nothing, 1 in full
	askWeight    = 0.35
	ownWeight    = 1.5 // of a sentence in which somebody speaks of themselves
	planWeight   = 1.3 // of one that decides or plans
)

// sentence is a candidate.
type sentence struct {
	text, at int // which text, and where in it
	said     string
	terms    []string
	weight   float64
	cost     int
}

// Extract chooses quotes of at most budget tokens, as count counts a line of them (see [Lines]), in the order of the
// texts. It chooses one at least if there is any sentence and the budget is above 0, cut to the budget.
func Extract(texts []Text, budget int, count func(string) int) []Quote {
	all := candidates(texts)
	weights := termWeights(all)
	for i := range all {
		s := &all[i]
		s.cost = max(1, count(line(&texts[s.text], s.said)))
	}
	covered, days := map[string]bool{}, map[string]bool{"": true}
	dayCost := count(heading("2000-01-01"))
	costOf := func(s *sentence) int {
		if days[day(&texts[s.text])] {
			return s.cost
		}
		return s.cost + dayCost
	}
	left := budget
	var chosen []*sentence
	open := make([]*sentence, len(all))
	for i := range all {
		open[i] = &all[i]
	}
	for len(open) > 0 {
		best, worth := -1, 0.0
		for i, s := range open {
			if costOf(s) > left {
				continue
			}
			if w := gain(s, weights, covered); w > worth {
				best, worth = i, w
			}
		}
		if best < 0 {
			break
		}
		s := open[best]
		for _, t := range s.terms {
			covered[t] = true
		}
		left -= costOf(s)
		days[day(&texts[s.text])] = true
		chosen = append(chosen, s)
		open = slices.Delete(open, best, best+1)
	}
	if len(chosen) == 0 && budget > 0 && len(all) > 0 {
		s := slices.MaxFunc(all, func(a, b sentence) int {
			return cmp.Or(cmp.Compare(gain(&a, weights, nil), gain(&b, weights, nil)), cmp.Compare(b.text, a.text))
		})
		if s.said = cut(&texts[s.text], s.said, budget, count); s.said != "" {
			chosen = append(chosen, &s)
		}
	}
	slices.SortFunc(chosen, func(a, b *sentence) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.at, b.at))
	})
	out := make([]Quote, len(chosen))
	for i, s := range chosen {
		out[i] = Quote{s.text, s.said}
	}
	return out
}

// gain is the weight of the terms that a sentence adds to the covered ones, for its length.
func gain(s *sentence, weights map[string]float64, covered map[string]bool) float64 {
	sum := 0.0
	for _, t := range s.terms {
		if !covered[t] {
			sum += weights[t]
		}
	}
	return sum * s.weight / math.Pow(float64(s.cost), costPower)
}

// candidates are the sentences of texts, of equal ones the first, each with its terms once.
func candidates(texts []Text) []sentence {
	var analyzer textproc.Analyzer
	seen := map[string]bool{}
	var out []sentence
	for i := range texts {
		weight := texts[i].Weight
		if weight == 0 {
			weight = 1
		}
		for at, said := range split(texts[i].Text) {
			key := textproc.Fold(said)
			if len(said) < shortest || seen[key] {
				continue
			}
			seen[key] = true
			terms, _ := analyzer.Terms(said)
			slices.Sort(terms)
			terms = slices.Compact(terms)
			terms = slices.DeleteFunc(terms, func(t string) bool { return utf8.RuneCountInString(t) < 2 && !digits(t) })
			if len(terms) == 0 {
				continue
			}
			out = append(out, sentence{text: i, at: at, said: said, terms: terms, weight: weight * worth(said)})
		}
	}
	return out
}

// termWeights are the weights of terms: the fewer sentences a term is in, the more it weighs.
func termWeights(all []sentence) map[string]float64 {
	in := map[string]int{}
	marks := map[string]float64{}
	for i := range all {
		for _, t := range all[i].terms {
			in[t]++
		}
		for _, word := range names(all[i].said) {
			var a textproc.Analyzer
			terms, _ := a.Terms(word)
			for _, t := range terms {
				marks[t] = nameWeight
			}
		}
	}
	out := make(map[string]float64, len(in))
	n := float64(len(all))
	for t, df := range in {
		w := math.Log(1+n/float64(df)) * max(0.1, 1-math.Log(float64(df))/5)
		switch {
		case digits(t):
			w *= numberWeight
		case marks[t] > 0:
			w *= marks[t]
		}
		out[t] = w
	}
	return out
}

func digits(t string) bool { return strings.ContainsAny(t, "0123456789") }

// names are the words of a sentence that begin with a capital and do not begin the sentence.
func names(said string) []string {
	var out []string
	for i, w := range strings.Fields(said) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if r, _ := utf8.DecodeRuneInString(w); i > 0 && unicode.IsUpper(r) && w != "I" && !strings.HasPrefix(w, "I'") {
			out = append(out, w)
		}
	}
	return out
}

// ownWords and decidedWords tell a sentence in which somebody speaks of themselves, and one that decides or plans.
var (
	ownWords = wordfile.Set("i i'm i've i'd i'll my mine me we we're we've our us ich mein meine meinen meiner mir mich wir unser unsere uns")
	decided  = wordfile.Set("decided decide agreed agree will going plan planned planning chose chosen must need booked bought started finished moved won got beschlossen entschieden vereinbart geplant werden muss müssen gebucht gekauft begonnen fertig")
)

// worth is what kind of sentence it is.
func worth(said string) float64 {
	w := 1.0
	if strings.HasSuffix(strings.TrimSpace(said), "?") {
		w *= askWeight
	}
	own, plan := false, false
	for f := range strings.FieldsSeq(strings.ToLower(strings.ReplaceAll(said, "’", "'"))) {
		f = strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
		own, plan = own || ownWords[f], plan || decided[f]
	}
	if own {
		w *= ownWeight
	}
	if plan {
		w *= planWeight
	}
	return w
}

// split cuts a text into sentences: at ends of lines and behind a sign that ends one, but not within a number, nor
// behind a single letter.
func split(text string) []string {
	var out []string
	add := func(s string) {
		s = strings.Join(strings.Fields(s), " ")
		if len(s) > longest {
			at := strings.LastIndexByte(s[:longest], ' ')
			if at < 0 {
				at = longest
				for !utf8.RuneStart(s[at]) {
					at--
				}
			}
			s = s[:at]
		}
		if s != "" {
			out = append(out, s)
		}
	}
	for row := range strings.SplitSeq(text, "\n") {
		from := 0
		for i, r := range row {
			next := i + utf8.RuneLen(r)
			if !strings.ContainsRune(".!?…。！？", r) || i == 0 {
				continue
			}
			ends := next == len(row) || strings.ContainsRune("。！？", r)
			if next < len(row) && row[next] == ' ' {
				before := strings.LastIndexByte(row[:i], ' ')
				ends = r != '.' || i-before > 2
			}
			if ends {
				add(row[from:next])
				from = next
			}
		}
		add(row[from:])
	}
	return out
}

// cut shortens a sentence at a word until its lines keep to the budget; empty if no word does.
func cut(t *Text, said string, budget int, count func(string) int) string {
	for said != "" && count(heading(day(t))+line(t, said)) > budget {
		said = said[:max(0, strings.LastIndexByte(said, ' '))]
	}
	return said
}

// Lines writes quotes as lines: who said it, and what, under the day where that changes.
func Lines(texts []Text, quotes []Quote) string {
	var b strings.Builder
	on := ""
	for i := 0; i < len(quotes); i++ {
		t := &texts[quotes[i].Text]
		said := quotes[i].Said
		for i+1 < len(quotes) && quotes[i+1].Text == quotes[i].Text {
			i++
			said += " … " + quotes[i].Said
		}
		if d := day(t); d != on {
			on = d
			b.WriteString(heading(d))
		}
		b.WriteString(line(t, said))
	}
	return b.String()
}

// Read returns what [Lines] wrote as texts again: labels, days and marks are no words. Any other line is a text
// without a speaker.
func Read(lines string) []Text {
	var out []Text
	var at time.Time
	for row := range strings.Lines(lines) {
		row = strings.TrimRight(row, "\n")
		if on, err := time.Parse(time.DateOnly, row); err == nil {
			at = on
			continue
		}
		t := Text{At: at, Text: row}
		if quote, ok := strings.CutPrefix(row, "- "); ok {
			who, said, labelled := strings.Cut(quote, ": ")
			if t.Text = quote; labelled {
				t.Who, t.Text = who, said
			}
			t.Text = strings.ReplaceAll(t.Text, " … ", "\n")
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		return []Text{{Text: lines}}
	}
	return out
}

func day(t *Text) string {
	if t.At.IsZero() {
		return ""
	}
	return t.At.Format(time.DateOnly)
}

func heading(day string) string {
	if day == "" {
		return ""
	}
	return day + "\n"
}

func line(t *Text, said string) string {
	if t.Who != "" {
		return "- " + t.Who + ": " + said + "\n"
	}
	return "- " + said + "\n"
}
