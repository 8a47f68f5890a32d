package rig

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/engine"
)

// Check returns the doctor's check of a name.
func Check(t *testing.T, e Rig, name string) trilith.Check {
	t.Helper()
	report, err := e.Doctor(t.Context())
	if err != nil {
		t.Fatalf("Doctor = %v", err)
	}
	for _, c := range report.Checks {
		if c.Name == name {
			if !c.OK && report.OK {
				t.Errorf("Doctor says all is well beside %+v", c)
			}
			return c
		}
	}
	t.Fatalf("Doctor says nothing about %q: %+v", name, report.Checks)
	return trilith.Check{}
}

// By words alone. The text does not show that it is Spanish, so only a tenant that has chosen Spanish finds it by
// another form.
const (
	SaidSpanish  = "Viajamos juntos"
	AskedSpanish = "viajar"
)

// WordsOnly leaves an engine without vectors.
func WordsOnly(c *engine.Config) { c.Vectors, c.Embedder = nil, nil }

// MustUseLanguages sets the languages of a tenant.
func (r Rig) MustUseLanguages(t *testing.T, s trilith.Scope, codes ...string) {
	t.Helper()
	if _, err := r.UseLanguages(t.Context(), s, trilith.LanguageChoice{Languages: codes}); err != nil {
		t.Fatalf("UseLanguages(%q) = %v", codes, err)
	}
}

// WantFound asks in Spanish and compares what is found.
func (r Rig) WantFound(t *testing.T, when string, s trilith.Scope, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, r.Found(t, s, AskedSpanish)...)); diff != "" {
		t.Errorf("%s, found (-want +got):\n%s", when, diff)
	}
}
