package engine

import (
	"net/http"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall"
)

// PartialHeader is the header by which an answer in another's dialect, which has no member for it, says that a part of
// the search failed, so that more may be known than was found.
const PartialHeader = "Trilith-Partial"

// Partly makes of the error of a search that found nothing because the embedder was away, an answer that says so: for
// callers that cannot do without an answer. Other errors remain.
func Partly(c trilith.Coverage, err error) (trilith.Coverage, error) { return recall.Partly(c, err) }

// SayPartly sets the header if a part of the search failed.
func SayPartly(h http.Header, c trilith.Coverage) {
	if c.Partial {
		h.Set(PartialHeader, "a part of the search failed: "+trilith.ArmNames(c.FailedArms))
	}
}

// SaidOnce is [recall.SaidOnce].
func SaidOnce(ms []trilith.Memory) ([]trilith.Memory, map[trilith.ID]int) { return recall.SaidOnce(ms) }
