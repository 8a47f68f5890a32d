package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
)

// Class classifies a failed request by what helps.
type Class uint8

// The classes.
const (
	Unclassified Class = iota
	Soon               // the service does not answer now, or not well: the same request may soon succeed
	Window             // too many requests or tokens in this minute: retry more slowly
	Money              // a quota of money or of the day is used up: somebody has to act
	TooBig             // the request is larger than the service accepts: send less
	Bad                // the service will never accept this request
	Auth               // the credential is missing, wrong, or has no permission for this
	Answer             // the service answered, but with something else than asked for
)

var kinds = map[Class]trilith.ErrorKind{Soon: trilith.Unavailable, Window: trilith.Unavailable, Money: trilith.Exhausted,
	TooBig: trilith.Invalid,
	Bad:    trilith.Invalid, Auth: trilith.Unauthenticated, Answer: trilith.Internal}

// Failure says why a request failed. errors.As finds it in errors of [Client.Do] and [Client.Stream].
type Failure struct {
	Class  Class
	Status int           // of the response; 0: there was none
	After  time.Duration // the service asks for this wait before a retry; 0: it does not
	// the service's message, cut and without credentials. It may contain text of the request, so only the driver may
	// see it.
	Message string
	why     string // our own reason, for the operator: without texts and credentials
	hung    bool   // the limit of the attempt passed: another would take as long
}

// Error describes the failure without the service's message.
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

// kind returns the kind of the error. A missing address or model is a mistake in the settings, never in the content
// sent.
func (f *Failure) kind() trilith.ErrorKind {
	if f.Class == Bad && (f.Status == http.StatusNotFound || f.Status == http.StatusMethodNotAllowed ||
		redirects(f.Status)) {
		return trilith.Unsupported
	}
	return kinds[f.Class]
}

func redirects(status int) bool { return status >= 300 && status < 400 }

// classOf returns the class of a status, if the response has no details.
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

// String returns the class in words.
func (c Class) String() string { return classNames[c] }

// maxMessage is how many bytes of a service's message are kept.
const maxMessage = 500

// scrub cuts a service's message and removes the credential from it.
func scrub(message string, credential http.Header) string {
	for _, values := range credential {
		for _, v := range values {
			for _, secret := range append(strings.Fields(v), v) { // of "Bearer KEY" the message may repeat only KEY
				if len(secret) >= 8 { // no scheme name is that long
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

// retryAfter reads the header: seconds, or a time (RFC 9110, section 10.2.3). 0 if it is absent.
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
