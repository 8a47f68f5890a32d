package recall

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/assemble"
	"github.com/trilith-memory/trilith/internal/retrieve"
)

const (
	headShare = 4  // a head takes at most this part of the budget of a block
	headAhead = 92 // days ahead for which a question about what is to do gets what is due
)

// head returns the lines that begin a block: who the person is whom the question is about, what is to be done if it asks
// for that, and else the standing instructions of the scope's user. It is of the world and the knowledge that the
// request asks for, and empty for a request that restricts what may be shown.
func head(ctx context.Context, rd *Reader, s trilith.Scope, r *trilith.ContextRequest) (string, error) {
	if r.Format != trilith.FormatBriefing || !r.Filter.IsZero() || len(r.States) > 0 {
		return "", nil
	}
	q, err := question(rd.truth, s, r.RecallRequest)
	if err != nil {
		return "", err
	}
	named, err := rd.entities.Named(ctx, s, r.Query)
	if err != nil {
		return "", err
	}
	limit, form := r.Budget/headShare, formOf(r.Query, named)
	if form.todo && q.At.IsZero() {
		actions, err := todoOf(ctx, rd, s, named)
		return assemble.Tasks(actions, limit, rd.tokens), err
	}
	p, err := asked(ctx, rd, s, q, named, form.self)
	if err != nil || len(p.facts) == 0 {
		return "", err
	}
	who := p.person(s)
	who.You = false // a model reads it
	if card := assemble.NewCard(who, rd.tokens); card.Facts() > 0 {
		return card.Text(min(limit, trilith.CardTokens)), nil
	}
	return "", nil
}

// todoOf returns what is to be done by the persons named, or in the whole scope if there are none.
func todoOf(ctx context.Context, rd *Reader, s trilith.Scope, named []trilith.Entity) ([]assemble.Action, error) {
	page, err := rd.Actionable(ctx, s, shownActions, headAhead)
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
			out = append(out, assemble.Action{Memory: m, Whose: names[m.Fact.EntityID]})
		}
	}
	return out, err
}

// onlyStanding accepts the facts that are standing instructions.
var onlyStanding = trilith.Where("verb", trilith.OpEq, assemble.StandingVerb)

// asked returns what is known of the only person whom a question is about, else what always holds for the user of the
// scope.
func asked(ctx context.Context, rd *Reader, s trilith.Scope, q retrieve.Question, named []trilith.Entity, self bool) (
	individual, error) {
	if len(named) == 1 && !self {
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

// form is what a question asks by its form.
type form struct {
	self bool // about the caller
	todo bool // what is to be done, or due
}

// Words of the forms, in English and German. A question asks what is to be done if it has a word of duties and nothing
// else that says anything: "What do I still have to do?", "Any deadlines coming up?", but not "Which tasks does Go run?".
var (
	selves = set("my mine myself mein meine meinen meinem meiner meines")
	modals = set("can could should would may might shall will how kann könnte soll sollte darf dürfte würde werde wie")
	abouts = set("about of know describe über kennst")
	duties = set("todo todos task tasks deadline deadlines due overdue pending reminder reminders appointment appointments " +
		"upcoming outstanding erledigen aufgabe aufgaben frist fristen fällig termin termine erinnerungen ansteht anstehen")
	plain = set("a all an and any anything are as be coming day days did do does done for get give got has have i in is " +
		"left list me month must my need new next now of on open our please remaining should show soon still tell that the " +
		"there these things this to today tomorrow up we week weeks what when which with you " +
		"alle alles als an auf bald bei bis das dem demnächst den der des die diese diesen dieser es für gibt habe haben " +
		"heute ich im in ist kommen kommende kommenden mal meine mir monat morgen muss müssen nächste nächsten nächstes " +
		"noch offen offene offenen sind so stehen steht tage tagen tun uns und vor was welche wann wir woche wochen zeig zu")
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

// formOf reads the form of a question in which persons are named.
func formOf(text string, named []trilith.Entity) form {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	called := map[string]bool{"s": true}
	for _, v := range named {
		for word := range strings.FieldsSeq(strings.ToLower(v.Name)) {
			called[word] = true
		}
	}
	f := form{todo: len(words) > 0}
	says := false
	for i, word := range words {
		before, after := "", ""
		if i > 0 {
			before = words[i-1]
		}
		if i+1 < len(words) {
			after = words[i+1]
		}
		says = says || duties[word] || slices.Contains(duty, before+" "+word)
		f.todo = f.todo && (duties[word] || plain[word] || called[word])
		switch {
		case selves[word],
			(word == "i" || word == "ich") && !modals[before] && !modals[after] && !modals[words[0]],
			(word == "me" || word == "mich") && abouts[before]:
			f.self = true
		}
	}
	f.todo = f.todo && says
	return f
}
