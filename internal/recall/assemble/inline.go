package assemble

import "github.com/trilith-memory/trilith/internal/lang/prompt"

// bracketed returns a label in brackets that contains a user's name: in round ones if square ones would make a control
// token.
func bracketed(name string) string { return prompt.Inline("[" + name + "]") }

// Inline is [prompt.Inline].
func Inline(text string) string { return prompt.Inline(text) }

func lines(text string) string { return prompt.Lines(text) }
