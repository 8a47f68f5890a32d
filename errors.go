package trilith

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ErrorKind classifies an error. Every edge maps the kinds once: to a status code, an exit code, a tool result. The
// list only grows; a kind never changes its meaning.
type ErrorKind uint8

// The kinds, with gRPC's names where it has one.
const (
	// a fault of trilith or of a product below it; the zero value, so that an unset kind is not mistaken for the caller's
	// fault
	Internal         ErrorKind = iota
	Invalid                    // the request is wrong and stays wrong when repeated; the message names the field
	Unauthenticated            // no credential, or an unknown one
	Forbidden                  // the credential is known and may not do this
	NotFound                   // it does not exist, or it exists elsewhere: the two answer alike
	Conflict                   // an expectation did not hold: read again and repeat
	Unsupported                // this driver or configuration cannot do it
	Exhausted                  // a limit, a budget or a size is used up
	Unavailable                // a product below does not answer now; repeating later may help
	Canceled                   // the caller gave up
	DeadlineExceeded           // the time was used up
)

var kindNames = [...]string{"internal", "invalid", "unauthenticated", "forbidden", "not_found", "conflict",
	"unsupported", "exhausted", "unavailable", "canceled", "deadline_exceeded"}

// ErrorKinds lists every kind, so that an edge can prove that its table is complete.
func ErrorKinds() []ErrorKind {
	ks := make([]ErrorKind, len(kindNames))
	for i := range ks {
		ks[i] = ErrorKind(i)
	}
	return ks
}

// String returns the kind's name on the wire, for example "not_found".
func (k ErrorKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("error_kind(%d)", k)
}

// ParseErrorKind is the inverse of [ErrorKind.String]; an unknown name is Internal.
func ParseErrorKind(name string) ErrorKind {
	for i, n := range kindNames {
		if n == name {
			return ErrorKind(i)
		}
	}
	return Internal
}

// Error is a failure with a kind. Msg is written for the person who sent the request: it names the field and the fix,
// and never holds stored text or a secret. Op and Err are for the operator.
type Error struct {
	Kind ErrorKind
	Op   string // the operation that failed, for example "sqlite.Commit"; may be empty
	Msg  string
	Err  error // the cause; may be nil

	// Shown says that Msg may be shown to clients although the kind is Internal: it describes a fault of a product
	// below us in our own words.
	Shown bool
}

// Error returns the operation, the message and the cause, for logs.
func (e *Error) Error() string {
	s, cause := e.Msg, ""
	if s == "" {
		s = e.Kind.String()
	}
	if e.Err != nil {
		cause = e.Err.Error()
	}
	switch {
	case strings.HasSuffix(s, cause): // also a message made with %w, which ends with its cause already
	case e.Msg != "" && strings.Contains(cause, e.Msg): // wrapped: it has the message of its cause
		s = cause
	default:
		s += ": " + cause
	}
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an [Error] of kind k. A %w verb in the format sets its cause.
func Errorf(k ErrorKind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// MadeByCairn returns the error for a store that this program made when it was called cairn. address is what that
// program's setting for the store says; into names another place for the memory.
func MadeByCairn(what, address, into string) *Error {
	return Errorf(Unsupported, "store: %s holds a memory of cairn, as this program was called before, and only that program reads it: "+
		"run `cairn export FILE --store %s`, then `trilith import FILE` into %s", what, address, into)
}

// ErrNoSpace says that a disk, or the share of it that this program may use, is full. It is Exhausted.
var ErrNoSpace error = Errorf(
	Exhausted, "store: the disk is full; free some space and repeat the request, nothing needs to be restarted")

// OutOfSpace reports whether an operation failed because a disk is full.
func OutOfSpace(err error) bool {
	return errors.Is(err, ErrNoSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// WrapError gives err an operation and, when it has none yet, the kind k. Context errors pass unchanged and nil stays
// nil. A failure because the disk is full is Exhausted, whatever k is.
func WrapError(k ErrorKind, op string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e, ok := errors.AsType[*Error](err)
	switch {
	case OutOfSpace(err):
		return &Error{Kind: Exhausted, Op: op, Msg: MessageOf(ErrNoSpace), Err: err}
	case ok:
		return &Error{Kind: e.Kind, Op: op, Msg: e.Msg, Err: err, Shown: e.Shown}
	}
	return &Error{Kind: k, Op: op, Err: err}
}

// KindOf returns the kind of err: that of the outermost [Error] in its chain, the matching kind of a context error,
// otherwise Internal. KindOf(nil) is Internal too; call it for errors only.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	switch {
	case OutOfSpace(err):
		return Exhausted
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	}
	return Internal
}

// OfItem reports whether an error is about the one item that was being stored, so that the next one can be tried. Other
// errors would meet every item: the store or a service does not answer, the disk is full, the time is over, the caller
// may not write.
func OfItem(err error) bool {
	switch KindOf(err) {
	case Internal, Invalid, NotFound, Conflict:
		return err != nil
	case Exhausted:
		return !OutOfSpace(err)
	}
	return false
}

// MessageOf returns the sentence of err that a person may see: the message of the outermost [Error], or the kind's
// name; of [Damaged] rows which they are. The chain below it stays in the log.
func MessageOf(err error) string {
	if d, ok := errors.AsType[*Damaged](err); ok {
		return d.Error()
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Msg != "" && (e.Kind != Internal || e.Shown) {
		return e.Msg
	}
	return KindOf(err).String()
}
