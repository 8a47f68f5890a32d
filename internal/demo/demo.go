// Package demo holds a conversation to try the memory with: an architect, her assistant and a friend, from January to
// September. All of them are invented. Plans change in it, money moves, and names of files and faults turn up once, so
// that there is something to find, and something that must not be found any more.
package demo

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/trilith-memory/trilith"
)

//go:embed conversation.json
var conversation []byte

// Session is one sitting of the conversation.
type Session struct {
	ID       string            `json:"id"`
	Messages []trilith.Message `json:"messages"` // oldest first; each with a timestamp and an external id
}

// Sessions returns the conversation, oldest session first. The result is the caller's own.
func Sessions() []Session {
	var ss []Session
	if err := json.Unmarshal(conversation, &ss); err != nil {
		panic("demo: conversation.json is part of the program and always decodes: " + err.Error())
	}
	for _, s := range ss {
		for i := range s.Messages {
			s.Messages[i].ExternalID = fmt.Sprintf("%s/%d", s.ID, i)
		}
	}
	return ss
}

// Questions returns three questions that the conversation answers: a plan that was changed, an identifier as written,
// and a sum with its date.
func Questions() []string {
	return []string{
		"Where is Mara going in autumn?",
		"What did error ARC-2207 mean?",
		"When was the kitchen budget raised, and to how much?",
	}
}
