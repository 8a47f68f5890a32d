package extract

import (
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/dates"
)

// A value is the reading of a typed part of a phrase.
type value struct {
	texts []string
	time  *dates.Expression // that it holds
}

// A parser reads a value at v[i]. It returns the value and the position behind it, or 0.
type parser func(r *reader, v view, i int) (value, int)

// parsers are the types of values; every word list is a type as well: a phrase whose last word is in the list.
var parsers map[string]parser

func init() {
	parsers = map[string]parser{"place": place, "org": org, "name": name, "proper": proper, "thing": thing, "kind": kind, "own": own,
		"things": things, "taste": taste, "matter": matter, "years": years, "day": day, "dated": dated, "text": rest,
		"task": task, "email": email, "phone": phone, "address": address, "dose": dose,
		"deed": deed, "event": happening("happens"), "outcome": happening("finished"), "blocked": blocked, "firm": firm, "words": words, "act": act, "acted": acted, hash: here}
}

// place reads a name of a place. In a turn without capital letters it is at most three words without an article.
func place(r *reader, v view, i int) (value, int) {
	from, to, pointed := r.phrase(v, i)
	if from == to || to-from > 5 || r.in(r.at(v, from), "noplace") || r.in(r.at(v, to-1), "noplace") ||
		(pointed || from > i) && r.l.code == "de" && !r.l.list("articled").has(r.at(v, from).word) {
		return value{}, 0
	}
	if !r.at(v, from).upper {
		return r.value(v, from, to, r.careless && from == i && to-from <= 3 && !r.at(v, from).digit)
	}
	for k := from; k < to; k++ {
		if t := r.at(v, k); !t.upper && !t.is(ofWord) && t.word != "-" {
			to = k
		}
	}
	return r.value(v, from, to, true)
}

// org reads an employer or a school: a name, or "a bakery".
func org(r *reader, v view, i int) (value, int) {
	from, to, _ := r.phrase(v, i)
	named := r.at(v, from).upper || from > i && r.l.code == "en" || r.careless
	return r.value(v, from, to, named && !r.at(v, from).digit && !r.in(r.at(v, to-1), "notime", "vague"))
}

// proper reads a name with a capital letter.
func proper(r *reader, v view, i int) (value, int) {
	if !r.at(v, i).upper {
		return value{}, 0
	}
	return name(r, v, i)
}

// name reads up to three words with a capital letter; in a turn without any, one word that is nothing else. In German,
// where every noun has one, a name behind a word for somebody near needs its main clause, or to be known.
func name(r *reader, v view, i int) (value, int) {
	to := i
	for to < len(v) && to < i+4 && r.at(v, to).upper && r.bare(r.at(v, to)) {
		if to++; to < len(v) && r.at(v, to).word == "." && r.in(r.at(v, to-1), "abbreviation") {
			to++
		}
	}
	if to == i && r.careless && !r.loose && r.bare(r.at(v, i)) && !r.at(v, i).digit && r.closed(v, i+1) &&
		!r.in(r.at(v, i), "vague") {
		to = i + 1
	}
	if to == i || r.in(r.at(v, i), "noname", "nation", "language") || to <= i+2 && r.in(r.at(v, i), "abbreviation") {
		return value{}, 0
	}
	noun := r.loose && r.l.code == "de" && !r.heads && (r.turn.Known == nil || !r.turn.Known(r.said(v, i, to)))
	return r.value(v, i, to, !noun)
}

// kind reads a noun phrase of any sort.
func kind(r *reader, v view, i int) (value, int) {
	from, to, _ := r.phrase(v, i)
	return r.value(v, from, to, true)
}

func things(r *reader, v view, i int) (value, int) { return several(thing, r, v, i) }

// taste reads the objects of a verb of liking. A thing without an article is liked in general: "hiking", "old films";
// with one it is the thing at hand. Words that restrict the thing belong to it: "films with subtitles".
func taste(r *reader, v view, i int) (value, int) {
	from, to, pointed := r.phrase(v, i)
	if pointed && r.at(v, i).word == "the" && r.at(v, from).upper {
		i = from // "the Beatles"
	}
	first, last := r.at(v, from), r.at(v, to-1)
	if from == to || from > i || to-from > 4 || first.digit || r.in(first, "vague", "numeral") || r.in(last, "vague") {
		return value{}, 0
	}
	next := r.at(v, to)
	doing := r.l.code == "en" && strings.HasSuffix(first.word, "ing") && !r.in(first, "hobby")
	if r.in(next, "restricting") && r.until[next.word] == nil || doing && (to == i+1 && !r.final(v, to) || !r.closed(v, to)) {
		return r.restricted(v, i, to)
	}
	single := to == i+1 && r.in(first, "adjective")
	if (next.is(joining) || next.word == ",") && !(doing && to > i+1) { // and not "making jewelry and cards"
		k := to + 1
		for r.at(v, k).is(joining) {
			k++
		}
		more, end := taste(r, v, k)
		switch {
		case end > 0 && single: // "hot and sticky weather"
			return r.value(v, i, end, true)
		case end > 0 && r.closed(v, end):
			return value{texts: append([]string{r.said(v, i, to)}, more.texts...)}, end
		}
	}
	return r.value(v, i, to, !single)
}

