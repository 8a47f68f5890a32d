package recall

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
)

// failure is an arm that was to take part in an answer and could not.
type failure struct {
	arm cairn.Arm
	err error
}

// coverage says which arms failed in an answer of so many hits. If there are none it is an error: what was not searched
// may hold what was asked for.
func (f *found) coverage(hits int) (cairn.Coverage, error) {
	var c cairn.Coverage
	for _, x := range f.failures {
		if c.Partial = true; !slices.Contains(c.FailedArms, x.arm) {
			c.FailedArms = append(c.FailedArms, x.arm)
		}
	}
	if hits > 0 || !c.Partial {
		return c, nil
	}
	return c, failed(f.failures)
}

// failed is the error of an answer without hits in which arms failed. Where all of them say that the request is wrong,
// or that a budget is used up, that is its kind; else it is Unavailable, whatever the kinds of theirs.
func failed(failures []failure) error {
	kind := cairn.KindOf(failures[0].err)
	var arms []cairn.Arm
	var reasons []string
	var causes []error
	for _, x := range failures {
		if of := cairn.KindOf(x.err); of != kind || of != cairn.Invalid && of != cairn.Exhausted {
			kind = cairn.Unavailable
		}
		if !slices.Contains(arms, x.arm) {
			arms = append(arms, x.arm)
		}
		if slices.ContainsFunc(causes, func(err error) bool { return err.Error() == x.err.Error() }) {
			continue
		}
		causes = append(causes, x.err)
		if cairn.KindOf(x.err) != cairn.Internal { // of those the message says nothing; the log does
			reasons = append(reasons, cairn.MessageOf(x.err))
		}
	}
	e := Unanswered(arms)
	if len(reasons) > 0 {
		e.Msg += ": " + strings.Join(reasons, "; ")
	}
	e.Kind, e.Err = kind, errors.Join(causes...)
	return e
}

// Unanswered is the error of an answer without hits in which arms failed.
func Unanswered(arms []cairn.Arm) *cairn.Error {
	return cairn.Errorf(cairn.Unavailable, "arms: nothing was found, and an arm failed (%s); repeat the request",
		cairn.ArmNames(arms))
}

// ArmError is the error of a search that one arm does alone.
func ArmError(ctx context.Context, arm cairn.Arm, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return failed([]failure{{arm, err}})
}
