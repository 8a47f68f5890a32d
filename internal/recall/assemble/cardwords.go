package assemble

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// cardSlot is a line of a card with its label in English and German, and the separator of its values.
type cardSlot struct{ name, english, german, between string }

func (s *cardSlot) label(german bool) string {
	if german {
		return s.german
	}
	return s.english
}

const (
	slotWho    = "who"
	slotHealth = "health"
)

// cardSlots are the lines of a card, in order.
var cardSlots = []cardSlot{
	{slotWho, "Who", "Person", ", "}, {"home", "Home", "Wohnort", ", "},
	{"work", "Work and study", "Arbeit und Studium", ", "}, {"people", "People", "Menschen", ", "},
	{"animals", "Animals", "Tiere", ", "}, {slotHealth, "Health and food", "Gesundheit und Essen", ", "},
	{"contact", "Contact", "Kontakt", ", "}, {"skills", "Languages and skills", "Sprachen und Fähigkeiten", ", "},
	{"standing", "Standing instructions", "Gilt immer", "; "}, {"tasks", "To do", "Zu tun", "; "}}

// cardWord says in which slot of a card the values of a verb stand, and how: * is the value.
type cardWord struct {
	slot            string
	english, german string
	rank            int // among all verbs
}

// cardWords are the verbs that cards hold. A line gives a slot and its verbs, each with its words in English and
// German; without words the line shows only the value.
var cardWords = readCardWords(`
who: has_name; goes_by=called *=genannt *; has_age=* years old=* Jahre alt; has_birthday=birthday *=Geburtstag *; has_birth_year=born in *=Jahrgang *; born_in=born in *=geboren in *; comes_from=from *=aus *; has_nationality
home: lives_in
work: works_as; works_at=at *=bei *; works_in=in *=in *; has_role; runs=runs *=führt *; teaches=teaches *=unterrichtet *; has_work_status; studies=studies *=studiert *; studies_at=at *=an *; studies_in=studies in *=studiert in *; has_degree
people: has_marital_status; has_wife=wife *=Ehefrau *; has_husband=husband *=Ehemann *; has_spouse=spouse *=Ehe mit *; has_partner=partner *=Partnerschaft mit *; has_children=* children=* Kinder; has_son=son *=Sohn *; has_daughter=daughter *=Tochter *; has_child=child *=Kind *; has_mother=mother *=Mutter *; has_father=father *=Vater *; has_parent=parent *=Elternteil *; has_sister=sister *=Schwester *; has_brother=brother *=Bruder *; has_sibling=sibling *=Geschwister *; has_family; has_relative=relative *=verwandt mit *; lives_with=lives with *=wohnt mit *; has_friend=friend *=befreundet mit *; has_boss=boss *=Vorgesetzt: *; has_colleague=colleague *=Kollegium: *; has_landlord=landlord *=vermietet von *; has_neighbour=neighbour *=Nachbarschaft: *
animals: has_pet; has_animal
health: allergic_to=allergic to *=allergisch gegen *; intolerant_to=does not tolerate *=verträgt nicht: *; follows_diet; avoids=avoids *=meidet *; has_condition; takes_medicine=takes *=nimmt *; has_blood_type=blood type *=Blutgruppe *
contact: has_address; has_phone; has_email; has_work_phone=* (work)=* (dienstlich); has_work_email=* (work)=* (dienstlich)
skills: speaks; learns=learning *=lernt *; plays=plays *=spielt *
standing: has_instruction
tasks: has_task
`)

// CardFacts accepts the facts of the verbs that cards hold.
var CardFacts = trilith.Where("verb", trilith.OpIn, slices.Sorted(maps.Keys(cardWords)))

func readCardWords(table string) map[string]cardWord {
	out := map[string]cardWord{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		slot, verbs, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for verb := range strings.SplitSeq(verbs, "; ") {
			parts := append(strings.Split(verb, "="), "*", "*")
			out[parts[0]] = cardWord{slot, parts[1], parts[2], len(out)}
		}
	}
	return out
}

// wording writes values for a reader.
type wording struct {
	name   string
	german bool
	you    bool // the reader is the individual
}

const longestValue = 100 // bytes of a value; a longer one is cut at a word

