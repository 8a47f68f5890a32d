package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
)

// Class says what went wrong with a request, and so what helps.
type Class uint8

// The classes.
const (
	Unclassified Class = iota
	Soon               // the service does not answer now, or not well: the same request may go through in a moment
	Window             // too many requests or tokens in this minute: slower, then again
	Money              // a quota of money or of the day is used up: somebody has to do something
	TooBig             // the request is larger than the service takes: send less
	Bad                // the service will never accept this request
	Auth               // the credential is missing, wrong, or may not do this
	Answer             // the service answered, but not what was asked for
)

var kinds = map[Class]cairn.ErrorKind{Soon: cairn.Unavailable, Window: cairn.Unavailable, Money: cairn.Exhausted,
	TooBig: cairn.Invalid,
	Bad:    cairn.Invalid, Auth: cairn.Unauthenticated, Answer: cairn.Internal}

// Failure is why a request failed. errors.As finds it in what [Client.Do] and [Client.Stream] return.
type Failure struct {
	Class  Class
	Status int           // of the answer; 0: there was none
	After  time.Duration // the service asks not to be asked again before; 0: it says nothing
	// the service's own sentence, cut and without credentials; may hold text of the request: never shown to anybody but
	// the driver
	Message string
	why     string // what we know ourselves, for the operator: holds neither text nor credential
}

// Error says what happened, without what the service said.
func (f *Failure) Error() string {
	s := f.Class.String()
	if f.Status != 0 && f.Status != http.StatusOK {
		s += fmt.Sprintf(" (status %d)", f.Status)
	}
	if f.why != "" {
		s += ": " + f.why
	}
	return s
}

// kind is that of the error. An address or a model that is not there lies with the settings, and never with what was
// sent.
func (f *Failure) kind() cairn.ErrorKind {
	if f.Class == Bad && (f.Status == http.StatusNotFound || f.Status == http.StatusMethodNotAllowed ||
		redirects(f.Status)) {
		return cairn.Unsupported
	}
	return kinds[f.Class]
}

func redirects(status int) bool { return status >= 300 && status < 400 }

// classOf is what a status means where the service says no more.
func classOf(status int, h http.Header) Class {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Auth
	case status == http.StatusPaymentRequired:
		return Money
	case status == http.StatusRequestEntityTooLarge:
		return TooBig
	case status == http.StatusTooManyRequests && h.Get("Retry-After") == "":
		return Window
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooManyRequests,
		status >= 500:
		return Soon
	}
	return Bad
}

var classNames = [...]string{"it failed", "the service does not answer well now",
	"the service's limit for this minute is reached",
	"the quota at the provider is used up", "the request is larger than the service takes",
	"the service does not accept the request",
	"the service does not accept the credential", "the service gave an answer that cannot be used"}

// String says it in words.
func (c Class) String() string { return classNames[c] }

// maxMessage is how many bytes of a service's sentence are kept.
const maxMessage = 500

// scrub cuts a sentence of a service and takes the credential out of it.
func scrub(message string, credential http.Header) string {
	for _, values := range credential {
		for _, v := range values {
			for _, secret := range append(strings.Fields(v), v) { // "Bearer KEY" too where only KEY is repeated
				if len(secret) >= 8 { // no name of a scheme is that long
					message = strings.ReplaceAll(message, secret, "…")
				}
			}
		}
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "")
	}
	return message
}

// retryAfter reads the header: seconds, or a time (RFC 9110, section 10.2.3). 0 if it says nothing.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
