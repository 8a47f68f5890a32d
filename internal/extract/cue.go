package extract

import (
	"strings"
	"sync"

	"github.com/trilith-memory/trilith"
)

// cues are phrases that end facts of one sort: "gave … up" is gave, and up a few words later; "a/b" is either, "(a)" is
// optional, and "*'s" is the end of a word. The ended fact follows "→": "left →" does not match the place where
// something was left. There is one phrase on a line, or several between semicolons.
type cues struct {
	rule
	phrases string
}

// cueWord is one position of a phrase.
type cueWord struct {
	any  map[string]bool
	end  string // of the word
	gap  bool   // up to [cueGap] arbitrary words
	may  bool   // it is optional
	text string
}

// cueGap is the largest number of words in the gap of a phrase.
const cueGap = 7

type cuePhrase struct {
	of     *cues
	words  []cueWord
	object bool // the ended fact follows the words
}

// cueTable holds the phrases by their first words; behind holds those that begin with the end of a word.
type cueTable struct {
	byWord map[string][]*cuePhrase
	behind []*cuePhrase
}

var cueTables = sync.OnceValue(func() *cueTable {
	t := &cueTable{byWord: map[string][]*cuePhrase{}}
	for i := range allCues {
		c := &allCues[i]
		if strings.HasPrefix(c.id, "de.") {
			c.lang = german
		}
		c.whole = true
		for _, line := range strings.FieldsFunc(c.phrases, func(r rune) bool { return r == '\n' || r == ';' }) {
			t.add(c, line)
		}
	}
	return t
})

func (t *cueTable) add(c *cues, line string) {
	p := &cuePhrase{of: c}
	for w := range strings.FieldsSeq(line) {
		if w == "→" {
			p.object = true
			continue
		}
		cw := cueWord{gap: w == "…", text: w}
		if inner, ok := strings.CutPrefix(w, "("); ok {
			cw.may, w = true, strings.TrimSuffix(inner, ")")
		}
		if end, ok := strings.CutPrefix(w, "*"); ok {
			cw.end = end
		}
		cw.any = map[string]bool{}
		for alt := range strings.SplitSeq(w, "/") {
			cw.any[alt] = true
		}
		p.words = append(p.words, cw)
	}
	if len(p.words) == 0 {
		return
	}
	if p.words[0].end != "" {
		t.behind = append(t.behind, p)
		return
	}
	for w := range p.words[0].any {
		t.byWord[w] = append(t.byWord[w], p)
	}
}

// token is a word of a sentence and its position.
type token struct {
	text       string // in small letters
	start, end int
}

// tokensOf returns the words of a text, as from [words], with their positions.
func tokensOf(text string) (out []token) {
	at := 0
	for _, w := range words(nil, text) {
		// words folds apostrophes and case, which may change bytes and lengths, so the beginning of the word is
		// searched for.
		for at < len(text) && !isWordStart(text[at:]) {
			at++
		}
		start := at
		for _, r := range text[at:] {
			if !strings.ContainsRune("'’-", r) && !isWordStart(string(r)) {
				break
			}
			at += len(string(r))
		}
		out = append(out, token{w, start, at})
	}
	return out
}

// match returns the index after the last word of the phrase that begins at i, or -1, and the words in its gaps.
func (p *cuePhrase) match(ts []token, i int) (end int, between string) {
	var open []int
	end = matchCue(p.words, ts, i, &open)
	for _, n := range open {
		between = ts[n].text + " " + between
	}
	return end, between
}

func matchCue(ws []cueWord, ts []token, i int, open *[]int) int {
	if len(ws) == 0 {
		return i
	}
	w := ws[0]
	switch {
	case w.gap:
		for n := 0; n <= cueGap && i+n < len(ts); n++ {
			if end := matchCue(ws[1:], ts, i+n, open); end >= 0 {
				for k := i + n - 1; k >= i; k-- {
					*open = append(*open, k)
				}
				return end
			}
		}
		return -1
	case i < len(ts) && (w.any[ts[i].text] || w.end != "" && strings.HasSuffix(ts[i].text, w.end)):
		if end := matchCue(ws[1:], ts, i+1, open); end >= 0 {
			return end
		}
	}
	if w.may {
		return matchCue(ws[1:], ts, i, open)
	}
	return -1
}

// hearEnds looks for the words of an end in a sentence.
func (p *page) hearEnds(s *sentence) {
	if s.question || p.turn.Role != trilith.RoleUser {
		return
	}
	table := cueTables()
	var ts []token
	seen := map[*cues]bool{}
	try := func(phrase *cuePhrase, i int) {
		if seen[phrase.of] {
			return
		}
		if ts == nil {
			ts = tokensOf(s.text)
		}
		if i >= len(ts) {
			return
		}
		end, between := phrase.match(ts, i)
		if end <= i {
			return
		}
		from, to := ts[i].start, ts[end-1].end
		if strings.ContainsAny(s.text[from:to], ",;:.!?(") || p.isQuoted(s.place(from)) {
			return
		}
		h := hit{page: p, sentence: s, rule: &phrase.of.rule, m: []int{from, to}, x: ts[i].text, y: between,
			object: phrase.object}
		h.Found = Found{Turn: p.index, Rule: h.rule.id, Subject: SpeakerSubject, Polarity: trilith.Affirmed,
			Certainty: trilith.Stated, at: s.place(from)}
		if h.modify(s.text[:from], "", s.text[to:]) && h.Certainty == trilith.Stated {
			n := len(p.amendments)
			h.changed()
			seen[phrase.of] = len(p.amendments) > n
		}
	}
	for i, w := range p.words {
		for _, phrase := range table.byWord[w] {
			try(phrase, i)
		}
		if strings.Contains(w, "'") {
			for _, phrase := range table.behind {
				if strings.HasSuffix(w, phrase.words[0].end) {
					try(phrase, i)
				}
			}
		}
	}
}
