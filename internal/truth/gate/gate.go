// Package gate checks one text before anything else sees it: whether it is stored, which parts of it, and whether
// search may find it.
//
// Three things poison a memory: junk, secrets, and instructions in disguise. Junk is refused, with a reason. Secrets
// are masked, because data that is never stored cannot leak. Instructions from channels that others may write to (an
// assistant's words, a tool's output, an import) are stored but quarantined; the words of users are never quarantined.
// Our own context blocks are removed, so that a memory does not feed on its own answers.
//
// The gate is pure and runs on every text, so it reads each one byte by byte and leaves regular expressions to places
// that a few bytes have chosen. Words and patterns are in text files with comments, which the program holds.
// Everything here is safe for concurrent use.
package gate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/trilith-memory/trilith"
)

// Policy says which roles are stored.
type Policy struct {
	Store map[trilith.Role]bool // a role that is absent is refused
}

// DefaultPolicy stores users and assistants. System prompts and tool output are refused: they are the same in every
// request and say little about anybody.
func DefaultPolicy() Policy {
	return Policy{Store: map[trilith.Role]bool{trilith.RoleUser: true, trilith.RoleAssistant: true}}
}

// Verdict is the result of checking a text.
type Verdict struct {
	Text       string // to store: without our context blocks, secrets masked, otherwise verbatim; empty if refused
	Reason     string // a reason of the root package if the text is refused, else empty
	Detail     string // why it was refused or quarantined, in words; never holds the text
	Masked     int    // secrets replaced
	Quarantine bool   // store it as [trilith.StateQuarantined]
}

// Check decides about a text. An empty role (notes, entries and documents without one) passes every policy. The checks
// run in the order role, encoding, empty, too_long, echo; the first that fails is the reason.
func (p Policy) Check(role trilith.Role, trust trilith.Trust, text string) Verdict {
	switch {
	case role != "" && !p.Store[role]:
		return refuse(trilith.ReasonRole, "the policy does not store the role %.16q", string(role))
	case !utf8.ValidString(text):
		return refuse(trilith.ReasonEncoding, "is not valid UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return refuse(trilith.ReasonEncoding, "contains a NUL character")
	case blank(text):
		return refuse(trilith.ReasonEmpty, "holds no visible character")
	case len(text) > trilith.MaxTextBytes:
		return refuse(trilith.ReasonTooLong, "is %d bytes long, at most %d are allowed; send it as a document", len(text),
			trilith.MaxTextBytes)
	}
	text, cut := cutEchoes(text)
	if cut && blank(text) {
		return refuse(trilith.ReasonEcho, "is a context block of this memory and nothing else")
	}
	var v Verdict
	v.Text, v.Masked = Mask(text)
	if lowTrust(trust) {
		if what := Instruction(v.Text); what != "" {
			v.Quarantine, v.Detail = true, "reads like an instruction: "+what
		}
	}
	return v
}

func refuse(reason, format string, args ...any) Verdict {
	return Verdict{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// lowTrust reports whether people other than the user can write into the channel. An unknown tier counts as such.
func lowTrust(t trilith.Trust) bool {
	return t != trilith.TrustUserConfirmed && t != trilith.TrustUserStated
}