// restricted reads a liked thing from v[i] with its restriction from v[to] on.
func (r *reader) restricted(v view, i, to int) (value, int) {
	end := r.clauseEnd(v, to, factiveWord|supposing|relative)
	for k := to; k < end; k++ {
		if t := r.at(v, k); r.in(t, "unclear", "pronoun", "definite") {
			return value{}, 0
		} else if t.is(openerWord) && !t.is(andWord) {
			end = k // "lol"
		}
	}
	cut := r.at(v, end).word == "," && r.bare(r.at(v, end+1)) && !r.at(v, end+1).mark // "with a plain, sturdy frame"
	return r.value(v, i, end, end-i <= 8 && end > to+1 && !cut && !r.in(r.at(v, end-1), "adjective", "stop"))
}

// clauseEnd returns where the clause at v[i] ends: at a mark, or at a word of a class that begins another clause.
func (r *reader) clauseEnd(v view, i int, begins class) int {
	for ; i < len(v); i++ {
		t := r.at(v, i)
		if t.mark && (t.word != "." || r.l.ends(r.tokens, v[i])) && !strings.Contains("-'/&", t.word) {
			return i
		}
		if t.is(begins) ||
			t.is(andWord|joining) && (r.at(v, i+1).word == r.l.self || r.at(v, i+1).is(pronoun|auxiliary)) {
			return i
		}
	}
	return i
}

// matter reads the subject of a statement about a thing, up to its verb: "the inspection of the roof".
func matter(r *reader, v view, i int) (value, int) {
	from := r.headless(v, i)
	to := from
	for to < len(v) && to-from < 8 && r.until[r.at(v, to).word] == nil && !r.at(v, to).mark &&
		!r.at(v, to).is(pronoun|relative|factiveWord|andWord|turning|notWord) {
		to++
	}
	return r.value(v, from, to, !r.in(r.at(v, from), "vague", "stop") && !r.at(v, to-1).is(stopWord|adverb))
}

// headless returns the position behind the words before a thing: "the", "our".
func (r *reader) headless(v view, i int) int {
	for r.at(v, i).is(articleWord|definite) || r.at(v, i).word == r.l.own {
		i++
	}
	return i
}

// own reads a thing that the speaker may own, under any name: "the canoe", and not "his canoe".
func own(r *reader, v view, i int) (value, int) {
	from, to, _ := r.phrase(v, i)
	return r.value(v, from, to, !r.in(r.at(v, i), "theirs"))
}

func years(r *reader, v view, i int) (value, int) {
	t := r.at(v, i)
	n, err := strconv.Atoi(strings.TrimSuffix(t.word, "-year-old"))
	if err != nil || n < 1 || n > 110 {
		return value{}, 0
	}
	return one(strconv.Itoa(n)), i + 1
}

// rest reads the clause, with the clauses joined to it.
func rest(r *reader, v view, i int) (value, int) {
	end := i
	for end < len(v) && end-i < 40 && r.until[r.at(v, end).word] == nil && r.at(v, end).word != ";" &&
		!(r.at(v, end).mark && r.l.ends(r.tokens, v[end])) {
		end++
	}
	return r.value(v, i, end, end > i+1 || !r.in(r.at(v, i), "unclear"))
}

func email(r *reader, v view, i int) (value, int) {
	w := r.at(v, i).word
	return r.value(v, i, i+1, strings.Contains(w, "@") && strings.Contains(w, "."))
}

func phone(r *reader, v view, i int) (value, int) {
	to, digits := i, 0
	for ; to < len(v); to++ {
		t := r.at(v, to)
		if !t.digit && !strings.HasPrefix(t.word, "+") && !(t.mark && strings.Contains("()-/", t.word)) {
			break
		}
		for k := range t.word {
			if digitAt(t.word, k) {
				digits++
			}
		}
	}
	return r.value(v, i, to, 6 <= digits && digits <= 15)
}

// address reads a street with a number before or behind it, and the town.
func address(r *reader, v view, i int) (value, int) {
	end, digits, upper := i, false, false
	for end < len(v) && end-i < 14 && !(r.at(v, end).mark && r.at(v, end).word != ",") && !r.at(v, end).is(factiveWord) &&
		!(r.at(v, end).is(andWord) && !r.at(v, end+1).upper) {
		digits, upper = digits || r.at(v, end).digit, upper || r.at(v, end).upper
		end++
	}
	return r.value(v, i, end, digits && upper && end-i > 1)
}

