package compose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestEmbedderNames(t *testing.T) {
	t.Parallel()
	n, err := NewEmbedderNames(
		"voyage:voyage-4", []string{"", "near=openai:m?base_url=http://127.0.0.1:9/v1&dims=8", "hash:32",
			"local:all-MiniLM-L6-v2"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"near": "openai:m?base_url=http://127.0.0.1:9/v1&dims=8", "hash:32": "hash:32",
		"voyage:voyage-4": "voyage:voyage-4",
		"builtin:":        "builtin:", "builtin": "builtin:", "local:all-MiniLM-L6-v2": "local:all-MiniLM-L6-v2",
	} {
		if got, err := n.Setting(name); got != want || err != nil {
			t.Errorf("setting(%s) = %s, %v, want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"", "hash:64", "near?base_url=x", "voyage:voyage-4?key_env=HOME", "openai:m", "none",
		"NEAR", " near", "builtin:?pad=300"} {
		if got, err := n.Setting(name); trilith.KindOf(err) != trilith.Invalid ||
			!strings.Contains(fmt.Sprint(err), "TRILITH_EMBEDDERS") {
			t.Errorf("setting(%q) = %s, %v, want invalid that names the setting", name, got, err)
		}
	}
	for setting, named := range map[string]bool{
		"voyage:voyage-4": true, "openai:m?base_url=http://127.0.0.1:9/v1&dims=8": true, "hash:64": true,
		"local:x": true, "builtin:": true,
		"openai:m": false, "voyage:voyage-4?key_env=HOME": false, "ollama:m": false, "gemini:m": false,
		"vertex:m": false, "near": true,
	} {
		if err := n.check(setting); (err == nil) != named {
			t.Errorf("check(%s) = %v", setting, err)
		}
	}
	for _, entry := range []string{"x", "x=y", "x=unknown:m", "a b=hash:32", "hash:32?key_env=X",
		"x=openai:m?bass_url=y"} {
		if _, err := NewEmbedderNames("builtin:", []string{entry}); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("--embedders %q = %v, want invalid", entry, err)
		}
	}
	if _, err := NewEmbedderNames("builtin:", []string{"a=hash:32", "a=hash:64"}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("one name for two embedders = %v, want invalid", err)
	}
}