// value writes the value of a fact.
func (w *wording) value(m *trilith.Memory, word cardWord) string {
	said, _ := Began(m)
	text := Inline(w.turned(absolute(m.Fact.Node.Name, said)))
	if len(text) > longestValue {
		text = strings.ToValidUTF8(text[:longestValue], "") // without the half of a character
		if space := strings.LastIndexByte(text, ' '); space > 0 {
			text = text[:space]
		}
		text += "…"
	}
	pattern := word.english
	if w.german {
		pattern = word.german
	}
	text = strings.Replace(pattern, "*", text, 1)
	if due := m.Fact.ActionDeadline; due != nil && !strings.Contains(text, due.Format(time.DateOnly)) {
		text += map[bool]string{true: ", bis ", false: ", due "}[w.german] + due.Format(time.DateOnly)
	}
	return text
}

// day says since when a fact holds, or when it was said.
func (w *wording) day(m *trilith.Memory) string {
	day := m.EventTime.Format(time.DateOnly)
	if _, since := Began(m); since {
		return map[bool]string{true: "seit ", false: "since "}[w.german] + day
	}
	return day
}

// Began returns when a fact was said, and whether it is known since when it holds: because that was said, or because the
// program says so that stored it without quoting anybody.
func Began(m *trilith.Memory) (said time.Time, since bool) {
	for _, e := range m.Fact.Evidence {
		if e.SaidAt != nil && !e.Withdrawn && e.At.Equal(m.EventTime) {
			return *e.SaidAt, true
		}
	}
	return m.EventTime, len(m.Fact.Evidence) == 0
}

// absolute replaces expressions of time that depend on when they were said by their days.
func absolute(text string, said time.Time) string {
	var b strings.Builder
	end := 0
	for _, e := range dates.Find(text, said, dates.Both) {
		if e.Kind == dates.Recurring || e.Kind == dates.Duration || e.Anchor == dates.TimeOfDay ||
			e.Anchor == dates.OnCalendar || e.Start < end {
			continue
		}
		when := period(e)
		if e.Kind == dates.Interval && e.To.After(said) && !e.From.After(said) { // "since May", up to when it was said
			since, _, _ := strings.Cut(text[e.Start:e.End], " ")
			when = since + " " + e.From.Format(time.DateOnly)
		}
		b.WriteString(text[end:e.Start] + when)
		end = e.End
	}
	return b.String() + text[end:]
}

// period writes the time of an expression, as finely as it says it.
func period(e dates.Expression) string {
	from, last := e.From, e.To.Add(-time.Nanosecond)
	if e.Kind == dates.Deadline {
		from = last
	}
	switch day, to := from.Format(time.DateOnly), last.Format(time.DateOnly); {
	case e.Granularity < dates.Day && e.Kind == dates.Point:
		return from.Format("2006-01-02 15:04")
	case day == to:
		return day
	case e.Granularity == dates.Month && from.Month() == last.Month():
		return from.Format("2006-01")
	case e.Granularity == dates.Year && from.Year() == last.Year():
		return from.Format("2006")
	default:
		return day + "–" + to
	}
}

// yours and theirs turn words of the first person: at the reader, and away from the speaker, whose name is *.
var (
	yours = turns("i you me you my your mine yours myself yourself we you us you our your ours yours " +
		"ich du mir dir mich dich mein dein meine deine meinen deinen meinem deinem meiner deiner meines deines " +
		"wir ihr uns euch unser euer unsere eure unseren euren unserem eurem unserer eurer")
	theirs = turns("i * me * my *'s mine *'s myself * we * us * our *'s ours *'s " +
		"ich * mir * mich * mein *s meine *s meinen *s meinem *s meiner *s meines *s " +
		"wir * uns * unser *s unsere *s unseren *s unserem *s unserer *s")
)

func turns(list string) map[string]string {
	out := map[string]string{}
	words := strings.Fields(list)
	for i := 0; i < len(words); i += 2 {
		out[words[i]] = words[i+1]
	}
	return out
}

// FirstPerson reports whether a word is one of the first person, and whether it says whose something is: my.
func FirstPerson(word string) (owns, is bool) {
	as, is := theirs[word]
	return strings.HasSuffix(as, "s"), is
}

// turned puts what somebody says of themselves into the second person, or the third.
func (w *wording) turned(text string) string {
	table, out := theirs, []string(nil)
	if w.you {
		table = yours
	}
	for _, word := range strings.Fields(text) {
		core := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		if to, ok := table[strings.ToLower(core)]; ok {
			word = strings.Replace(word, core, strings.ReplaceAll(to, "*", w.name), 1)
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}
