package provider_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

func TestParse(t *testing.T) {
	t.Parallel()
	s, err := provider.Parse("embedder", "ollama:qwen3-embedding:0.6b?dims=256&base_url=http%3A%2F%2Flocalhost%3A1",
		"dims", "base_url")
	if err != nil || s.Scheme != "ollama" || s.Model != "qwen3-embedding:0.6b" ||
		s.Param("base_url") != "http://localhost:1" {
		t.Fatalf("Parse = %+v, %v", s, err)
	}
	if n, err := s.Int("dims"); err != nil || n != 256 {
		t.Errorf("Int(dims) = %d, %v", n, err)
	}
	for _, bad := range []string{"voyage:m?dim=4", "voyage:m?dims=1&dims=2", "voyage:m?%zz"} {
		if _, err := provider.Parse("embedder", bad, "dims"); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Parse(%q) = %v, want Invalid", bad, err)
		}
	}
	for _, bad := range []string{"0", "-1", "many", "1.5"} {
		s, err := provider.Parse("embedder", "voyage:m?dims="+bad, "dims")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Int("dims"); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("Int of %q = %v, want Invalid", bad, err)
		}
	}
}
