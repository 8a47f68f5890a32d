package recall

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/recall/assemble"
	"github.com/trilith-memory/trilith/internal/recall/later"
	"github.com/trilith-memory/trilith/internal/search/retrieve"
)

const (
	headShare = 4  // a head takes at most this part of the budget of a block
	headAhead = 92 // days ahead that a question about tasks covers
)

// head returns the lines that begin a block: a card of the person whom the question is about, the tasks if it asks
// for them, and else the standing instructions of the scope's user. It is of the world and the knowledge that the
// request asks for, and empty for a request that restricts what may be shown.
func head(ctx context.Context, rd *Reader, s trilith.Scope, r *trilith.ContextRequest) (string, error) {
	if r.Format != trilith.FormatBriefing || !r.Filter.IsZero() || len(r.States) > 0 {
		return "", nil
	}
	q, err := question(rd.truth, s, r.RecallRequest)
	if err != nil {
		return "", err
	}
	named, err := named(ctx, rd, s, r.Query)
	if err != nil {
		return "", err
	}
	limit := r.Budget / headShare
	if asksOpen(r.Query, named, rd.truth.Now()) && q.At.IsZero() {
		actions, err := todoOf(ctx, rd, s, named, headAhead)
		return assemble.Tasks(actions, r.Query, limit, rd.tokens), err
	}
	p, err := asked(ctx, rd, s, q, named, ofOneself(r.Query))
	if err != nil || len(p.facts) == 0 {
		return "", err
	}
	who := p.person(s)
	who.You, who.Question = false, r.Query // a model reads it
	if card := assemble.NewCard(who, rd.tokens); card.Facts() > 0 {
		return card.Text(min(limit, trilith.CardTokens)), nil
	}
	return "", nil
}

// todoOf returns the actions that are open, or due in so many days, of the persons named, or of the whole scope if
// none is named.
func todoOf(ctx context.Context, rd *Reader, s trilith.Scope, named []trilith.Entity, days int) ([]assemble.Action, error) {
	page, err := rd.Actionable(ctx, s, trilith.ActionableQuery{Limit: shownActions, Days: days})
	if err != nil {
		return nil, err
	}
	var whose []trilith.ID
	for _, v := range named {
		p, err := rd.individual(ctx, s, v, onlyStanding)
		if err != nil {
			return nil, err
		}
		whose = append(whose, p.ids()...)
	}
	names, err := rd.entities.SubjectNames(ctx, s, page.Items)
	var out []assemble.Action
	for _, m := range page.Items {
		if len(whose) == 0 || slices.Contains(whose, m.Fact.EntityID) {
			a := assemble.Action{Memory: m, Whose: names[m.Fact.EntityID]}
			if a.Whose == m.Scope.Project { // no name, but what its callers know it by
				a.Whose = ""
			}
			out = append(out, a)
		}
	}
	return out, err
}

// onlyStanding accepts the facts that are standing instructions.
var onlyStanding = trilith.Where("verb", trilith.OpEq, assemble.StandingVerb)

// asked returns the facts about the only person whom a question is about, else the standing facts of the scope's
// user.
func asked(ctx context.Context, rd *Reader, s trilith.Scope, q retrieve.Question, named []trilith.Entity, self bool) (
	individual, error) {
	if len(named) == 1 {
		return holding(ctx, rd, s, q, named[0])
	}
	if s.User == "" {
		return individual{}, nil
	}
	v, err := rd.entities.Meant(ctx, s, trilith.Identifier{Type: "user_id", Value: s.User})
	if trilith.KindOf(err) == trilith.NotFound {
		return individual{}, nil
	}
	switch {
	case err != nil:
		return individual{}, err
	case self && len(named) == 0:
		return holding(ctx, rd, s, q, v.Entity)
	}
	return holding(ctx, rd, s, q, v.Entity, onlyStanding)
}

const (
	fewTexts     = 20  // are enough to tell how a word is written
	mostMentions = 500 // of a question are looked up
)

// named returns the persons whom a question names, each once. A name is written as the person's, and behind no
// article. If its place, or a question without capitals, does not tell it from another word, the texts of the memory
// decide.
func named(ctx context.Context, rd *Reader, s trilith.Scope, text string) ([]trilith.Entity, error) {
	var all []retrieve.Mention
	var names []string
	for from, to := range later.Sentences(text) {
		if len(names) > mostMentions {
			break
		}
		for _, m := range retrieve.Mentions(text[from:to], rd.truth.Now()) {
			if !articles()[m.Before] {
				all, names = append(all, m), append(names, m.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	vs, err := rd.entities.Named(ctx, s, names)
	return slices.DeleteFunc(vs, func(v trilith.Entity) bool {
		return !slices.ContainsFunc(all, func(m retrieve.Mention) bool {
			return slices.ContainsFunc(entities.NamesOf(&v), m.Spells) && (m.Sure || !ordinary(ctx, rd, s, m.Name))
		})
	}), err
}

var articles = sync.OnceValue(func() map[string]bool {
	return set(strings.Join(append(extract.Words("article"), extract.Words("definite")...), " "))
})

// ordinary reports whether the stored texts have a word at least as often small as with a capital.
func ordinary(ctx context.Context, rd *Reader, s trilith.Scope, word string) bool {
	said, err := rd.Recall(ctx, s, trilith.RecallRequest{Query: word, K: fewTexts, Arms: []trilith.Arm{trilith.ArmLexical},
		Filter: trilith.Where("kind", trilith.OpNe, trilith.KindFact)}) // facts repeat the texts
	small, capitals := 0, 0
	for _, h := range said.Hits {
		for _, other := range retrieve.Words(h.Memory.Text) {
			switch {
			case other == strings.ToLower(word):
				small++
			case strings.EqualFold(other, word):
				capitals++
			}
		}
	}
	return err != nil || small > 0 && small >= capitals
}

// ofOneself reports whether a question is about the caller.
func ofOneself(text string) bool {
	return retrieve.AsksOwn(text) || slices.ContainsFunc(retrieve.Words(strings.ToLower(text)), func(word string) bool {
		owns, is := assemble.FirstPerson(word)
		return owns || is && retrieve.NewNameQuestion(text, false).Unspecific()
	})
}

// The words that ask for open or due tasks, in English and German: one word or a pair, with nothing but function
// words around them. "What do I still have to do?", "Any deadlines coming up?", but not "Which tasks does Go run?".
var (
	duties = set("todo todos task tasks deadline deadlines due overdue pending reminder reminders appointment appointments " +
		"upcoming outstanding erledigen aufgabe aufgaben frist fristen fällig termin termine erinnerungen ansteht anstehen")
	plain = set("coming get give got left list need new next now open please remaining show soon still tell " +
		"bald demnächst gibt kommen offen offene offenen steht stehen tun zeig")
	duty = []string{"to do", "i do", "we do", "steht an", "stehen an", "noch an", "zu tun", "noch tun", "ich tun", "wir tun",
		"coming up", "left open", "noch offen", "ist offen"}
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// asksOpen reports whether a question that names persons asks for open tasks.
func asksOpen(text string, named []trilith.Entity, now time.Time) bool {
	called := map[string]bool{}
	for _, v := range named {
		maps.Copy(called, set(strings.ToLower(v.Name+" "+v.Name+"'s")))
	}
	text, says := retrieve.Undated(text, now, now)
	before := ""
	for _, word := range retrieve.Words(strings.ToLower(text)) {
		says = says || duties[word] || slices.Contains(duty, before+" "+word)
		if before = word; !duties[word] && !plain[word] && !called[word] && !retrieve.Common(word) {
			return false
		}
	}
	return says
}
