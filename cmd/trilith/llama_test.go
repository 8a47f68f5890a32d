package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/test/llamatest"
)

// TestConsultOnLlama: consultations over REST with a real server that has OpenAI's API: its answers come in pieces and
// are stored with the questions, the next session knows what was said, and a long session has a summary that quotes
// it. The words of its model of random weights mean nothing.
func TestConsultOnLlama(t *testing.T) {
	t.Parallel()
	llama := llamatest.Start(t, os.Getenv, llamatest.Options{})
	m := openApp(t, &app{extract: "rules", getenv: func(string) string { return "" }, globals: globals{
		Store: "sqlite:" + filepath.Join(t.TempDir(), "story.db"), Embedder: "builtin:", SessionWindow: 300,
		Model: "openai:" + llamatest.Model + "?base_url=" + llama.URL + "/v1&context=4096&max_output=48"}})
	server := httptest.NewServer(rest.New(rest.Config{Engine: m.Engine, Local: true}))
	t.Cleanup(server.Close)
	c := client.New(server.URL)
	consult := func(session, prompt string) trilith.ConsultResult {
		t.Helper()
		var pieces []string
		res, err := c.Consult(t.Context(), trilith.Scope{User: "ana", Session: session}, trilith.ConsultRequest{
			Prompt: prompt, Stream: func(piece string) { pieces = append(pieces, piece) }})
		if err != nil || res.MemoryMissing != "" || !res.Stored {
			t.Fatalf("Consult(%q) = %+v, %v", prompt, res, err)
		}
		if res.Answer == "" || strings.Join(pieces, "") != res.Answer || len(pieces) < 2 {
			t.Fatalf("Consult(%q) answers %q in the pieces %q", prompt, res.Answer, pieces)
		}
		return res
	}
	consult("first", "I live in Bergen. My sister is called Marta.")
	if err := m.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	known := consult("second", "In which city do I live?")
	if !shows(t, c, known.Used, "Bergen") {
		t.Errorf("the second session used %+v, want that she lives in Bergen", known.Used)
	}
	stored := 40
	for i := range 20 {
		stored -= len(consult("yard", fmt.Sprintf("Plank %d of the boat is made of oak, and we paid %d EUR for it.", i+1, 1000+37*i)).Rejected)
	}
	if err := m.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := c.GetSession(t.Context(), trilith.Scope{User: "ana"}, "yard", trilith.SessionTurnsQuery{Limit: 100})
	if err != nil || len(got.Items) != stored || stored < 30 {
		t.Fatalf("GetSession = %d turns, %v; want %d, and few that are like no words at all", len(got.Items), err, stored)
	}
	if got.Summary == nil || !strings.Contains(got.Summary.Text, "Plank") || len(got.Summary.Summary.Sources) == 0 {
		t.Errorf("the summary after forty turns is %+v", got.Summary)
	}
}

// shows reports whether a memory that an answer used holds some words.
func shows(t *testing.T, c *client.Client, used trilith.ConsultUsed, words string) bool {
	t.Helper()
	for _, id := range append(used.Facts, used.Past...) {
		m, err := c.Get(t.Context(), trilith.Scope{}, id)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(m.Text, words) {
			return true
		}
	}
	return false
}