// dose reads a medicine: a listed one, or any with its amount, "40 mg of furosemide".
func dose(r *reader, v view, i int) (value, int) {
	j := i
	for r.at(v, j).digit || r.l.list("unit").has(r.at(v, j).word) || j > i && r.at(v, j).is(ofWord) {
		j++
	}
	if j > i {
		_, to := thing(r, v, j)
		return r.value(v, i, to, j > i+1 || !r.at(v, i).digit)
	}
	return r.listed("medicine", v, i)
}

func thing(r *reader, v view, i int) (value, int) {
	from, to, pointed := r.phrase(v, i)
	return r.value(v, from, to, !pointed && !r.in(r.at(v, to-1), "vague"))
}

// value is the words from v[from] up to, without, v[to], if there are any and ok says that they are one.
func (r *reader) value(v view, from, to int, ok bool) (value, int) {
	if !ok || from >= to {
		return value{}, 0
	}
	return one(r.said(v, from, to)), to
}

func (r *reader) parse(kind string, v view, i int) (value, int) {
	if i >= len(v) {
		return value{}, 0
	}
	if p := parsers[kind]; p != nil {
		return p(r, v, i)
	}
	return r.listed(kind, v, i)
}

// listed reads a noun phrase up to its last word that is in a list: "an old beagle". "!" after the list's name leaves out
// the words before, "-" the ending that the list names: "Sesamallergie" is "Sesam".
func (r *reader) listed(kind string, v view, i int) (value, int) {
	kind, exact := strings.CutSuffix(kind, "!")
	kind, stem := strings.CutSuffix(kind, "-")
	list := r.l.list(kind)
	single := func(r *reader, v view, i int) (value, int) {
		from, to, pointed := r.phrase(v, i)
		if pointed {
			return value{}, 0
		}
		for j := to; j > from; j-- {
			for _, p := range list.phrases[r.at(v, from).word] {
				if n := r.spells(v, from, p); n > 0 {
					return one(r.said(v, from, from+n)), from + n
				}
			}
			w := r.at(v, j-1).word
			if !list.has(w) && (kind == "family" || kind == "kin" || !list.has(strings.TrimSuffix(w, r.l.ending))) {
				continue
			}
			if before := r.at(v, j-2); j-1 > from && r.in(before, "kin", "several", "unreal") {
				return value{}, 0 // "my aunts dog", "hot dogs"
			}
			if exact {
				from = j - 1
			}
			said := r.said(v, from, j)
			for _, end := range list.suffixes {
				cut := len(said) - len(end)
				if stem && strings.HasSuffix(w, end) && cut > 0 && strings.EqualFold(said[cut:], end) {
					said = said[:cut]
				}
			}
			return one(said), j
		}
		return value{}, 0
	}
	return several(single, r, v, i)
}

func one(text string) value { return value{texts: []string{text}} }

// said returns the words from v[i] up to, without, v[j]; where the view leaves the order of the text, the parts.
func (r *reader) said(v view, i, j int) string {
	var parts []string
	for i < j {
		k := i + 1
		for k < j && v[k] == v[k-1]+1 {
			k++
		}
		parts = append(parts, strings.Trim(r.text[r.at(v, i).start:r.at(v, k-1).end], " .,"))
		i = k
	}
	return strings.Join(parts, " ")
}

// several reads "a, b and c", each by p.
func several(p parser, r *reader, v view, i int) (value, int) {
	all, to := p(r, v, i)
	if to == 0 {
		return value{}, 0
	}
	for to+1 < len(v) {
		next := to
		for r.at(v, next).word == "," || r.at(v, next).is(joining) {
			next++
		}
		if next == to || r.at(v, next).is(turning) {
			break
		}
		more, end := p(r, v, next)
		if end == 0 || !r.closed(v, end) && r.until[r.at(v, end).word] == nil {
			break
		}
		all.texts, to = append(all.texts, more.texts...), end
	}
	return all, to
}

// phrase returns the bounds of the noun phrase at v[i], without its articles, and whether it had one that is definite.
func (r *reader) phrase(v view, i int) (from, to int, pointed bool) {
	for r.at(v, i).is(articleWord | definite | adverb) {
		pointed = pointed || r.at(v, i).is(definite)
		i++
	}
	from, to = i, i
	for to < len(v) && to-from < 6 && r.bare(r.at(v, to)) {
		if to > from && (v[to] < v[to-1] || r.l.code == "de" && r.at(v, to-1).upper && !r.at(v, to).upper) {
			break // a verb behind its object
		}
		to++
		if n := r.at(v, to); n.is(ofWord) && to+1 < len(v) && r.bare(r.at(v, to+1)) {
			to++
		} else if n.word == "-" && r.at(v, to).start == r.at(v, to-1).end && r.bare(r.at(v, to+1)) {
			to++
		}
	}
	return from, to, pointed
}

// bare reports whether a token may stand within a phrase that names a thing.
func (r *reader) bare(t *token) bool {
	return !t.mark && r.until[t.word] == nil && t.word != "'s" && !t.is(stopWord|adverb|articleWord|definite|anymore)
}
