package recall

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/truth"
)

func CheckStates(states []trilith.State) error {
	for _, st := range states {
		if !slices.Contains(trilith.States(), st) {
			return trilith.Errorf(trilith.Invalid, "states: %.32q is not a state; use %s", string(st),
				strings.Join(truth.Texts(trilith.States()), ", "))
		}
	}
	return nil
}
