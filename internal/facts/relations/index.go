package relations

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/lang/lazyre"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// index tells which of the facts of one owner a phrase means.
type index struct {
	facts []known
	held  map[string]int // how many facts have a word
}

type known struct {
	memory *trilith.Memory
	words  []string // of the fact's assertion, each once
}

// kinds are the types of facts that rules relate, those first that a phrase means rather.
var kinds = []trilith.FactType{trilith.FactTask, trilith.FactMilestone, trilith.FactSchedule, trilith.FactDecision,
	trilith.FactMaterial, trilith.FactFinancial, trilith.FactPlan, trilith.FactEvent, trilith.FactRisk,
	trilith.FactConstraint,
	trilith.FactOther}

// newIndex takes in facts of one owner. Relations, denied facts and types that rules do not relate are left out.
func newIndex(facts []trilith.Memory) *index {
	x := &index{held: map[string]int{}}
	for i := range facts {
		m := &facts[i]
		if m.Fact == nil || m.Fact.IsRelation() || m.Fact.Polarity == trilith.Negated ||
			!slices.Contains(kinds, m.Fact.Type) || m.Fact.Type == trilith.FactOther && m.Fact.Node.Type != matterNode ||
			sentence(m.Fact) {
			continue
		}
		name := m.Fact.Node.Name
		if item, ok := m.Fact.Content["item"].(string); ok {
			name += " " + item
		}
		k := known{m, words(name)}
		for _, w := range k.words {
			x.held[w]++
		}
		if len(k.words) > 0 {
			x.facts = append(x.facts, k)
		}
	}
	return x
}

// matterNode is the type of the node of a fact that a sentence about a relation names first.
const matterNode = "Matter"

// sentence reports whether a fact says itself how things bear on each other: it is none of them.
func sentence(f *trilith.Fact) bool {
	name := f.Node.Name // may lack who cannot do it
	return (f.Type == trilith.FactRisk || f.Type == trilith.FactConstraint) && (cued(name) || cued("We "+name))
}

// one returns the fact that a phrase means; nil if none does, or several could.
func (x *index) one(phrase string) *trilith.Memory {
	if i := x.best(x.scores(phrase)); i >= 0 {
		return x.facts[i].memory
	}
	return nil
}

// pair returns the two facts that the phrases of a sentence mean: each means one fact, and they mean two. A fact that
// both could mean, such as one that holds the whole sentence, is none of them.
func (x *index) pair(m *extract.Relation) (from, to *trilith.Memory, ok bool) {
	a, b := x.scores(m.From), x.scores(m.To)
	for i := range x.facts {
		if a[i] >= enough && b[i] >= enough {
			if a[i] > b[i]+margin {
				b[i] = 0
			} else if b[i] > a[i]+margin {
				a[i] = 0
			} else {
				a[i], b[i] = 0, 0
			}
		}
	}
	i, j := x.best(a), x.best(b)
	if i < 0 || j < 0 || i == j {
		return nil, nil, false
	}
	return x.facts[i].memory, x.facts[j].memory, true
}

// matterOf returns the matter of a phrase that means no known fact, as a short name, if the phrase names one by
// itself: in few words, without pronouns and the like.
func matterOf(phrase string) (string, bool) {
	fields := strings.Fields(phrase)
	for len(fields) > 0 && opening()[textproc.Fold(fields[0])] {
		fields = fields[1:]
	}
	if len(fields) == 0 || len(fields) > maxMatter {
		return "", false
	}
	for i, w := range fields {
		w = textproc.Fold(w)
		if standsFor()[w] && (w != "was" || i == 0) { // behind a noun it is the English verb
			return "", false
		}
	}
	named := slices.ContainsFunc(words(phrase), func(w string) bool {
		return !vague()[w] && !currencies()[w] && strings.ContainsFunc(w, unicode.IsLetter)
	})
	return strings.Join(fields, " "), named
}

const maxMatter = 8 // words of a matter

const (
	enough = 0.42 // of a phrase and a fact that have in common
	margin = 0.08 // by which the fact that is meant is ahead of all others
	slight = 0.15 // weight of a word for the state of a thing, which does not say which thing
)

// scores say how well a phrase fits each fact: the mean of the shares of their weight that they have in common.
func (x *index) scores(phrase string) []float64 {
	said := words(phrase)
	all := 0.0
	for _, w := range said {
		all += x.weight(w)
	}
	out := make([]float64, len(x.facts))
	for i := range x.facts {
		out[i] = x.score(said, all, x.facts[i].words)
	}
	return out
}

