package derive_test

import (
	"slices"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/scripted"
	"github.com/trilith-memory/trilith/internal/test/rig"
)

// TestOnlyTheOwnersWords: in every kind of request and scope, what a model says of the person stands only where the words
// are the person's own; a friend's and an assistant's never are.
func TestOnlyTheOwnersWords(t *testing.T) {
	t.Parallel()
	const mine, friend = "J'adore la randonnée en Corse.", "Mon amie Léa est allergique aux noix."
	claimed := func(subject string) string {
		of := func(turn int, verb, object, quote, whose string) rig.Claim {
			return rig.Claim{"about": subject, "topic": verb, "value": object, "quote": quote, "whose_words": whose, "sentence": "z9: " + object + "."}
		}
		return rig.Claims(of(1, "likes", "la randonnée", "J'adore la randonnée", "J'"),
			of(1, "allergic_to", "noix", "est allergique aux noix", ""),
			of(1, "intolerant_to", "aux noix", "Mon amie Léa est allergique aux noix", "Mon"),
			of(2, "comes_from", "Tainan", "une fille de Tainan", ""), of(2, "likes", "les nouilles", "j'adore les nouilles", "j'"))
	}
	tell := func(speaker string) trilith.RememberRequest {
		return trilith.RememberRequest{Extract: trilith.ExtractLLM, Wait: trilith.WaitExtracted, Profile: "personal",
			Messages: []trilith.Message{{Role: trilith.RoleUser, Speaker: speaker, Content: mine + " " + friend},
				{Role: trilith.RoleAssistant, Content: "Moi, je suis Lumi, une fille de Tainan, et j'adore les nouilles."}}}
	}
	user, project := trilith.Scope{Tenant: "acme", User: "z9"}, trilith.Scope{Tenant: "acme", User: "z9", Project: "app"}
	for _, c := range []struct {
		name    string
		scope   trilith.Scope
		subject string
		request trilith.RememberRequest
	}{
		{"a user without a speaker", user, "z9", tell("")},
		{"a speaker with the user's name", user, "z9", tell("z9")},
		{"another speaker's name", user, "z9", tell("Tuva")},
		{"the speaker", user, "speaker", tell("Tuva")},
		{"the user", user, "user", tell("")},
		{"no project", user, "project", tell("")},
		{"in a project", project, "z9", tell("")},
		{"of the project", project, "project", tell("")},
		{"a session", trilith.Scope{Tenant: "acme", Session: "z9"}, "z9", tell("")},
		{"a text", user, "z9", trilith.RememberRequest{Text: mine + " " + friend, Extract: trilith.ExtractLLM,
			Wait: trilith.WaitExtracted}},
		{"a note", user, "z9", trilith.RememberRequest{Note: &trilith.Note{Content: mine + " " + friend},
			Extract: trilith.ExtractLLM, Wait: trilith.WaitExtracted}},
		{"a document with an author", user, "z9", trilith.RememberRequest{Speaker: "z9", Document: &trilith.Document{
			Name: "Moi", Content: mine + " " + friend}, Extract: trilith.ExtractLLM, Wait: trilith.WaitExtracted}},
	} {
		e, _ := rig.WithModel(t, scripted.Entry{Answer: claimed(c.subject)})
		e.MustRemember(t, c.scope, c.request)
		if got := e.Standing(t, time.Now()); !slices.Equal(got, []string{"likes la randonnée"}) {
			t.Errorf("%s: %q stand, want the one that is the person's", c.name, got)
		}
	}
}
