package trilith

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// MadeByCairn returns the error for a store that this program made when it was called cairn. address is what that
// program's setting for the store says; into names another place for the memory.
func MadeByCairn(what, address, into string) *Error {
	return Errorf(Unsupported, "store: %s holds a memory of cairn, as this program was called before, and only that program reads it: "+
		"run `cairn export FILE --store %s`, then `trilith import FILE` into %s", what, address, into)
}

// ErrNoSpace says that a disk, or the share of it that this program may use, is full. It is Exhausted.
var ErrNoSpace error = Errorf(
	Exhausted, "store: the disk is full; free some space and repeat the request, nothing needs to be restarted")

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

// Is reports whether err is an error of a kind. It is the question for an error that may be nil: KindOf(nil) has a kind.
func Is(err error, k ErrorKind) bool { return err != nil && KindOf(err) == k }

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

// OutOfSpace reports whether an operation failed because a disk is full.
func OutOfSpace(err error) bool {
	return errors.Is(err, ErrNoSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// EventKind is the type of an [Event].
type EventKind string

// The kinds of events.
const (
	EventOpen   EventKind = "open"   // the first one: from here on nothing is missed
	EventChange EventKind = "change" // memories were stored, changed or erased
	EventJobs   EventKind = "jobs"   // the number of background jobs, when it changes
	EventLag    EventKind = "lag"    // how far the indexes lag, when it changes
	EventAlert  EventKind = "alert"  // saved searches have raised alerts
	EventIdle   EventKind = "idle"   // nothing has happened for a while
)

// Event reports that something happened in a scope. It contains ids and numbers, and no stored text.
type Event struct {
	Kind EventKind `json:"kind" doc:"open, change, alert, jobs or lag"`
	// Cursor is the position in the log: events after it are requested with it. Absent if nothing was read.
	Cursor string  `json:"cursor,omitempty" doc:"Where to continue after a break; also the id of the event"`
	Count  int     `json:"count,omitempty" doc:"Of a change: how many memories"`
	IDs    []ID    `json:"ids,omitempty" doc:"Of a change: the first hundred of them"`
	Alerts []Alert `json:"alerts,omitempty" doc:"Of an alert: up to a thousand of them; GET /alerts has them all"`
	// All says that there are too many changes to report one by one, or that they are unknown.
	All  bool       `json:"all,omitempty" doc:"Anything may have changed: reload everything that you show"`
	Jobs *JobCounts `json:"jobs,omitempty"`
	Lag  *Lag       `json:"lag,omitempty"`
}

// Lag is the number of changes that the indexes of the store have not read yet.
type Lag struct {
	Texts   int `json:"texts"`
	Vectors int `json:"vectors"`
}

// JobCounts says how many background jobs of a tenant are not done. Each number is at most [MaxJobCount].
type JobCounts struct {
	Ready   int `json:"ready" doc:"Waiting for their time or a worker"`
	Running int `json:"running"`
	Dead    int `json:"dead" doc:"Given up, until they are retried"`
	// More says that one of the numbers has reached this limit.
	More bool `json:"more,omitempty" doc:"There are more jobs than were counted"`
}

// Bounds of events and of counting jobs.
const (
	MaxEventIDs = 100
	MaxJobCount = 1000
)

// MaxOperations is the most operations of one batch.
const MaxOperations = 1000

// BatchRequest runs operations one after the other, each with its own result or error.
type BatchRequest struct {
	Operations []Operation `json:"operations" doc:"What to do, in this order" minItems:"1" maxItems:"1000"`
	// Atomic does the writes, which are puts and deletes only, in one commit after all reads: all of them or none. A
	// delete of a key without an entry is no error then. A commit has at most MaxBatch memories; a put in place of
	// another wording has two.
	Atomic bool `json:"atomic,omitempty" doc:"Do the writes, which are puts and deletes, together after all reads: all or none"`
}

// Operation is one of a batch. Exactly one of its fields is set, not counting the scope.
type Operation struct {
	Scope    Scope            `json:"scope,omitzero" doc:"Whose it is; that of the batch if absent"`
	Put      *KeyedPut        `json:"put,omitempty" doc:"Store an entry under a key, in place of what the key has"`
	Get      *KeyedRef        `json:"get,omitempty" doc:"The entry that has a key"`
	Delete   *KeyedRef        `json:"delete,omitempty" doc:"Forget the entry that has a key"`
	Remember *RememberRequest `json:"remember,omitempty" doc:"Store what was said, a note, an entry or a document"`
	Search   *RecallRequest   `json:"search,omitempty" doc:"Find what is known about a question"`
	List     *ListRequest     `json:"list,omitempty" doc:"List memories, oldest first"`
	Update   *MemoryUpdate    `json:"update,omitempty" doc:"Change a memory"`
	Forget   *ForgetRequest   `json:"forget,omitempty" doc:"Take memories out of search"`
}

// Repeatable reports whether sending the request twice is as good as once.
func (r BatchRequest) Repeatable() bool {
	return !slices.ContainsFunc(r.Operations, func(o Operation) bool { return o.Writes() })
}

// BatchResults are in the order of the operations.
type BatchResults struct {
	Results []OperationResult `json:"results"`
}

// KeyedPut is [PutRequest] with its key.
type KeyedPut struct {
	Key string `json:"key" doc:"Your own key of the entry" minLength:"1" maxLength:"255"`
	PutRequest
}

// KeyedDelete takes the entry that has a key out of search, or removes it for good.
type KeyedDelete struct {
	Key   string `json:"-" path:"key" doc:"Your own key of the entry, of the very scope; a slash in it is written %2F" maxLength:"255"`
	Erase bool   `json:"erase,omitempty" doc:"Remove it for good, with everything derived from it; needs the right admin"`
}

// KeyedRef names an entry by its key.
type KeyedRef struct {
	Key string `json:"key" doc:"Your own key of the entry" minLength:"1" maxLength:"255"`
}

// MemoryUpdate is [UpdateRequest] with the id of the memory.
type MemoryUpdate struct {
	ID ID `json:"id" doc:"Id of the memory"`
	UpdateRequest
}

// Writes reports whether the operation changes anything.
func (o *Operation) Writes() bool { return o.Get == nil && o.Search == nil && o.List == nil }

// Validate answers Invalid unless exactly one operation is named.
func (o *Operation) Validate() error {
	set := 0
	for _, is := range []bool{o.Put != nil, o.Get != nil, o.Delete != nil, o.Remember != nil, o.Search != nil,
		o.List != nil, o.Update != nil, o.Forget != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return Errorf(Invalid, "must hold exactly one of put, get, delete, remember, search, list, update and forget")
	}
	return nil
}

// Errorf makes an [Error] of kind k. A %w verb in the format sets its cause.
func Errorf(k ErrorKind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: k, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// OperationResult is the result of an [Operation]. Exactly one of its members is set.
type OperationResult struct {
	Memory     *Memory         `json:"memory,omitempty"`     // of put, get and update
	Remembered *RememberResult `json:"remembered,omitempty"` // of remember
	Found      *RecallResult   `json:"found,omitempty"`      // of search
	Listed     *Page           `json:"listed,omitempty"`     // of list
	Forgotten  *ForgetResult   `json:"forgotten,omitempty"`  // of delete and forget
	Error      *ItemError      `json:"error,omitempty"`
}