// score compares words that weigh all together with those that a fact has.
func (x *index) score(said []string, all float64, held []string) float64 {
	var common, had, holds float64
	named := false
	for _, w := range said {
		if like := likeness(w, held); like > 0 {
			common += like * x.weight(w)
			named = named || !vague()[w]
		}
	}
	if !named { // as most facts are
		return 0
	}
	for _, h := range held {
		weight := x.weight(h)
		holds += weight
		had += likeness(h, said) * weight
	}
	return (common/all + had/holds) / 2
}

// likeness is 1 if a word is among others, less if only one akin to it is.
func likeness(w string, among []string) float64 {
	switch {
	case slices.Contains(among, w):
		return 1
	case slices.ContainsFunc(among, func(v string) bool { return akin(w, v) }):
		return 0.75
	}
	return 0
}

func (x *index) weight(w string) float64 {
	if vague()[w] {
		return slight
	}
	return math.Log(2 + float64(len(x.facts))/float64(1+x.held[w]))
}

// best returns the fact that is ahead of all others; of facts that say the same, the one whose type comes first. -1 if
// none is good enough, or several are.
func (x *index) best(scores []float64) int {
	order := make([]int, 0, len(scores))
	for i, s := range scores {
		if s >= enough {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return -1
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &x.facts[i], &x.facts[j]
		return cmp.Or(cmp.Compare(scores[j], scores[i]),
			cmp.Compare(slices.Index(kinds, a.memory.Fact.Type), slices.Index(kinds, b.memory.Fact.Type)),
			cmp.Compare(a.memory.ID, b.memory.ID))
	})
	first := order[0]
	for _, i := range order[1:] {
		if scores[first]-scores[i] < margin && !sameThing(x.facts[first], x.facts[i]) {
			return -1
		}
	}
	return first
}

// sameThing reports whether two facts are about one thing, such as a task and its deadline.
func sameThing(a, b known) bool {
	within := func(a, b known) bool {
		return !slices.ContainsFunc(a.words, func(w string) bool {
			return !vague()[w] && !slices.ContainsFunc(b.words, func(v string) bool { return akin(w, v) })
		})
	}
	return a.memory.Fact.Type != b.memory.Fact.Type && within(a, b) && within(b, a)
}

// words returns the stems of a text's content words, each once.
func words(text string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(textproc.Fold(thousands.ReplaceAllString(text, "$1$2")), func(r rune) bool {
		return !(r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127)
	}) {
		w = strings.Trim(w, "-")
		if len(w) < 2 || textproc.Stops(w) != 0 || empty()[w] {
			continue
		}
		if terms, _ := (textproc.Analyzer{}).Terms(w); len(terms) == 1 && w != "montage" { // whose stem is Monday's
			if w = terms[0]; empty()[w] {
				continue
			}
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// akin reports whether two stems are forms of one word, or one a German compound that begins or ends with the other.
func akin(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return related(a, b) && !vague()[a] && !vague()[b]
}

// related reports whether the letters of two stems show that they are related. The shorter stem comes first.
func related(a, b string) bool {
	switch n := len(a); {
	case n < 4:
		return false
	case n >= 5 && (strings.HasSuffix(b, a) || strings.HasPrefix(b, a)):
		return true
	case len(b)-n <= 3 && strings.HasPrefix(b, a):
		return true
	}
	if x, y := base(a), base(b); x == y && len(x) >= 4 {
		return true
	}
	shared := 0
	for shared < len(a) && a[shared] == b[shared] {
		shared++
	}
	return shared >= 5 && shared*10 >= len(b)*6
}

// cued reports whether a text says how things bear on each other.
func cued(text string) bool { return len(extract.Relations(text)) > 0 }

// thousands are the marks within numbers, which end no word.
var thousands = lazyre.New(`(\d)[.,](\d)`)

// base takes from a German stem what makes a noun of a verb, or the other way round: Prüfung and prüfen.
func base(w string) string {
	for _, ending := range []string{"ung", "en", "e", "t"} {
		if s, ok := strings.CutSuffix(w, ending); ok {
			return s
		}
	}
	return w
}

// Tables of words, folded or stemmed: for the state of a thing, for currencies, fillers, words that open the name of
// a matter, and words that stand for a thing named elsewhere.
var (
	vague      = stems("state")
	currencies = stems("currency")
	empty      = stems("filler")
	opening    = folded("leading")
	standsFor  = folded("stands")
)

func folded(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, w := range extract.Words(list) {
			out[textproc.Fold(w)] = true
		}
		return out
	})
}

func stems(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := folded(list)()
		for w := range maps.Clone(out) {
			if terms, _ := (textproc.Analyzer{}).Terms(w); len(terms) == 1 {
				out[terms[0]] = true
			}
		}
		return out
	})
}
