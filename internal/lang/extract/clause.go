package extract

import (
	"slices"
	"strings"
)

// This file finds assertions: their words, their speaker and their subject. The rules of the tables know nothing of
// it.
//
// A clause counts only where an assertion can begin: at the beginning of a sentence, after a mark, after "and" or
// "but", and after words that take their clause for granted ("because", "since", "now that"). Before its subject are
// at most openers ("well", "by the way", "in 2019"). So "if I …", "I doubt that I …", "Tom, who …" and "it isn't true
// that my …" are never looked at. Reports, suppositions and questions around the clause still have to be recognised.

// ownWords returns the number of tokens before which the turn speaks for itself. The text after them was handed
// over to be worked on ("Translate this."), has a head that does not concern its speaker ("Example sentences: …"),
// belongs to a part that is played, or was pasted.
func (r *reader) ownWords() int {
	work, own, material := false, false, r.l.list("workon")
	r.material = 0
	for i := range r.tokens {
		t := &r.tokens[i]
		if i < 30 && r.entryAt("play", i) > 0 {
			return i
		}
		begins := i == 0 || r.tokens[i-1].mark || r.tokens[i-1].is(openerWord) || r.in(&r.tokens[i-1], "polite")
		work = work || begins && material.has(t.word)
		handed := work && t.mark && t.word != "," && !own
		if r.turn.Project && r.material == 0 && (handed || t.word == ":" && i > 0 && !r.introduces(i)) {
			r.material = t.end
		}
		own = own && !t.fresh && r.tokens[i-1].word != "." || t.word == r.l.self || strings.HasPrefix(t.word, r.l.own)
		headed := t.word == ":" && i > 0 && !r.introduces(i) &&
			(!own || i+1 < len(r.tokens) && r.tokens[i+1].word == "\n")
		switch {
		case work && (t.word == ":" || t.word == "\n" || t.quoted),
			(handed || headed) && !r.turn.Project,
			t.fresh && (t.word == ">" || t.word == "`" || t.word == "|" || r.entryAt("letterhead", i) > 0):
			return i
		}
	}
	return len(r.tokens)
}

// introduces reports whether the colon at i follows "about me", "update" and the like.
func (r *reader) introduces(i int) bool {
	for k := max(0, i-3); k < i; k++ {
		if r.entryAt("introduction", k) == i-k || r.entryAt("correct", k) == i-k {
			return true
		}
	}
	return false
}

// unsaid reports whether the sentence that begins at i takes the one before back: "Just kidding."
func (r *reader) unsaid(i int) bool {
	for i < len(r.tokens) && r.tokens[i].mark {
		i++
	}
	return r.entryAt("kidding", i) > 0
}

// A who is the subject of a clause.
type who struct {
	known bool
	kin   string // a word for somebody near: "sister"; "" for the speaker and for people known only by name
	said  string // the kin word as it was said
	name  string // "Anna"; kin may be set too
	mid   bool   // the name is none but by its place: "yesterday Anna …"
}

func (w who) speaks() bool { return w.kin == "" && w.name == "" }

// A guard says what governs the clauses of a sentence from left to right.
type guard struct {
	reported bool // by somebody else: until "but", "so" or a semicolon
	supposed bool // the sentence is a condition or a wish
	clause   bool // the same within one clause: until the next mark
}

func (g *guard) open() bool { return !g.reported && !g.supposed && !g.clause }

