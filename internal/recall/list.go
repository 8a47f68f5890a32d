package recall

import (
	"slices"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/truth"
)

func CheckStates(states []cairn.State) error {
	for _, st := range states {
		if !slices.Contains(cairn.States(), st) {
			return cairn.Errorf(cairn.Invalid, "states: %.32q is not a state; use %s", string(st),
				strings.Join(truth.Texts(cairn.States()), ", "))
		}
	}
	return nil
}
