package distil

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Related is a relation that a turn states between two things that it names, as far as can be checked without knowing
// the facts that they are.
type Related struct {
	Type          trilith.RelationType
	First, Second string // as they are in the quote
	Quote         Span
}

// relation is a relation as the model puts it.
type relation struct {
	Type   trilith.RelationType `json:"type"`
	First  string               `json:"first"`
	Second string               `json:"second"`
	Turn   integer              `json:"turn"`
	Quote  string               `json:"quote"`
}

// relate takes from an answer the relations that pass the checks of facts: the quote is in a turn of the chunk, of
// somebody who may state facts, whole and no order; and both things are in the quote, in different words.
func (res *Result) relate(r *Request, c chunk, said []json.RawMessage) {
	if len(said) > maxFacts {
		res.Refused = append(res.Refused, Refusal{Reason: ReasonTooMany})
		said = said[:maxFacts]
	}
	for _, raw := range said {
		found, reason := related(r, c, raw)
		if reason != "" {
			res.Refused = append(res.Refused, Refusal{Reason: reason})
		} else if !slices.Contains(res.Related, found) {
			res.Related = append(res.Related, found)
		}
	}
}

func related(r *Request, c chunk, raw json.RawMessage) (found Related, reason string) {
	var said relation
	if err := json.Unmarshal(raw, &said); err != nil || !slices.Contains(trilith.RelationTypes(), said.Type) {
		return found, ReasonMalformed
	}
	at, elided, reason := place(r, c, said.Turn, said.Quote)
	if elided {
		reason = ReasonQuote
	}
	if reason != "" {
		return found, reason
	}
	first, second := strings.TrimSpace(said.First), strings.TrimSpace(said.Second)
	quote := textproc.Fold(r.Turns[at.Turn].Text[at.Start:at.End])
	for _, thing := range []string{first, second} {
		if thing == "" || !strings.Contains(quote, textproc.Fold(thing)) {
			return found, ReasonName
		}
	}
	if textproc.Fold(first) == textproc.Fold(second) {
		return found, ReasonName
	}
	return Related{said.Type, first, second, at}, ""
}