// sentence reads the clauses of the sentence.
func (r *reader) sentence() {
	r.opened = false
	if r.turn.Project {
		begin, _, b := r.item(r.from, r.to)
		if r.from = min(begin, r.to-1); b == " " {
			r.advice(true)
			return
		}
	}
	var g guard
	var last who   // subject of the last match
	done := r.from // end of the last match
	begin, factive, to := true, false, r.to
	r.lead = match{}
	for i := r.from; i < to; i++ {
		r.part(i, to)
		if i == r.from && r.request(i) {
			i, done, last = r.to-1, r.to, who{known: true}
			continue
		}
		r.opened, r.start = false, i
		if begin {
			if n := r.openers(i); n > i {
				i, r.opened = n, true
				if n >= r.to {
					i--
					continue
				}
			}
		}
		t := &r.tokens[i]
		if t.word == r.l.own && !t.quoted && !g.reported {
			r.presume(i, begin && !factive)
		}
		if (begin && i >= done || i == done) && !t.quoted && !t.mark && !t.is(andWord) && g.open() {
			if i > done+4 {
				last = who{} // too far for "I live in Graz and work as a nurse"
			}
			end, w := r.clause(i, last, factive)
			if done = max(done, end); end > 0 {
				last = w
			}
		}
		begin, factive = r.govern(&g, i)
	}
	r.to = to
}

// govern updates the guard by the token at i, and reports whether a clause may begin behind it.
func (r *reader) govern(g *guard, i int) (begin, factive bool) {
	t := &r.tokens[i]
	before := &stop
	if i > r.from {
		before = &r.tokens[i-1]
	}
	switch {
	case t.mark:
		g.clause = false
		if t.word == ";" {
			*g = guard{}
		}
		if t.word == ":" && !r.introduces(i) && !r.turn.Project {
			g.reported = true
		}
		return !strings.Contains(`'"/&@#%`, t.word), false
	case r.phraseAt(supposing, i) > 0:
		g.clause = true
		g.supposed = g.supposed || i == r.from || r.opened && before.mark
	case t.is(doubting): // "ich glaube, ich …"
		g.reported = true
	case r.phraseAt(reporting, i) > 0:
		g.reported = g.reported || before.word != r.l.self && !before.is(adverb)
	case t.is(turning): // but, so
		g.reported, g.clause = false, false
		return true, false
	case t.is(andWord):
		return true, false
	}
	for k := max(r.from, i-3); k <= i; k++ { // "because", "now that"
		if n := r.phraseAt(factiveWord, k); n > 0 && k+n == i+1 {
			return true, true
		}
	}
	return false, false
}

// openers returns the position behind words that may come before a clause: "well", "by the way,", "in 2019".
func (r *reader) openers(i int) int {
	for i < r.to {
		n := r.phraseAt(openerWord|adverb, i)
		if n == 0 && i+1 < r.to && r.tokens[i+1].word == "," && strings.HasSuffix(r.tokens[i].word, "ly") {
			n = 1 // "sadly,"
		}
		if n == 0 {
			break
		}
		for i += n; i < r.to && r.tokens[i].word == ","; {
			i++
		}
	}
	if r.l.code == "de" {
		return i
	}
	if n := r.adjunct(r.whole(0), i); n > 1 { // "last year we moved"
		return i + n
	}
	for k := i; k < min(i+7, r.to) && r.in(&r.tokens[i], "preposition"); k++ { // "in my spare time I …"
		if r.tokens[k].mark || r.phraseAt(notWord|reporting|supposing, k) > 0 {
			break
		}
		if k > i+1 && r.tokens[k].word == r.l.self {
			return k
		}
	}
	return i
}

