package main

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/trilith-memory/trilith"
)

// demoConversation is between an architect, her assistant and a friend, from January to September. All of them are
// invented. Plans change in it, money moves, and names of files and faults turn up once, so that there is something to
// find, and something that must not be found any more.
//
//go:embed demo_conversation.json
var demoConversation []byte

// demoSession is one sitting of the conversation.
type demoSession struct {
	ID       string            `json:"id"`
	Messages []trilith.Message `json:"messages"` // oldest first; each with a timestamp and an external id
}

// demoSessions returns the conversation, oldest session first. The result is the caller's own.
func demoSessions() []demoSession {
	var ss []demoSession
	if err := json.Unmarshal(demoConversation, &ss); err != nil {
		panic("demo: demo_conversation.json is part of the program and always decodes: " + err.Error())
	}
	for _, s := range ss {
		for i := range s.Messages {
			s.Messages[i].ExternalID = fmt.Sprintf("%s/%d", s.ID, i)
		}
	}
	return ss
}

// demoQuestions returns three questions that the conversation answers: a plan that was changed, an identifier as written,
// and a sum with its date.
func demoQuestions() []string {
	return []string{
		"Where is Mara going in autumn?",
		"What did error ARC-2207 mean?",
		"When was the kitchen budget raised, and to how much?",
	}
}
