package profile

import (
	"cmp"
	"fmt"

	"github.com/trilith-memory/trilith"
)

// Parse parses a profile that extends none. An error names the file, and for a syntax error the line.
func Parse(file string, body []byte) (trilith.Profile, error) {
	p, err := decode(file, body)
	if err != nil {
		return p, err
	}
	if p.Extends != "" {
		err = fmt.Errorf("extends: is not supported here; copy the content of that profile into the file")
	}
	if err := cmp.Or(err, check(&p)); err != nil {
		return p, trilith.Errorf(trilith.Invalid, "profiles: %s: %w", file, err)
	}
	return p, nil
}