// clause reads the clause at i and returns the position behind its match, or 0, with the clause's subject.
func (r *reader) clause(i int, last who, factive bool) (int, who) {
	if last.known && r.again(last) {
		return r.to, last
	}
	all := r.whole(0)
	w, k, owner := r.subject(i)
	read := func(root way, v view) int { return r.assertion(root, v, i, w, factive) }
	end := 0
	switch {
	case owner:
		if end = read(possessor, all[k:r.to]); end == 0 && r.tokens[k-1].word == "'s" { // "my sister's a nurse"
			end = read(subject, append(view{k - 1}, all[k:r.to]...))
		}
	case k > i:
		end = read(subject, r.ordered(all[k:r.to], factive))
	}
	if end == 0 && k > i && w.kin != "" && !owner && r.tokens[i].word == r.l.own { // "my dog Rex died"
		if me := (who{known: true}); r.assertion(possessor, all[i+1:r.to], i, me, factive) > 0 {
			return r.last, me
		}
	}
	if k > i && end > 0 {
		return end, w
	}
	if front, v, after := r.fronted(i); k == i && front.known {
		if w = front; read(subject, v) > 0 {
			return max(r.last, after), w
		}
		return 0, w
	}
	if r.turn.Project && !r.tokens[i].is(supposing|reporting) && !r.in(&r.tokens[i], "asking") {
		w = who{known: true}
		if end := read(stated, all[i:r.to]); end > 0 {
			return end, w
		}
	}
	if k > i {
		return 0, w
	}
	if r.in(&r.tokens[i], "dropping") && (i == r.from || r.tokens[i-1].mark || r.opened) { // "moved to Graz last year"
		w = who{known: true}
		return read(subject, all[i:r.to]), w
	}
	if last.known && i > r.from && !r.tokens[i-1].mark { // "and work as a nurse"
		w = last
		return read(subject, all[i:r.to]), w
	}
	return 0, who{}
}

// assertion looks a clause up and adds the facts that it asserts. It returns the position behind that, or 0.
func (r *reader) assertion(root way, v view, i int, w who, factive bool) int {
	r.mid = w.mid
	v, stands := r.polarity(root, v)
	m, ok := r.find(r.l.roots[root], v)
	if !ok {
		return 0
	}
	end := 0 // the verb may come from behind the value, and the subject come behind the verb
	for _, k := range v[:m.end] {
		end = max(end, k+1)
	}
	tail := r.tail(end)
	if tail == never || r.asked && !factive && !r.apart(i, end) {
		return 0
	}
	if tail == over && stands != negative || stands == denied && m.end < len(v) && r.entryAt("more", v[m.end]) > 0 {
		stands = over
	}
	takesBack := stands >= denied || m.ends[0].ends || m.ends[0].instead
	// "Left Ikea" may be a way home; a negated clause, or one about "my job", always ends the fact.
	own := func(k int) bool { return strings.HasPrefix(r.tokens[k].word, r.l.own) }
	if takesBack && !(r.outright() && r.ended(v, m.end, stands >= denied || slices.ContainsFunc(v[:m.end], own))) {
		return 0
	}
	r.emit(m, v, w, stands)
	if root == subject && r.at(v, m.end).word == "," && r.at(v, m.end+1).is(articleWord) { // "I'm Otto, a nurse from Riga"
		more := append(view{v[0]}, v[m.end+1:]...)
		if m, ok := r.find(r.l.roots[root], more); ok {
			r.emit(m, more, w, held)
		}
	}
	r.last = end
	return end
}

// outright reports whether the clause at hand is said by itself: at the beginning of its sentence, behind a
// conjunction or a strong mark, and not as somebody's words. "As Tom puts it, I left Volvo." is not.
func (r *reader) outright() bool {
	for k := r.from; k < r.after; k++ {
		if r.tokens[k].is(reporting) || r.in(&r.tokens[k], "laugh") {
			return false
		}
	}
	if r.start == r.from || r.tokens[r.start].is(turning|factiveWord) {
		return true
	}
	t := &r.tokens[r.start-1]
	return t.is(andWord|turning|factiveWord) || t.word == ";" || t.word == "-" || t.word == "–" || t.word == "—"
}

// ended reports whether nothing restricts what ends before v[i]: who no longer plays before breakfast still plays. If
// the end is sure, a clause with a subject of its own that is joined to it is another matter.
func (r *reader) ended(v view, i int, sure bool) bool {
	for i < len(v) {
		if sure && r.at(v, i).is(andWord|turning) && v[i]+1 < r.to {
			k := r.openers(v[i] + 1)
			if _, next, owner := r.subject(k); next > k && !owner && !r.isName(&r.tokens[k]) || r.tokens[k].is(pronoun) {
				return true
			}
		}
		n := r.adjunct(v, i)
		if n == 0 {
			n = max(r.phraseAt(openerWord|anymore, v[i]), r.entryAt("finishing", v[i]))
		}
		if n == 0 {
			break
		}
		i += n
	}
	return r.at(v, i).mark || r.at(v, i).is(andWord|turning|factiveWord) || i < len(v) && !r.ascending(v, i)
}

