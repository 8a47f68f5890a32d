package engine

import (
	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
)

// PartialHeader is the header by which an answer in another's dialect, which has no member for it, says that a part of
// the search failed, so that more may be known than was found.
const PartialHeader = "Trilith-Partial"

// Partly returns the value of the header, empty for a whole answer. The error of a search that found nothing while the
// embedder was away becomes such an answer; others remain.
func Partly(c trilith.Coverage, err error) (header string, remaining error) {
	if c, err = recall.Partly(c, err); err == nil && c.Partial {
		header = "a part of the search failed: " + trilith.ArmNames(c.FailedArms)
	}
	return header, err
}
