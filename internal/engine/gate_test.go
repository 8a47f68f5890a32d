package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cairn-memory/cairn"
)

func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, req := range []cairn.RememberRequest{
		{Text: "My key is " + awsKey},
		{Note: &cairn.Note{Content: "key " + awsKey}},
		{Entry: &cairn.Entry{Content: "use " + awsKey}},
		{Entry: &cairn.Entry{Title: "key " + awsKey, Category: "c " + awsKey, Content: "see the title"}},
		{Entry: &cairn.Entry{Content: "see the data", Structured: map[string]any{"aws": map[string]any{"keys": []any{awsKey, "x"}}}}},
		{Entry: &cairn.Entry{Content: "see the data", Structured: map[string]any{"password": "Sommer2024!"}}},
		{Document: &cairn.Document{Name: "d.md", Content: "# Keys\n\nuse " + awsKey}},
	} {
		if res := e.remember(t, ana, req); res.Masked == 0 || len(res.Memories) != 1 {
			t.Errorf("Remember(%+v) masked %d secrets of %d memories, want at least 1 of 1", req, res.Masked, len(res.Memories))
		}
	}
	file := e.exported(t, acme)
	for _, secret := range []string{awsKey, "Sommer2024!"} {
		for line := range strings.Lines(file) {
			if strings.Contains(line, secret) {
				t.Errorf("the store holds a secret in plain: %s", line)
			}
		}
	}
}

func TestQuarantine(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	m := e.one(t, ana, cairn.RememberRequest{Text: order, Role: cairn.RoleAssistant})
	const query = "Which hotel do you recommend?"
	if got := e.found(t, ana, query); len(got) != 0 {
		t.Errorf("Recall = %q: an order from a low-trust channel reaches the prompt", got)
	}
	asked := cairn.RecallRequest{Query: query, States: []cairn.State{cairn.StateQuarantined}}
	if got := e.recall(t, ana, asked).Hits; len(got) != 1 || got[0].Memory.ID != m.ID {
		t.Errorf("Recall(states=[quarantined]) = %q: its owner cannot see what is held back", textsOf(got))
	}
	if _, err := e.Update(t.Context(), ana, m.ID, cairn.UpdateRequest{State: new(cairn.StateActive)}); err != nil {
		t.Fatal(err)
	}
	if got := e.found(t, ana, query); len(got) != 1 {
		t.Errorf("Recall = %q after its owner released it, want it", got)
	}
}

// TestSecretInAnEchoOfAnEntry: what the gate cuts out of an entry's text must not stay in its parts.
func TestSecretInAnEchoOfAnEntry(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	e.remember(t, ana, cairn.RememberRequest{Entry: &cairn.Entry{Content: "Known facts.\n" + cairn.FenceOpen + ">\nkey " + awsKey + "\n" + cairn.FenceClose}})
	if file := e.exported(t, acme); strings.Contains(file, awsKey) || strings.Contains(file, "cairn-memory") {
		t.Errorf("the entry keeps the block that was cut out of its text, with the secret in it: %s", file)
	}
}

// TestSecretByItsName: a value that is a secret for its name is masked in the data as it is in the text.
func TestSecretByItsName(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, structured := range []map[string]any{
		{"password": "Sommer2024!"},
		{"password": []any{"Sommer2024!"}},
		{"db": map[string]any{"password": "Sommer2024!"}},
	} {
		e.remember(t, ana, cairn.RememberRequest{Entry: &cairn.Entry{Content: "see the data", Structured: structured}})
	}
	for _, m := range e.all(t, acme) {
		body, err := json.Marshal(m.Entry)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Text, "Sommer2024!") && strings.Contains(string(body), "Sommer2024!") {
			t.Errorf("the text %q is masked, its data is not: %s", m.Text, body)
		}
	}
}

// TestSecretThatIsNoString: what the text masks must not stay in the data as a number or as a name.
func TestSecretThatIsNoString(t *testing.T) {
	t.Parallel()
	e := inMemory(t)
	for _, structured := range []map[string]any{
		{"card": 4111111111111111.0},
		{"cards": []any{4111111111111111.0}},
		{awsKey: "the key of the build machine"},
		{"machines": []any{map[string]any{awsKey: "build"}}},
	} {
		m := e.one(t, ana, cairn.RememberRequest{Entry: &cairn.Entry{Content: "see the data", Structured: structured}})
		body, err := json.Marshal(m.Entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"4111111111111111", awsKey} {
			if !strings.Contains(m.Text, secret) && strings.Contains(string(body), secret) {
				t.Errorf("the text %q is masked, its data is not: %s", m.Text, body)
			}
		}
	}
}