// fronted reads a German main clause in which something comes before verb and subject: "seit Mai wohne ich in Graz".
func (r *reader) fronted(i int) (w who, v view, after int) {
	for k := i + 1; k < min(i+9, r.to) && r.l.code == "de"; k++ {
		t := &r.tokens[k-1]
		if t.mark && (t.word != "." || r.l.ends(r.tokens, k-1)) || t.is(reporting|notWord) || r.phraseAt(supposing, k-1) > 0 {
			break
		}
		if w, next, owner := r.subject(k); next > k && !owner && (k > i+1 || r.opened) {
			v := append(view{k - 1}, r.whole(0)[i:k-1]...)
			return w, append(v, r.whole(0)[next:r.to]...), next
		}
	}
	return who{}, nil, 0
}

// ordered brings a German subordinate clause, whose verb is last, into the order of a main clause.
func (r *reader) ordered(v view, subordinate bool) view {
	end := 0
	for end < len(v) && !r.at(v, end).mark && !r.at(v, end).is(andWord|turning) {
		end++
	}
	if r.l.code != "de" || !subordinate || end < 2 {
		return v
	}
	return append(append(view{v[end-1]}, v[:end-1]...), v[end:]...)
}

// request reads the request at i: "please always answer in German", "remind me to …".
func (r *reader) request(i int) bool {
	for n := 1; n > 0 && i < r.to; i += n {
		if n = r.entryAt("polite", i); n > 0 && i+n < r.to && r.tokens[i+n].word == "," {
			n++
		}
	}
	if i >= r.to || r.tokens[i].quoted {
		return false
	}
	v := r.whole(i)[:r.to-i]
	m, ok := r.find(r.l.roots[request], v)
	if ok {
		r.emit(m, v, who{known: true}, held)
	}
	return ok
}

// again reads the part at hand as the one before it with another value: "and on Friday to Graz", "and to pay the rent
// on Friday". Such a part has no verb of its own, or states a task.
func (r *reader) again(w who) bool {
	m, v, named := r.lead, r.whole(0)[r.start:r.to], false
	if m.to != r.begin || len(m.captures) == 0 || m.captures[0].time == nil && m.captures[0].kind != "place" {
		return false
	}
	before := m.v[:m.captures[0].from]
	for r.at(v, 0).is(andWord) || r.at(v, 0).word == "to" && r.at(before, len(before)-1).word == "to" {
		v = v[1:]
	}
	last := r.at(v, len(v)-1)
	doing := m.captures[0].kind != "dated" &&
		(r.l.code == "en" && r.plain(v, 0) || !last.upper && strings.HasSuffix(last.word, "n"))
	for k := range v {
		t := r.at(v, k)
		named = named || t.is(articleWord)
		if t.word == r.l.self || t.is(auxiliary|reporting) || !doing && r.plain(v, k) && (!named || r.isVerb(v, k)) {
			return false
		}
	}
	more, ok := r.find(m.root, append(slices.Clone(before), v...))
	if ok {
		r.emit(more, more.v, w, held)
		m.to = r.to
		r.lead = m
	}
	return ok
}

// plain reports whether v[i] is neither a name nor a little word, and no part of a time.
func (r *reader) plain(v view, i int) bool {
	t := r.at(v, i)
	e, _ := r.timeAt(v, i)
	return e == nil && !t.upper && !t.digit && !t.mark && !t.is(articleWord|definite|ofWord|stopWord) && t.word != "to" &&
		!r.in(t, "preposition")
}

