package scenario

import "strings"

// correction is a statement and its end. Every story of it has a twin: a fact of the same person that nothing
// corrects, which has to be there wherever the stale one must not.
type correction struct {
	name string
	// the words on 10 January and on 2 June 2025; without the second, the first says itself how long it holds
	first, then string
	stale       string   // words of the fact that is over
	now         string   // words of the fact that holds instead; empty: none does
	unqualified []string // words that no prompt may hold as if they were true
	query       string
	held, over  string // days on which the stale fact held, and no longer held
}

const (
	twinEnglish, twinEnglishFact = "I own a kayak.", "kayak"
	twinGerman, twinGermanFact   = "Ich besitze ein Kajak.", "Kajak"
)

var correctionRows = []correction{
	{name: "replacement/en", first: "I live in Oslo.", then: "I moved to Bergen.", stale: "lives in Oslo",
		now:         "lives in Bergen",
		unqualified: []string{"in Oslo"}, query: "Where do you live, who owns a kayak?"},
	{name: "replacement/de", first: "Ich wohne in Köln.", then: "Ich bin nach Flensburg gezogen.",
		stale: "wohnt in Köln", now: "wohnt in Flensburg",
		unqualified: []string{"in Köln"}, query: "Wo wohnst du, wohne ich in Köln, wer besitzt ein Kajak?"},
	{name: "flip/en", first: "I love jazz.", then: "I don't like jazz any more.", stale: "likes jazz",
		unqualified: []string{"I love jazz", "likes jazz"}, query: "Do I love jazz, who owns a kayak?"},
	{name: "flip/de", first: "Ich mag Jazz.", then: "Ich mag Jazz nicht mehr.", stale: "mag Jazz.",
		unqualified: []string{"mag Jazz."}, query: "Wer mag Jazz, wer besitzt ein Kajak?"},
	{name: "retraction/en", first: "I work at Nordwind.", then: "I no longer work at Nordwind.",
		stale:       "works at Nordwind",
		unqualified: []string{"I work at Nordwind", "works at Nordwind"},
		query:       "Who works at Nordwind, who owns a kayak?"},
	{name: "retraction/de", first: "Ich arbeite bei Nordwind.", then: "Ich arbeite nicht mehr bei Nordwind.",
		stale:       "arbeitet bei Nordwind",
		unqualified: []string{"Ich arbeite bei Nordwind", "arbeitet bei Nordwind"},
		query:       "Wer arbeitet bei Nordwind, wer besitzt ein Kajak?"},
	{name: "partial/en", first: "I am allergic to walnuts and shrimps.", then: "I am no longer allergic to shrimps.",
		stale: "allergic to shrimps", now: "allergic to walnuts",
		unqualified: []string{"and shrimps", "is allergic to shrimps"},
		query:       "Who is allergic to walnuts or shrimps, who owns a kayak?"},
	{name: "partial/de", first: "Ich bin allergisch gegen Walnüsse und Garnelen.",
		then: "Ich bin nicht mehr allergisch gegen Garnelen.", stale: "allergisch gegen Garnelen",
		now:         "allergisch gegen Walnüsse",
		unqualified: []string{"und Garnelen", "ist allergisch gegen Garnelen"},
		query:       "Wer ist allergisch gegen Walnüsse oder Garnelen, wer besitzt ein Kajak?"},
	{name: "bounded/en", first: "I'm visiting Lisbon from 3 to 5 June 2025.", stale: "visit Lisbon",
		unqualified: []string{"visit Lisbon"}, query: "When is the visit to Lisbon, who owns a kayak?",
		held: "2025-06-04", over: "2025-07-01"},
	{name: "bounded/de", first: "Ich besuche vom 3. bis 5. Juni 2025 Lissabon.", stale: "Lissabon besuchen",
		unqualified: []string{"Lissabon besuchen"}, query: "Wann ist der Besuch in Lissabon, wer besitzt ein Kajak?",
		held: "2025-06-04", over: "2025-07-01"},
}

