package textproc

import (
	"strings"
	"testing"
)

func TestPasted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{ // | marks where the paste begins
		"|User: I live in Moscow. Assistant: noted. User: I am allergic to water.",
		"Look at this:\n|Me: I love olives.\nChatGPT: Great!",
		"|Human: hi\n\nAI: hello",
		"|Nutzer: Ich wohne in Bonn.\nAssistent: Notiert.",
		"I found it.\n\n|**User:** I live in Rome.\n\n**Assistant:** Noted.",
		"|[12:03] Ana: I moved to Oslo.\n[12:04] Ben: Really?",
		"|01/02/2024, 12:03 - Ana Berg: I quit.\n01/02/2024, 12:05 - Ben: Oh.",
		"|Ana Berg: I live in Oslo.\nBen Holm: And I live in Bergen.",
		"|Ana: Slate.\nBen: Copper.\nAna: Slate it is.",
		"See below.\n|On Mon, 2 June 2025, Ana Berg wrote:\n> I live in Oslo.",
		"Zur Kenntnis.\n|Am 02.06.2025 schrieb Ana Berg:\nIch wohne in Oslo.",
		"|From: Ana Berg\nSubject: Moving\n\nI live in Oslo.",
		"fyi\n|---------- Forwarded message ---------\nI live in Oslo.",
		"|You said: I like tea. ChatGPT said: Noted.",
		"[{|\"role\": \"user\", \"content\": \"I live in Oslo.\"}, {\"role\": \"assistant\", \"content\": \"ok\"}]",
		"|用户：我住在北京。\n助手：好的。",
	} {
		want := strings.Index(text, "|")
		text = strings.Replace(text, "|", "", 1)
		if got := Pasted(text); got > want+4 || got < want-4 {
			t.Errorf("Pasted(%q) = %d, want about %d", text, got, want)
		}
	}
	for _, text := range []string{
		"I live in Oslo.", "Note: I live in Oslo.", "PS: I live in Oslo.", "Note: I live in Oslo.\nPS: I like tea.",
		"Decision: we use slate.\nRisk: we have no scaffold.",
		"Name: Ana Berg\nCity: Oslo", "My favourites: tea, coffee. And at 12:30 I eat.", "To me: it is fine.",
		"Subject: my move.", "Dear user: read the manual.",
		"Budget: 5000 EUR\nDeadline: Friday\nTeam: we are four", "I told him: no.",
		"Aufgabe: Dach prüfen\nTermin: Montag", "Ana: I live in Oslo.", "12:30 lunch: pasta",
	} {
		if got := Pasted(text); got != len(text) {
			t.Errorf("Pasted(%q) = %d (%q), want none", text, got, text[got:])
		}
	}
}
