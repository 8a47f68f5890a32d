package openai_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/openai"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/test/embedtest"
	"github.com/trilith-memory/trilith/internal/test/llamatest"
	"github.com/trilith-memory/trilith/internal/test/providertest"
)

func onLlama(tb testing.TB, s *llamatest.Server, key string) role.Embedder {
	tb.Helper()
	e, err := openai.NewEmbedder(
		openai.EmbedderOptions{Model: llamatest.Model, Dims: llamatest.Dims, Service: provider.Options{
			BaseURL: s.URL + "/v1", Credential: provider.Header("Authorization", "Bearer "+key)}})
	if err != nil {
		tb.Fatalf("NewEmbedder = %v", err)
	}
	return e
}

// TestEmbedderOnLlama: a server that nobody here has written passes the suite. A token of its model is a character, so
// texts are far longer for it than by our estimate, and it finds many of them too long.
func TestEmbedderOnLlama(t *testing.T) {
	t.Parallel()
	s := llamatest.Start(t, os.Getenv, llamatest.Options{Embeddings: true, Key: providertest.Secret})
	t.Run("suite", func(t *testing.T) {
		embedtest.Run(t, embedtest.Harness{
			Metered: true, New: func(tb testing.TB) role.Embedder { return onLlama(tb, s, providertest.Secret) }})
	})
	t.Run("cut", func(t *testing.T) {
		es, err := onLlama(t, s, providertest.Secret).Embed(t.Context(), role.ForDocument,
			[]string{"short", strings.Repeat("house and garden ", 1000), "short too"})
		if err != nil || es[0].Cut || !es[1].Cut || es[2].Cut {
			t.Errorf("Embed = %v, want the long text alone cut", err)
		}
	})
	t.Run("another key", func(t *testing.T) {
		if _, err := onLlama(t, s, "sk-another-key").Embed(t.Context(), role.ForQuery, []string{"hi"}); trilith.KindOf(
			err) != trilith.Unauthenticated {
			t.Errorf("Embed with another key = %v, want kind %s", err, trilith.Unauthenticated)
		}
	})
}

// TestChatOnLlama: a model of that server answers in one piece and in many, follows a schema, and stops where it
// should. The words of its model of random weights mean nothing.
func TestChatOnLlama(t *testing.T) {
	t.Parallel()
	s := llamatest.Start(t, os.Getenv, llamatest.Options{Key: providertest.Secret})
	model := func(t *testing.T, key string) role.Model {
		m, err := openai.NewChat(openai.ChatOptions{Model: llamatest.Model, Context: 512, Service: provider.Options{
			BaseURL: s.URL + "/v1", Credential: provider.Header("Authorization", "Bearer "+key)}})
		if err != nil {
			t.Fatalf("NewChat = %v", err)
		}
		t.Cleanup(func() { m.Close() })
		return m
	}
	ask := role.ModelRequest{System: "Answer.", MaxOutput: 24,
		Messages: []role.ModelMessage{{Role: trilith.RoleUser, Text: "Does a canary sing?"}}}
	t.Run("text", func(t *testing.T) {
		var used trilith.Usage
		ctx := trilith.Metered(t.Context(), func(s trilith.Spent) { used.Add(s.Usage) })
		a, err := model(t, providertest.Secret).Generate(ctx, ask)
		if err != nil || a.Stop != role.StopLength && a.Stop != role.StopEnd || used.InputTokens == 0 ||
			used.OutputTokens == 0 {
			t.Errorf("Generate = %+v, %v; used %+v", a, err, used)
		}
	})
	t.Run("stream", func(t *testing.T) {
		var pieces []string
		streamed := ask
		streamed.Stream = func(piece string) { pieces = append(pieces, piece) }
		a, err := model(t, providertest.Secret).Generate(t.Context(), streamed)
		if err != nil || strings.Join(pieces, "") != a.Text || len(pieces) < 2 && len(a.Text) > 1 {
			t.Errorf("Generate = %+v, %v, in the pieces %q", a, err, pieces)
		}
	})
	t.Run("schema", func(t *testing.T) {
		held := ask
		held.MaxOutput, held.Form, held.Schema = 100, role.FormSchema, &role.OutputSchema{Name: "answer",
			JSON: json.RawMessage(`{"type":"object","properties":{"sings":{"type":"boolean"}},"required":["sings"],"additionalProperties":false}`)}
		a, err := model(t, providertest.Secret).Generate(t.Context(), held)
		var said struct{ Sings *bool }
		if err != nil || a.Check() != nil || json.Unmarshal([]byte(a.Text), &said) != nil || said.Sings == nil {
			t.Errorf("Generate held to a schema = %+v, %v", a, err)
		}
	})
	t.Run("another key", func(t *testing.T) {
		if _, err := model(t, "sk-another-key").Generate(t.Context(), ask); trilith.KindOf(err) != trilith.Unauthenticated {
			t.Errorf("Generate with another key = %v, want kind %s", err, trilith.Unauthenticated)
		}
	})
}
