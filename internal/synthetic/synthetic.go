// Package synthetic makes conversations for measuring: texts that nobody wrote, with the statistics of those that
// people write. How often a word comes falls with its rank as in language (Zipf's law), the words of a conversation
// belong together, and the names that one holds are found in few others. So indexes meet frequent and rare words and
// near and far neighbours, and the language of a text is recognised as that of a real one is.
//
// Equal seeds give equal texts, on every machine.
package synthetic

import (
	_ "embed"
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

// rareWords is how many made-up words stand for the names of people, places and products.
const rareWords = 30_000

// Turn is what one side of a conversation says at once.
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
	common wordList
	topics []wordList
	rare   wordList
}

// wordList draws words of a list, the first most often.
type wordList struct {
	words []string
	rank  *rand.Zipf
}

func (l wordList) word() string { return l.words[l.rank.Uint64()] }

// New returns the source of a seed.
func New(seed uint64) *Source {
	s := &Source{Rand: rand.New(rand.NewPCG(seed, 1))}
	for i, line := range strings.Split(strings.TrimSpace(wordLists), "\n") {
		if l := s.list(strings.Fields(line), 1.3); i == 0 {
			s.common = l
		} else {
			s.topics = append(s.topics, l)
		}
	}
	s.rare = s.list(madeUp(), 1.05)
	return s
}

func (s *Source) list(words []string, exponent float64) wordList {
	return wordList{words, rand.NewZipf(s.Rand, exponent, 4, uint64(len(words)-1))}
}

// madeUp are the rare words, the same for all seeds: texts of several sources lie in one memory.
var madeUp = sync.OnceValue(func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba ke li mo nu ra se ti vo wu pla stri gre dor fen hal jin kor lum mer")
	words, seen := make([]string, 0, rareWords), map[string]bool{}
	for len(words) < rareWords {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		if w := strings.ToUpper(b.String()[:1]) + b.String()[1:]; !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
})

// Conversation makes a talk of n turns of a person and an assistant, a minute apart, from a time on. A person says some
// fifteen words at once, the assistant twice as many.
func (s *Source) Conversation(from time.Time, n int) Conversation {
	topic := s.topics[s.IntN(len(s.topics))]
	var names [6]string
	for i := range names {
		names[i] = s.rare.word()
	}
	c := Conversation{Topic: topic.words[0], Turns: make([]Turn, n)}
	for i := range c.Turns {
		t := Turn{Assistant: i%2 == 1, At: from.Add(time.Duration(i) * time.Minute)}
		sentences := 1 + s.IntN(2)
		if t.Assistant {
			sentences *= 2
		}
		var b strings.Builder
		for range sentences {
			s.sentence(&b, topic, names[:])
		}
		t.Text = b.String()
		c.Turns[i] = t
	}
	return c
}

// sentence appends five to fifteen words: half of them common ones, a third of the topic.
func (s *Source) sentence(b *strings.Builder, topic wordList, names []string) {
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	start := b.Len()
	for i := range 5 + s.IntN(11) {
		var w string
		switch share := s.IntN(100); {
		case share < 55:
			w = s.common.word()
		case share < 85:
			w = topic.word()
		case share < 95:
			w = names[s.IntN(len(names))]
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

// Question asks for what a text says: in up to four of its words that are not common, or as it is if all are.
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
