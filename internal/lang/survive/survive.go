// Package survive turns a panic over one text into an error, so that the text costs itself and nothing else.
package survive

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
)

// Panic is a panic that was survived: a bug of ours. It names the kind of panic and never quotes the text that
// caused it.
type Panic struct {
	Cause string
	Stack string
}

// LogValue adds the stack for logs.
func (p *Panic) LogValue() slog.Value {
	return slog.GroupValue(slog.String("cause", p.Cause), slog.String("stack", p.Stack))
}

// Do calls f and returns its error, or a [*Panic].
func Do(f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = Of(cause)
		}
	}()
	return f()
}

// Of returns the error of a recovered value.
func Of(cause any) *Panic {
	p := &Panic{Cause: fmt.Sprintf("%T", cause), Stack: string(debug.Stack())}
	if e, ok := cause.(runtime.Error); ok { // the runtime quotes no text
		p.Cause = e.Error()
	}
	return p
}

// Error returns the cause.
func (p *Panic) Error() string { return "panic: " + p.Cause }

// Is reports whether an error is a [*Panic].
func Is(err error) bool {
	_, is := errors.AsType[*Panic](err)
	return is
}
