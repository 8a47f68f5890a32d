package distil_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/lang/tokens"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

// TestConstantPart: the instruction and the form are equal to the byte in every request of a profile, so that a provider
// can keep them, and have at most 1,500 tokens.
func TestConstantPart(t *testing.T) {
	t.Parallel()
	var parts []string
	for _, text := range []string{"I live in Turku.", "Asun Turussa."} {
		_, m := read(t, distil.Request{Profile: profileOf(t, "personal"), Subject: text,
			Turns: []distil.Turn{{Role: trilith.RoleUser, Text: text, At: tuesday(9)}}},
			scripted.Entry{Answer: `{"facts":[]}`})
		q := m.Requests()[0]
		parts = append(parts, q.System+"\n"+string(q.Schema.JSON))
	}
	if parts[0] != parts[1] {
		t.Errorf("two requests begin in two ways:\n%s\n\n%s", parts[0], parts[1])
	}
	n := tokens.Named(tokens.Default)(parts[0])
	t.Logf("%d tokens", n)
	if n > 1500 {
		t.Errorf("instruction and form have %d tokens, at most 1,500 are allowed", n)
	}
}
