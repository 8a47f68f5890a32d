package entities

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// JobRename is the kind of job that puts the new name of an entity into the sentences of facts. It is committed with
// the name and run at once; the job remains for the case that the program ends in between.
const JobRename = "rename"

// RenameJob identifies an entity and its former and new name.
type RenameJob struct {
	Entity trilith.ID `json:"entity"`
	From   string     `json:"from"`
	To     string     `json:"to"`
}

// addRename adds the job of a rename to a batch.
func (es *Entities) addRename(b *role.Batch, j RenameJob) error {
	if j.From == j.To {
		return nil
	}
	job, err := es.truth.Job(JobRename, j)
	b.Jobs = append(b.Jobs, job)
	return err
}

// Rename writes the new name of an entity into the sentences of the facts about it and of those that name it. Doing it
// again changes nothing.
func (es *Entities) Rename(ctx context.Context, s trilith.Scope, j RenameJob) error {
	if j.From == j.To {
		return nil
	}
	return truth.Retry(ctx, func() (bool, error) {
		facts, err := es.FactsAbout(ctx, s, []trilith.ID{j.Entity})
		if err != nil {
			return false, err
		}
		facts = slices.DeleteFunc(facts, func(m trilith.Memory) bool { return !renamed(&m, j) })
		if len(facts) == 0 {
			return false, nil
		}
		err = es.truth.InBatches(ctx, s, "rename", facts, func(m *trilith.Memory) { renamed(m, j) })
		es.truth.Index.Notify()
		return true, err
	})
}

// renamed writes the new name into the text and value of a fact, and reports whether that changed it.
func renamed(m *trilith.Memory, j RenameJob) bool {
	text := InName(m.Text, j.From, j.To)
	changed := text != m.Text
	m.Text = text
	fact := *m.Fact
	fact.Evidence = slices.Clone(fact.Evidence)
	for i := range fact.Evidence {
		says := InName(fact.Evidence[i].Says, j.From, j.To)
		changed = changed || says != fact.Evidence[i].Says
		fact.Evidence[i].Says = says
	}
	m.Fact = &fact
	return changed
}

// InName returns a sentence with the former name replaced by the new one. It replaces whole words only, and no
// occurrence that is already part of the new name.
func InName(text, from, to string) string {
	if from == "" || from == to || !strings.Contains(text, from) {
		return text
	}
	var b strings.Builder
	for rest := text; ; {
		at := strings.Index(rest, from)
		if at < 0 {
			b.WriteString(rest)
			return b.String()
		}
		// the new name is there already
		if in := strings.Index(to, from); in >= 0 && at >= in && strings.HasPrefix(rest[at-in:], to) {
			end := at - in + len(to)
			b.WriteString(rest[:end])
			rest = rest[end:]
			continue
		}
		end := at + len(from)
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after, _ := utf8.DecodeRuneInString(rest[end:])
		b.WriteString(rest[:at])
		if at > 0 && inWord(before) || end < len(rest) && inWord(after) {
			b.WriteString(from)
		} else {
			b.WriteString(to)
		}
		rest = rest[end:]
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