// presume reads a phrase behind the "my" at i, which is true even in a question: "what does my cat need?" heads says that
// the words begin a main clause.
func (r *reader) presume(i int, heads bool) {
	v := r.whole(i + 1)[:r.to-i-1]
	for k := -2; k < min(4, len(v)); k++ { // "my future husband", "some imaginary cat of my brother"
		if at := i + 1 + k; at >= r.from && (k < 0 || !r.tokens[at].mark) && r.in(&r.tokens[at], "unreal") {
			return
		}
	}
	r.loose, r.heads = true, heads
	m, ok := r.find(r.l.roots[presumed], v)
	r.heads = false
	if ok && (m.captures[0].kind == "kin" || m.captures[0].kind == "family" || !r.parted(i, i+1+m.end)) {
		r.emit(m, v, who{known: true}, held)
	}
	r.loose = false
}

// parted reports whether the clause around tokens i to end says that the thing there is gone: sold, stolen, dead, given to
// somebody.
func (r *reader) parted(i, end int) bool {
	bounds := func(k int) bool {
		return k < r.from || k >= r.to || r.tokens[k].mark || r.tokens[k].is(andWord|turning|factiveWord)
	}
	for ; !bounds(end); end++ {
		if r.entryAt("part", end) > 0 || r.in(&r.tokens[end], "goal") && r.in(&r.tokens[max(r.from, i-1)], "giving") {
			return true
		}
	}
	for i--; !bounds(i) && r.entryAt("part", i) == 0; i-- {
	}
	return !bounds(i)
}

func (r *reader) isName(t *token) bool {
	return t.upper && !t.digit && !t.is(stopWord) && !r.in(t, "noname", "nation", "language")
}

// subject reads a subject at i: the speaker, somebody near ("my sister Anna"), or a person who is known. owner says that
// it is followed by something of theirs: "my sister's …", "my …".
func (r *reader) subject(i int) (w who, next int, owner bool) {
	v := r.whole(i)[:r.to-i]
	t := r.at(v, 0)
	k := 1
	switch {
	case t.word == r.l.self:
		return who{known: true}, i + 1, false
	case t.word == r.l.own:
		for k < 3 && !r.near(r.at(v, k)) && !r.at(v, k).mark && !r.at(v, k).is(stopWord) && !r.at(v, k).upper {
			k++
		}
		if !r.near(r.at(v, k)) {
			return who{known: true}, i + 1, true
		}
		if r.in(r.at(v, k-1), "unreal") {
			return who{}, i, false
		}
		kin := r.at(v, k)
		w = who{kin: kin.word, said: r.text[kin.start:kin.end], known: true}
		if k++; r.at(v, k).is(andWord) && r.at(v, k+1).word == r.l.self {
			return who{known: true}, i + k + 2, false // "my wife and I"
		}
		w.name, k = r.named(v, k)
	case r.isName(t) && t.word == r.me: // "Ana moved to Bergen", by Ana
		w = who{known: true}
	case r.isName(t):
		if w, k = r.someone(v, i); !w.known {
			return who{}, i, false
		}
	default:
		return who{}, i, false
	}
	if r.at(v, k).word == "'s" {
		return w, i + k + 1, true
	}
	return w, i + k, false
}

// someone reads the name at the beginning of v as a person: one who is known, was introduced or, in an English text with
// capital letters, one named in mid-sentence.
func (r *reader) someone(v view, i int) (who, int) {
	k := 1
	for k < 3 && r.isName(r.at(v, k)) && !r.at(v, k).is(adverb) {
		k++
	}
	for n := k; n > 0; n-- {
		name := r.said(v, 0, n)
		if r.turn.Known != nil && r.turn.Known(name) || r.introduced[r.at(v, 0).word] {
			return who{name: name, known: true}, n
		}
	}
	mid := r.l.code == "en" && !r.careless && i > r.from && !r.tokens[i-1].mark
	return who{name: r.said(v, 0, k), known: mid, mid: mid}, k
}

