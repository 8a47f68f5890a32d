package embedding

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/model/provider"
)

// Explain is what [provider.Options] call so.
type Explain = func(status int, h http.Header, body []byte) (message string, class provider.Class)

// Sized reads complaints about the size of a request out of what explain leaves to the status: services say them in a
// sentence, with one of several statuses (llama.cpp with 500).
func Sized(explain Explain) Explain {
	return func(status int, h http.Header, body []byte) (string, provider.Class) {
		message, class := explain(status, h, body)
		if class == provider.Unclassified && status != http.StatusTooManyRequests && saysTooBig(message) {
			class = provider.TooBig
		}
		return message, class
	}
}

func tooBig(err error) bool {
	f, ok := errors.AsType[*provider.Failure](err)
	return ok && f.Class == provider.TooBig
}

func saysTooBig(message string) bool {
	message = strings.ToLower(message)
	return mentions(message, "too long", "too large", "too many", "exceed", "at most", "maximum", "up to",
		"longer than", "larger than") &&
		mentions(message, "token", "batch", "length", "context", "array", "instances", "payload", "size")
}

func mentions(message string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(message, w) })
}
