package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
)

// answer is the result of the last command.
type answer struct {
	err      error
	memories []trilith.Memory // hits, versions or stored memories, in order
	hits     []trilith.Hit
	block    *trilith.ContextBlock
	text     string // of a context block, a summary or an export
	entries  []trilith.AuditEntry
	rejected []trilith.Rejection
	replayed bool
}

// String shows the answer in a failure.
func (a answer) String() string {
	var b strings.Builder
	if a.err != nil {
		fmt.Fprintf(&b, "\n  error %s: %v", trilith.KindOf(a.err), a.err)
	}
	if a.block != nil {
		fmt.Fprintf(&b, "\n  block of %d tokens, %d hits left out:", a.block.Tokens, a.block.Left)
	}
	if a.text != "" {
		fmt.Fprintf(&b, "\n%.4000s", a.text)
	}
	for _, e := range a.entries {
		fmt.Fprintf(&b, "\n  %d. %s by %s of %s %v", e.Seq, e.Action, e.Actor, e.Target, e.Detail)
	}
	for i, m := range a.memories {
		fmt.Fprintf(&b, "\n  %d. ", i+1)
		if i < len(a.hits) {
			fmt.Fprintf(&b, "%.3f ", a.hits[i].Score)
		}
		fmt.Fprintf(&b, "[%s %s %s] %.200s", m.Kind, m.State, m.EventTime.Format("2006-01-02"), m.Text)
		if i < len(a.hits) {
			for _, n := range a.hits[i].Neighbors {
				fmt.Fprintf(&b, "\n       neighbor %.100s", n.Text)
			}
		}
	}
	for _, r := range a.rejected {
		fmt.Fprintf(&b, "\n  rejected %d: %s (%s)", r.Index, r.Reason, r.Detail)
	}
	if a.replayed {
		b.WriteString("\n  replayed")
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}

// holder is the position of the first memory that holds the text; -1 if none does.
func (a answer) holder(text string) int {
	return slices.IndexFunc(a.memories, func(m trilith.Memory) bool { return strings.Contains(m.Text, text) })
}

// expect returns the first expectation that failed.
func (p *player) expect(st step) error {
	what, words, a := st.words[0], st.words[1:], p.last
	if what == "error" {
		if a.err == nil || trilith.KindOf(a.err).String() != words[0] {
			return fmt.Errorf("want an error of kind %s", words[0])
		}
		return nil
	}
	switch what {
	case "empty":
		if len(a.memories) > 0 || a.block != nil && len(a.block.Hits) > 0 {
			return fmt.Errorf("want nothing")
		}
	case "count":
		n, err := strconv.Atoi(words[0])
		if err != nil {
			return fmt.Errorf("%q is not a number", words[0])
		}
		if len(a.memories) != n {
			return fmt.Errorf("want %d, got %d", n, len(a.memories))
		}
	case "first":
		if a.holder(words[0]) != 0 {
			return fmt.Errorf("want %q first", words[0])
		}
		if len(words) == 3 {
			return p.cites(words[2], a.memories[:1])
		}
	case "cites":
		return p.cites(words[0], a.memories)
	case "has":
		if a.holder(words[0]) < 0 {
			return fmt.Errorf("want %q", words[0])
		}
	case "never":
		if a.holds(words[0]) {
			return fmt.Errorf("must not hold %q", words[0])
		}
		if len(words) == 3 && !a.holds(words[2]) {
			return fmt.Errorf("want %q all the same: without it the answer proves nothing", words[2])
		}
	case "order":
		return a.inOrder(words)
	case "neighbor":
		if !slices.ContainsFunc(a.hits, func(h trilith.Hit) bool {
			return slices.ContainsFunc(
				h.Neighbors, func(m trilith.Memory) bool { return strings.Contains(m.Text, words[0]) })
		}) {
			return fmt.Errorf("want a neighbor with %q", words[0])
		}
	case "contains":
		if !strings.Contains(a.text, words[0]) {
			return fmt.Errorf("want a text with %q", words[0])
		}
	case "labelled":
		return a.labelled(words[0])
	case "audited":
		return p.audited(words[0], words[1:])
	case "rejected":
		if !slices.ContainsFunc(a.rejected, func(r trilith.Rejection) bool { return r.Reason == words[0] }) {
			return fmt.Errorf("want a rejection for %s", words[0])
		}
	case "replayed":
		if !a.replayed {
			return fmt.Errorf("want the answer of the first request")
		}
	case "evidence":
		return a.evidence(words[0], words[1])
	case "state":
		return p.state(words[0], trilith.State(words[1]))
	}
	return nil
}

// holds reports whether a memory or the text holds the words.
func (a answer) holds(words string) bool {
	return a.holder(words) >= 0 || strings.Contains(a.text, words)
}

// over is the label of a context block on memories that no longer hold.
var over = regexp.MustCompile(`\[[^\]]*(?:until|over|was planned for|forgotten)[^\]]*\]`)

// labelled checks that no line of a context block says the words as if they held: without a label, or for words that
// were said, without a later line.
func (a answer) labelled(words string) error {
	if a.block == nil {
		return fmt.Errorf("want a context block")
	}
	lines := strings.Split(strings.TrimSpace(a.text), "\n")
	for i, line := range lines {
		followed := i+2 < len(lines) && !strings.Contains(line, " fact: ")
		if strings.Contains(line, words) && !over.MatchString(line) && !followed {
			return fmt.Errorf("must not hold %q without saying that it is over: %s", words, strings.TrimSpace(line))
		}
	}
	return nil
}

// audited checks that the log is unbroken and holds an action, on a labelled memory if one is named.
func (p *player) audited(action string, label []string) error {
	if err := trilith.VerifyAudit(trilith.AuditEntry{}, p.last.entries); err != nil {
		return err
	}
	var target trilith.ID
	if len(label) == 1 {
		l, err := p.label(label[0])
		if err != nil {
			return err
		}
		target = l.id
	}
	if !slices.ContainsFunc(p.last.entries, func(e trilith.AuditEntry) bool {
		return e.Action == action && (target == "" || e.Target == target)
	}) {
		return fmt.Errorf("want the action %s in the log", action)
	}
	return nil
}

// evidence checks how many quotes the fact that holds the text rests on.
func (a answer) evidence(text, quotes string) error {
	n, err := strconv.Atoi(quotes)
	if err != nil {
		return fmt.Errorf("%q is not a number", quotes)
	}
	i := a.holder(text)
	if i < 0 || a.memories[i].Fact == nil {
		return fmt.Errorf("want a fact with %q", text)
	}
	got := a.memories[i].Fact.Evidence
	if len(got) != n {
		return fmt.Errorf("want %d pieces of evidence, got %d: %+v", n, len(got), got)
	}
	return nil
}

func (p *player) cites(name string, in []trilith.Memory) error {
	l, err := p.label(name)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(in, func(m trilith.Memory) bool { return m.ID == l.id }) {
		return fmt.Errorf("want the memory %s (%s)", name, l.id)
	}
	return nil
}

func (p *player) state(name string, want trilith.State) error {
	l, err := p.label(name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.last.memories, func(m trilith.Memory) bool { return m.ID == l.id })
	if i < 0 || p.last.memories[i].State != want {
		return fmt.Errorf("want the memory %s (%s) to be %s", name, l.id, want)
	}
	return nil
}

// inOrder looks into the block if there is one, else at the memories.
func (a answer) inOrder(texts []string) error {
	before := -1
	for _, text := range texts {
		at := a.holder(text)
		if a.block != nil {
			at = strings.Index(a.block.Text, text)
		}
		if at < 0 {
			return fmt.Errorf("want %q, which is missing", text)
		}
		if at <= before {
			return fmt.Errorf("want %q after the ones before it", text)
		}
		before = at
	}
	return nil
}