// named reads the name of somebody near at v[k]: "my sister Anna", "my sister, Anna,". From then on the name is known.
func (r *reader) named(v view, k int) (string, int) {
	at, end := k, k+1
	if r.at(v, k).word == "," && r.at(v, k+2).word == "," {
		at, end = k+1, k+3
	}
	n, next := r.at(v, at), r.at(v, at+1)
	if !r.isName(n) || r.l.code == "de" && (next.upper || next.mark && end == k+1) { // any noun
		return "", k
	}
	r.introduced[n.word] = true
	return r.text[n.start:n.end], end
}

// near reports whether a word names somebody near, one or several, or an animal.
func (r *reader) near(t *token) bool { return r.in(t, "kin", "several", "animal") }

// A standing says whether a clause holds.
type standing uint8

const (
	held     standing = iota
	negative          // a phrase of the tables is negative itself: "I do not eat {food}"
	denied            // "I do not live in …"
	over              // "I no longer live in …", "I used to live in …"
	never             // nothing is asserted
)

// polarity takes the negation out of a view, unless a phrase of the tables has it ("I do not eat {food}").
func (r *reader) polarity(root way, v view) (view, standing) {
	if root != subject {
		return v, held
	}
	for k := 0; k < min(8, len(v)) && !r.at(v, k).mark && !r.at(v, k).is(andWord|turning); k++ {
		n, s := r.phraseAt(nolonger, v[k]), over
		if n == 0 && r.at(v, k).is(notWord) {
			n, s = 1, denied
		}
		if n == 0 {
			continue
		}
		rest := append(append(view{}, v[:k]...), v[min(len(v), k+n):]...)
		if k > 0 && r.in(r.at(v, k-1), "dummy") { // "do not", "does not"
			rest = slices.Delete(rest, k-1, k)
		}
		if m, ok := r.find(r.l.roots[root], v); ok && m.end > k {
			if _, plain := r.find(r.l.roots[root], rest); !plain || m.end >= len(v) ||
				r.phraseAt(anymore, v[m.end]) == 0 {
				return v, negative
			}
		}
		return rest, s
	}
	return v, held
}

// tail reads the rest of the clause: "… any more" ends the fact, "… if I win" makes it one that was not stated.
func (r *reader) tail(end int) standing {
	for k := end; k < r.to; k++ {
		t := &r.tokens[k]
		if t.mark && t.word != "," && t.word != "-" {
			break
		}
		if r.phraseAt(anymore, k) > 0 {
			return over
		}
		if r.entryAt("takenback", k) > 0 || t.word == "," && r.reportedBy(k+1) {
			return never
		}
		if t.word == "," || t.is(andWord|turning) {
			break
		}
	}
	return held
}

// reportedBy reports whether the words at i name the speaker of the words before them: ", she said", ", he joked."
func (r *reader) reportedBy(i int) bool {
	for j := i; j < min(i+3, r.to); j++ {
		if r.tokens[j].is(reporting) && r.tokens[j-1].word != r.l.self {
			return true
		}
	}
	return i+1 < r.to && (r.tokens[i].is(pronoun) && r.tokens[i].word != r.l.self && !r.tokens[i].is(relative) ||
		r.tokens[i].upper && r.tokens[i].word != r.l.self) && (i+2 >= r.to || r.tokens[i+2].mark) &&
		!r.tokens[i+1].is(stopWord|adverb)
}

// apart reports whether a question follows the statement at tokens i to end, and is not about it: "I live in Graz, do
// you know it?"
func (r *reader) apart(i, end int) bool {
	if r.in(&r.tokens[r.from], "asking") && (i == r.from || !r.tokens[i-1].mark) {
		return false
	}
	begin := false
	for k := end; k < r.after; k++ {
		t := &r.tokens[k]
		if begin && r.entryAt("tag", k) > 0 {
			return false
		}
		if begin && r.in(t, "asking", "you") {
			return true
		}
		begin = t.mark || t.is(andWord) || t.is(turning) || begin && r.phraseAt(openerWord, k) > 0
	}
	return false
}
