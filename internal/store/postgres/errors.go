package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/trilith-memory/trilith"
)

var errClosed = trilith.Errorf(trilith.Unavailable, "store: it is closed")

// away marks that no server serves now.
type away struct{ error }

// The codes that are asked about, by PostgreSQL's own names.
const (
	serializationFailure  = "40001"
	deadlockDetected      = "40P01"
	uniqueViolation       = "23505"
	duplicateObject       = "42710"
	insufficientPrivilege = "42501"
	readOnlyTransaction   = "25006"
	lockNotAvailable      = "55P03"
	invalidAuthorization  = "28000"
	invalidPassword       = "28P01"
	unknownDatabase       = "3D000"
	diskFull              = "53100"
	movedSchema           = "CA001" // our own
)

// fail translates an error of the product: a context's own error passes, everything else gets a kind.
func fail(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctxErr := ctx.Err(); ctxErr != nil && !errors.Is(err, errUnknown) {
		return ctxErr
	}
	if e, ok := errors.AsType[*trilith.Error](err); ok {
		return trilith.WrapError(e.Kind, op, err)
	}
	if kind, msg := meaning(err); msg != "" {
		why := cause(err)
		if lost(err) {
			why = away{why}
		}
		if code(err) == diskFull {
			why = fmt.Errorf("%w: %w", trilith.ErrNoSpace, why)
		}
		return &trilith.Error{Kind: kind, Op: op, Msg: msg, Err: why}
	}
	return trilith.WrapError(trilith.Internal, op, cause(err))
}

// meaning returns the kind of an error, and a message for the operator.
func meaning(err error) (trilith.ErrorKind, string) {
	c := code(err)
	switch {
	case c == invalidAuthorization || c == invalidPassword:
		return trilith.Unavailable, "store: PostgreSQL refuses the login; look at its user, its password and pg_hba.conf"
	case c == unknownDatabase:
		return trilith.Unavailable, "store: PostgreSQL has no such database; make it with CREATE DATABASE"
	case c == movedSchema:
		return trilith.Unavailable,
			"store: this trilith is older than the database, or newer, and writes nothing; replace it by the version of the others"
	case c == readOnlyTransaction:
		return trilith.Unavailable, "store: this PostgreSQL server does not take writes now; repeat"
	case lost(err):
		return trilith.Unavailable, "store: PostgreSQL does not answer now; repeat"
	case repeatable(err):
		return trilith.Unavailable, "store: others write the same; repeat"
	case c == lockNotAvailable:
		return trilith.Unavailable,
			"store: somebody else holds a lock in PostgreSQL and does not give it back; repeat, and look at pg_locks if that goes on"
	case c == insufficientPrivilege:
		return trilith.Unavailable,
			"store: the login of PostgreSQL lacks a right; one that owns the database opens it first, others need GRANT " + appRole
	case c == diskFull:
		return trilith.Exhausted, "store: the disk of PostgreSQL is full; free some space there and repeat the request, nothing needs to be restarted"
	case strings.HasPrefix(c, "53"): // insufficient resources; too many connections is lost
		return trilith.Exhausted, "store: PostgreSQL is out of memory or another resource"
	case strings.HasPrefix(c, "54"): // program limit exceeded
		return trilith.Exhausted, "store: a value is larger than PostgreSQL can hold"
	case strings.HasPrefix(c, "22"): // data exception
		return trilith.Invalid, "store: a value is none that PostgreSQL can hold"
	case c == uniqueViolation:
		return trilith.Conflict, "store: the value exists already"
	}
	return trilith.Internal, ""
}

// lost reports whether err says that there is no connection to a server that serves, now.
func lost(err error) bool {
	switch c := code(err); c {
	case "":
	// shut down, crashed, starting, idle too long (twice), too many connections
	case "57P01", "57P02", "57P03", "57P05", "25P03", "53300", readOnlyTransaction:
		return true
	default:
		return strings.HasPrefix(c, "08")
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	_, ok := errors.AsType[net.Error](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err)
}

// repeatable reports whether err says that a transaction was given up because of others, so that it may begin again.
func repeatable(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	// A table that is emptied while an index of it is built: the server tells the two apart by no code.
	catalog := e.Routine == "simple_heap_update" || e.Routine == "simple_heap_delete"
	return e.Code == serializationFailure || e.Code == deadlockDetected || catalog
}

// cause is err without parts that may hold stored text or a secret. It keeps the code and the sentence of a server's
// error, and the reason of a failed connection without its address. A server's sentence quotes a value only if the
// value cannot be read.
func cause(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		if e.ConstraintName != "" || strings.HasPrefix(e.Code, "22") {
			return errors.New("SQLSTATE " + e.Code + " " + e.ConstraintName)
		}
		return errors.New("SQLSTATE " + e.Code + ": " + e.Message)
	}
	if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		tried := slices.Compact(strings.Split(e.Unwrap().Error(), "\n")) // with TLS and without, often
		return errors.New("connect: " + strings.Join(tried, "; "))
	}
	return err
}

func (a away) Unwrap() error { return a.error }

// Away reports whether an error of this package says that there is no server which serves, now: it starts, recovers,
// refuses connections or takes no writes. It may come without anything being changed; a wrong password or a missing
// database does not.
func Away(err error) bool {
	_, ok := errors.AsType[away](err)
	return ok
}

// unsent reports whether err says that nothing has reached the server.
func unsent(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok || pgconn.SafeToRetry(err) || code(err) == readOnlyTransaction
}

// code is the SQLSTATE of err, "" if it is not the server's.
func code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}
