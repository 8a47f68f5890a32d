// Package synthetic makes conversations for measuring: made-up texts, with the statistics of those that people write.
// How often a word comes falls with its rank as in language (Zipf's law), the words of a conversation belong
// together, the names that one holds are found in few others, and people say some things again and again. So indexes
// meet frequent and rare words and near and far neighbours, and the language of a text is recognised as that of a
// real one is. A million words hold some 30,000 different ones, as those of English chats do.
//
// Equal seeds give equal texts, on every machine.
package synthetic

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// words.txt holds words by falling frequency: on its first line those that all conversations use, and on each other
// line those of a topic, which is named by the first.
//
//go:embed words.txt
var wordLists string

// rareWords is how many made-up words stand for the names of people, places and products, and middleWords how many for
// those that are neither common nor names.
const (
	rareWords   = 30_000
	middleWords = 26_000
)

// phrases is how many sentences people say again and again, and one turn in phraseOnce is one of them, with another
// word at its end.
const (
	phrases    = 60
	phraseOnce = 25
)

// Turn is one side's words in a conversation, up to the other's.
type Turn struct {
	Assistant bool // else a person
	Text      string
	At        time.Time
}

// Conversation is a talk about one topic.
type Conversation struct {
	Topic string
	Turns []Turn
}

// Source makes texts, one after the other; it is for one goroutine.
type Source struct {
	*rand.Rand
	common  wordList
	topics  []wordList
	middle  wordList
	rare    wordList
	phrases []string
}

// wordList draws words of a list, the first most often.
type wordList struct {
	from  *rand.Rand
	words []string
	ends  []uint64 // sums of their weights
}

func (l wordList) word() string {
	at := l.from.Uint64N(l.ends[len(l.ends)-1])
	i, _ := slices.BinarySearch(l.ends, at+1)
	return l.words[i]
}

// New returns the source of a seed.
func New(seed uint64) *Source {
	s := &Source{Rand: rand.New(rand.NewPCG(seed, 1))}
	for i, line := range strings.Split(strings.TrimSpace(wordLists), "\n") {
		if words := strings.Fields(line); i == 0 {
			s.common = s.list(words, .8, 1)
		} else {
			s.topics = append(s.topics, s.list(words, 1.05, 4))
		}
	}
	s.middle, s.rare = s.list(madeUp().middle, 1.1, 60), s.list(madeUp().rare, 1.05, 4)
	for range phrases {
		var b strings.Builder
		for i := range 3 + s.IntN(5) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(s.common.word())
		}
		s.phrases = append(s.phrases, strings.ToUpper(b.String()[:1])+b.String()[1:])
	}
	return s
}

// list returns words whose weights fall with a power of their rank; those of the first words fall later.
func (s *Source) list(words []string, exponent, first float64) wordList {
	l := wordList{s.Rand, words, make([]uint64, len(words))}
	sum := uint64(0)
	for i := range words {
		sum += uint64(1e9 * math.Pow(first+float64(i), -exponent))
		l.ends[i] = sum
	}
	return l
}

// madeUp are invented words, the same for all seeds: texts of several sources lie in one memory.
var madeUp = sync.OnceValue(func() (of struct{ middle, rare []string }) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	of.rare = invented(r, seen, rareWords, "ba ke li mo nu ra se ti vo wu pla stri gre dor fen hal jin kor lum mer", "")
	for i, w := range of.rare {
		of.rare[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	of.middle = invented(r, seen, middleWords, "be ca dro el fi gan ho pa lo men ni per ro sta te un ver wa bri con", "s ed ing")
	return of
})

// invented returns words that were not seen before, some with an ending of English.
func invented(r *rand.Rand, seen map[string]bool, n int, of, endings string) []string {
	syllables, ends := strings.Fields(of), append([]string{"", "", ""}, strings.Fields(endings)...)
	words := make([]string, 0, n)
	for len(words) < n {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		b.WriteString(ends[r.IntN(len(ends))])
		if w := b.String(); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// subject is the vocabulary of a conversation: words of its topic, and some names and other words of its own.
type subject struct {
	topic wordList
	names [6]string
	own   [40]string
}

// Conversation makes a talk of n turns of a person and an assistant, a minute apart, from a time on. A person says some
// fifteen words at once, the assistant twice as many, and either now and then much more.
func (s *Source) Conversation(from time.Time, n int) Conversation {
	about := subject{topic: s.topics[s.IntN(len(s.topics))]}
	for i := range about.names {
		about.names[i] = s.rare.word()
	}
	for i := range about.own {
		about.own[i] = s.middle.word()
	}
	c := Conversation{Topic: about.topic.words[0], Turns: make([]Turn, n)}
	for i := range c.Turns {
		t := Turn{Assistant: i%2 == 1, At: from.Add(time.Duration(i) * time.Minute)}
		if s.IntN(phraseOnce) == 0 {
			t.Text = s.phrases[s.IntN(len(s.phrases))] + " " + s.common.word() + "."
			c.Turns[i] = t
			continue
		}
		sentences := 1 + s.IntN(2)
		if t.Assistant {
			sentences *= 2
		}
		if s.IntN(30) == 0 {
			sentences *= 3
		}
		var b strings.Builder
		for range sentences {
			s.sentence(&b, &about)
		}
		t.Text = b.String()
		c.Turns[i] = t
	}
	return c
}

// sentence appends five to fifteen words: half of them common ones.
func (s *Source) sentence(b *strings.Builder, about *subject) {
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	start := b.Len()
	for i := range 5 + s.IntN(11) {
		var w string
		switch share := s.IntN(100); {
		case share < 46:
			w = s.common.word()
		case share < 56:
			w = about.topic.word()
		case share < 76:
			w = s.middle.word()
		case share < 93:
			w = about.own[s.IntN(len(about.own))]
		case share < 98:
			w = about.names[s.IntN(len(about.names))]
		default:
			w = s.rare.word()
		}
		switch {
		case i > 0:
			b.WriteByte(' ')
		case b.Len() == start:
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
	}
	b.WriteByte('.')
}

// Thing names something in three words, such as somebody may love.
func (s *Source) Thing() string {
	topic := s.topics[s.IntN(len(s.topics))]
	return topic.word() + " " + topic.word() + " " + s.rare.word()
}

// Question asks for the content of a text: in up to four of its words that are not common, or as it is if all are.
func (s *Source) Question(text string) string {
	var words []string
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '.' }) {
		if !slices.Contains(s.common.words, strings.ToLower(w)) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return text
	}
	s.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return "What about " + strings.Join(words[:min(4, len(words))], " ") + "?"
}
