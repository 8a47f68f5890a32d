package compose_test

import (
	"testing"

	"github.com/trilith-memory/trilith/internal/compose"
)

func TestMasked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"postgres://u:pw@h:5432/d?sslmode=require": "postgres://u:xxxxx@h:5432/d?sslmode=require",
		"postgres://u:p@w/x@h/d":                   "postgres://u:xxxxx@h/d",
		"postgres://h/d?user=u&password=pw&a=b":    "postgres://h/d?user=u&password=xxxxx&a=b",
		`-  "--store", "mysql://u:pw@h/d",`:        `-  "--store", "mysql://u:xxxxx@h/d",`,
		"postgres://u@h/d?application_name=a:b@c":  "postgres://u@h/d?application_name=a:b@c",
		"http://localhost:7700/mcp?user=ana@x.org": "http://localhost:7700/mcp?user=ana@x.org",
		"sqlite:/data/x.db":                        "sqlite:/data/x.db",
	} {
		if got := compose.Masked(text); got != want || compose.HoldsSecret(text) != (want != text) {
			t.Errorf("Masked(%q) = %q, HoldsSecret %v; want %q", text, got, compose.HoldsSecret(text), want)
		}
	}
}
