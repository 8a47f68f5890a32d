package words_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestErrorKindNames(t *testing.T) {
	t.Parallel()
	seen := make(map[string]trilith.ErrorKind)
	for _, k := range trilith.ErrorKinds() {
		name := k.String()
		if other, ok := seen[name]; ok || name == "" {
			t.Errorf("ErrorKind(%d).String() = %q, the name of kind %d too", k, name, other)
		}
		seen[name] = k
		if got := trilith.ParseErrorKind(name); got != k {
			t.Errorf("ParseErrorKind(%q) = %v, want %v", name, got, k)
		}
	}
	if got := trilith.ParseErrorKind("a kind of next year"); got != trilith.Internal {
		t.Errorf("ParseErrorKind of an unknown name = %v, want %v", got, trilith.Internal)
	}
	if got, want := trilith.ErrorKind(200).String(), "error_kind(200)"; got != want {
		t.Errorf("ErrorKind(200).String() = %q, want %q", got, want)
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	conflict := trilith.Errorf(trilith.Conflict, "version: is 3, not 2")
	for _, c := range []struct {
		name string
		err  error
		want trilith.ErrorKind
	}{
		{"an error of ours", conflict, trilith.Conflict},
		{"one wrapped by fmt", fmt.Errorf("while updating: %w", conflict), trilith.Conflict},
		{"one wrapped by an operation keeps its kind", trilith.WrapError(trilith.Internal, "engine.Update", conflict),
			trilith.Conflict},
		{"one joined with another", errors.Join(io.EOF, conflict), trilith.Conflict},
		{"a foreign error", io.EOF, trilith.Internal},
		{"a foreign error that was given a kind", trilith.WrapError(trilith.Unavailable, "sqlite.Get", io.EOF),
			trilith.Unavailable},
		{"canceled", fmt.Errorf("get: %w", context.Canceled), trilith.Canceled},
		{"deadline exceeded", context.DeadlineExceeded, trilith.DeadlineExceeded},
		{"nil", nil, trilith.Internal},
	} {
		if got := trilith.KindOf(c.err); got != c.want {
			t.Errorf("KindOf(%s) = %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWrapError(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, context.Canceled, fmt.Errorf("get: %w", context.DeadlineExceeded)} {
		if got := trilith.WrapError(trilith.Internal, "sqlite.Get", err); got != err {
			t.Errorf("WrapError(%v) = %v, want it unchanged", err, got)
		}
	}
	err := trilith.WrapError(trilith.Internal, "engine.Remember",
		trilith.WrapError(trilith.Unavailable, "sqlite.Commit", io.ErrUnexpectedEOF))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("WrapError lost the cause of %v", err)
	}
	if got, want := err.Error(),
		"engine.Remember: unavailable: sqlite.Commit: unavailable: unexpected EOF"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestMessageOf(t *testing.T) {
	t.Parallel()
	secret := errors.New("dial tcp 10.0.0.7: refused")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"the sentence of an error", trilith.Errorf(trilith.Invalid, "k: is 0, must be 1 to %d", trilith.MaxK),
			"k: is 0, must be 1 to 200"},
		{"still there under an operation",
			trilith.WrapError(trilith.Internal, "engine.Recall", trilith.Errorf(trilith.NotFound, "no such memory")),
			"no such memory"},
		{"a cause stays in the log", trilith.WrapError(trilith.Unavailable, "sqlite.Get", secret), "unavailable"},
		{"an internal sentence stays in the log", trilith.Errorf(trilith.Internal, "page 7 of the index is torn"),
			"internal"},
		{"a foreign error stays in the log", secret, "internal"},
		{"a context error", context.Canceled, "canceled"},
	} {
		if got := trilith.MessageOf(c.err); got != c.want {
			t.Errorf("MessageOf(%s) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestErrorfKeepsTheCause(t *testing.T) {
	t.Parallel()
	err := trilith.Errorf(trilith.Invalid, "limit: %w", io.EOF)
	if !errors.Is(err, io.EOF) || err.Msg != "limit: EOF" {
		t.Errorf("Errorf with %%w = %#v, want message %q and the cause io.EOF", err, "limit: EOF")
	}
}

// TestWrappedMessage: a message that an error has from its cause is printed once.
func TestWrappedMessage(t *testing.T) {
	t.Parallel()
	cause := &trilith.Error{Kind: trilith.Unavailable, Msg: "the server does not answer now", Err: errors.New("connection refused"), Shown: true}
	err := trilith.WrapError(trilith.Internal, "index.Apply", trilith.WrapError(trilith.Internal, "store.Get", cause))
	if got, want := err.Error(), "index.Apply: store.Get: the server does not answer now: connection refused"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
