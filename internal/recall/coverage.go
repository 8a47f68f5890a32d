package recall

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// failure is an arm that should have searched and failed.
type failure struct {
	arm trilith.Arm
	err error
}

// coverage says which arms failed for an answer with this many hits. Without hits a failed arm is an error, because
// that arm might have found something.
func (f *found) coverage(hits int) (trilith.Coverage, error) {
	var c trilith.Coverage
	for _, x := range f.failures {
		c.Partial = true
		if !slices.Contains(c.FailedArms, x.arm) {
			c.FailedArms = append(c.FailedArms, x.arm)
		}
	}
	if f.unfinished && !slices.Contains(c.FailedArms, trilith.ArmDense) {
		c.Partial, c.FailedArms = true, append(c.FailedArms, trilith.ArmDense)
	}
	if hits > 0 || len(f.failures) == 0 {
		return c, nil
	}
	return c, failed(f.failures)
}

// missing, the arms that failed, is among the causes of the error of an answer without hits.
type missing []trilith.Arm

// Partly turns the error of an answer without hits into a partial coverage, if only the arm that needs the embedder
// failed: an embedder may be away, and some callers cannot do without an answer.
func Partly(c trilith.Coverage, err error) (trilith.Coverage, error) {
	m, ok := errors.AsType[missing](err)
	if ok && len(m) == 1 && m[0] == trilith.ArmDense && trilith.KindOf(err) != trilith.Invalid {
		return trilith.Coverage{Partial: true, FailedArms: m}, nil
	}
	return c, err
}

// ArmError returns the error of a search that uses one arm only.
func ArmError(ctx context.Context, arm trilith.Arm, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return failed([]failure{{arm, err}})
}

// failed returns the error of an answer without hits for which arms failed. If all of them report an invalid request,
// or all a spent budget, the error has that kind; otherwise it is Unavailable.
func failed(failures []failure) error {
	kind := trilith.KindOf(failures[0].err)
	var arms []trilith.Arm
	var reasons []string
	var causes []error
	for _, x := range failures {
		if of := trilith.KindOf(x.err); of != kind || of != trilith.Invalid && of != trilith.Exhausted {
			kind = trilith.Unavailable
		}
		if !slices.Contains(arms, x.arm) {
			arms = append(arms, x.arm)
		}
		if slices.ContainsFunc(causes, func(err error) bool { return err.Error() == x.err.Error() }) {
			continue
		}
		causes = append(causes, x.err)
		if trilith.KindOf(x.err) != trilith.Internal { // an internal message is only logged
			reasons = append(reasons, trilith.MessageOf(x.err))
		}
	}
	e := Unanswered(arms)
	if len(reasons) > 0 {
		e.Msg += ": " + strings.Join(reasons, "; ")
	}
	e.Kind, e.Err = kind, errors.Join(append(causes, missing(arms))...)
	return e
}

func (m missing) Error() string { return "arms failed: " + trilith.ArmNames(m) }

// Unanswered returns the error of an answer without hits for which arms failed.
func Unanswered(arms []trilith.Arm) *trilith.Error {
	e := trilith.Errorf(trilith.Unavailable, "arms: nothing was found, and an arm failed (%s); repeat the request",
		trilith.ArmNames(arms))
	e.Err = missing(arms)
	return e
}