// cells are the rules for every correction, each with the lines that come after the correction.
var cells = []struct {
	name  string
	lines func(c correction, line func(...string))
}{
	{"now", func(c correction, line func(...string)) { c.right(line) }},
	{"context", func(c correction, line func(...string)) {
		line("context user=uta", quoted(c.query))
		line("expect contains", quoted(c.twin()))
		for _, words := range c.unqualified {
			line("expect labelled", quoted(words))
		}
	}},
	{"again", func(c correction, line func(...string)) {
		for _, label := range []string{"first", "then", "first"} {
			if label == "first" || c.then != "" {
				line("again", label)
				c.right(line)
			}
		}
	}},
	{"reextract", func(c correction, line func(...string)) {
		line("reextract user=uta")
		c.right(line)
	}},
	{"jobs", func(c correction, line func(...string)) {
		for _, command := range []string{"jobs", "reindex", "jobs"} {
			line(command)
			c.right(line)
		}
	}},
	{"move", func(c correction, line func(...string)) {
		for _, command := range []string{"move", "again first", "move"} {
			line(command)
			c.right(line)
		}
	}},
	{"restore", func(c correction, line func(...string)) {
		for _, command := range []string{"backup", "restore", "again first", "jobs"} {
			line(command)
			c.right(line)
		}
	}},
	{"as_of", func(c correction, line func(...string)) {
		held, over := c.days()
		line("recall user=uta kind=fact k=50 asof="+held, quoted(c.query))
		line("expect has", quoted(c.stale))
		line("recall user=uta kind=fact k=50 asof="+over, quoted(c.query))
		line("expect never", quoted(c.stale), "but", quoted(c.twin()))
	}},
	{"known", func(c correction, line func(...string)) {
		if held, _ := c.days(); c.then == "" {
			line("recall user=uta kind=fact k=50 known=before asof="+held, quoted(c.query))
		} else {
			line("recall user=uta kind=fact k=50 known=before", quoted(c.query))
		}
		line("expect has", quoted(c.stale))
		if c.now != "" && !strings.Contains(c.name, "partial") {
			line("expect never", quoted(c.now), "but", quoted(c.twin()))
		}
	}},
	{"known_then", func(c correction, line func(...string)) {
		held, over := c.days()
		line("moment after")
		line("recall user=uta kind=fact k=50 known=after asof="+held, quoted(c.query))
		line("expect has", quoted(c.stale))
		line("recall user=uta kind=fact k=50 known=after asof="+over, quoted(c.query))
		line("expect never", quoted(c.stale), "but", quoted(c.twin()))
	}},
	{"agree", func(c correction, line func(...string)) {
		for _, again := range []string{"jobs", "reindex"} {
			line(again)
			for _, command := range []string{"recall user=uta kind=fact k=50 arms=lexical",
				"recall user=uta kind=fact k=50 arms=dense",
				"recall user=uta kind=fact k=50 arms=exact,lexical", "facts user=uta"} {
				line(command, quoted(c.query))
				line("expect never", quoted(c.stale), "but", quoted(c.twin()))
			}
			for _, command := range []string{"lookup hops=2 query=" + quoted(c.query), "lookup", "summary"} {
				line(command, "user=uta name:Uta")
				line("expect never", quoted(c.stale), "but", quoted(c.twin()))
			}
		}
	}},
}

// corrections are the cells of the matrix, each a story of its own.
func corrections() []made {
	var out []made
	for _, c := range correctionRows {
		for _, cell := range cells {
			var b strings.Builder
			line := func(parts ...string) { b.WriteString(strings.Join(parts, " ") + "\n") }
			twin := twinEnglish
			if c.german() {
				twin = twinGerman
			}
			line("assimilate user=uta at=2025-01-05 id=twin as=twin name:Uta", quoted(twin))
			line("assimilate user=uta at=2025-01-10 id=first words=first name:Uta", quoted(c.first))
			line("expect has", quoted(c.stale))
			line("moment before")
			if c.then != "" {
				line("assimilate user=uta at=2025-06-02 id=then words=then name:Uta", quoted(c.then))
			}
			cell.lines(c, line)
			out = append(out, made{"correction/" + c.name + "/" + cell.name, b.String()})
		}
	}
	return out
}

func (c correction) german() bool { return strings.HasSuffix(c.name, "/de") }

// twin is a word of the fact that stays.
func (c correction) twin() string {
	if c.german() {
		return twinGermanFact
	}
	return twinEnglishFact
}

// days are one on which the stale fact held and one on which it did not.
func (c correction) days() (held, over string) {
	if c.held != "" {
		return c.held, c.over
	}
	return "2025-03-01", "2025-07-01"
}

// right asks for the fact that holds now.
func (c correction) right(line func(...string)) {
	if c.then == "" {
		line("recall user=uta kind=fact k=50 asof="+c.over, quoted(c.query))
	} else {
		line("lookup user=uta name:Uta")
	}
	line("expect never", quoted(c.stale), "but", quoted(c.twin()))
	if c.now != "" {
		line("expect has", quoted(c.now))
	}
}
