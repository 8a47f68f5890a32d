package compose

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// with are settings with an embedder and an environment.
func with(t testing.TB, embedder string, env map[string]string) *Settings {
	s := Settings{Embedder: embedder, Getenv: func(name string) string { return env[name] },
		Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}.complete()
	return &s
}

func openSetting(s *Settings) (role.Embedder, error) { return s.OpenEmbedder(s.Embedder) }

func TestEmbedderSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("pa-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"VOYAGE_API_KEY": "pa-1", "OPENAI_API_KEY": "sk-1", "GEMINI_API_KEY": "AI-1",
		"GOOGLE_CLOUD_PROJECT": "p1", "VERTEX_AI_LOCATION": "europe-west4"}
	for setting, want := range map[string]string{
		"builtin:":          "builtin:words-1 (256 dimensions)",
		"builtin":           "builtin:words-1 (256 dimensions)",
		"builtin:?pad=300":  "builtin:words-1 (300 dimensions, pad=300)",
		"hash:64":           "hash:words (64 dimensions)",
		"hash:64?pad=100":   "hash:words (100 dimensions, pad=100)",
		"voyage:voyage-4":   "voyage:voyage-4 (1024 dimensions, input types)",
		"voyage:voyage-3":   "voyage:voyage-3 (1024 dimensions, input types)",
		"voyage:new?dims=7": "voyage:new (7 dimensions, input types)",
		"voyage:voyage-4-large?dims=2048&rpm=10&tpm=20":       "voyage:voyage-4-large (2048 dimensions, input types)",
		"voyage:voyage-4?mrl=256&pad=1536":                    "voyage:voyage-4 (1536 dimensions, input types, mrl=256, pad=1536)",
		"voyage:voyage-4?key_file=" + file:                    "voyage:voyage-4 (1024 dimensions, input types)",
		"openai:text-embedding-3-small?dims=512":              "openai:text-embedding-3-small (512 dimensions)",
		"openai:x/bge-m3?base_url=http://lan:80":              "openai:x/bge-m3 (1024 dimensions, at http://lan)",
		"gemini:gemini-embedding-001?dims=768":                "gemini:gemini-embedding-001 (768 dimensions, task types)",
		"gemini:gemini-embedding-2":                           "gemini:gemini-embedding-2 (3072 dimensions, prefixes 1)",
		"vertex:text-multilingual-embedding-002":              "vertex:text-multilingual-embedding-002 (768 dimensions, task types)",
		"vertex:text-embedding-005?project=a&location=global": "vertex:text-embedding-005 (768 dimensions, task types)",
		"ollama:nomic-embed-text":                             "ollama:nomic-embed-text (768 dimensions, prefixes 1)",
		"ollama:qwen3-embedding:0.6b?dims=256&keep_alive=5m":  "ollama:qwen3-embedding:0.6b (256 dimensions, prefixes 1)",
		"auto":                                   "voyage:voyage-4 (1024 dimensions, input types)",
		"auto?pad=1536":                          "voyage:voyage-4 (1536 dimensions, input types, pad=1536)",
		"openai:text-embedding-3-small?pad=1536": "openai:text-embedding-3-small (1536 dimensions)",
	} {
		e, err := openSetting(with(t, setting, env))
		if err != nil {
			t.Errorf("%s = %v", setting, err)
			continue
		}
		if got := e.Generation().String(); got != want {
			t.Errorf("%s makes %s, want %s", setting, got, want)
		}
		e.Close()
	}
	if e, err := openSetting(with(t, "none", nil)); e != nil || err != nil {
		t.Errorf("none = %v, %v", e, err)
	}
}

func TestEmbedderSettingsRefused(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"OPENAI_API_KEY": "sk-secret-1"}
	for setting, want := range map[string]string{
		"voyage:voyage-4":                                               "VOYAGE_API_KEY",
		"gemini:gemini-embedding-001":                                   "GOOGLE_API_KEY or GEMINI_API_KEY",
		"openai:m?dims=3&base_url=http://lan:80&key_env=MINE":           "MINE",
		"openai:m?dims=3&base_url=http://lan:80&key_env=OPENAI_API_KEY": "unencrypted",
		"openai:m?dims=3&base_url=lan:80":                               "base_url",
		"openai:m":                                                      "dims=N",
		"openai:text-embedding-3-small?key_file=" + empty:               "holds no key",
		"openai:text-embedding-3-small?key_file=/nowhere":               "key_file",
		"openai:text-embedding-3-small?key_file=a&key_env=b":            "not both",
		"openai:text-embedding-3-small?allow_http=yes":                  "allow_http",
		"openai:text-embedding-3-small?dims=many":                       "dims",
		"openai:text-embedding-3-small?dim=3":                           "dims",
		"openai:text-embedding-3-small?pad=8":                           "pad",
		"openai:":                                                       "name a model",
		"openai":                                                        "name a model",
		"hash:64?mrl=8":                                                 "trained",
		"builtin:large":                                                 "one model",
		"hash:many":                                                     "hash:256",
		"vertex:text-embedding-005":                                     "project",
		"vertex:text-embedding-005?project=a&location=b&key_file=" + empty: "holds no key",
		"ollama:all-minilm?num_ctx=0":                                      "num_ctx",
		"ollama:all-minilm?keep=5m":                                        "keep_alive",
		"cohere:embed-v4":                                                  "cohere",
		"auto:":                                                            "auto",
		"auto?dimension=8":                                                 "dimension",
	} {
		_, err := openSetting(with(t, setting, env))
		if err == nil || trilith.KindOf(err) != trilith.Invalid || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "sk-secret-1") {
			t.Errorf("%s = %v, want kind %s and a word about %q", setting, err, trilith.Invalid, want)
		}
	}
}

// TestAuto: the best embedder that there is a key for, said at start where texts leave the machine.
func TestAuto(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"VOYAGE_API_KEY": "pa-1", "OPENAI_API_KEY": "sk-1"}, "voyage:voyage-4"},
		{map[string]string{"OPENAI_API_KEY": "sk-1", "GOOGLE_API_KEY": "AI-1"}, "openai:text-embedding-3-small"},
		{map[string]string{"GOOGLE_API_KEY": "AI-1", "VOYAGE_API_KEY": " "}, "builtin:"},
	} {
		s := with(t, "auto", c.env)
		if s.Embedder != c.want {
			t.Errorf("auto with %v is %s, want %s", c.env, s.Embedder, c.want)
		}
		var said strings.Builder
		s.Logger = slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if _, err := openSetting(s); err != nil {
			t.Errorf("%s = %v", s.Embedder, err)
		}
		if got := strings.Contains(said.String(), "sent to a provider"); got != (c.want != "builtin:") {
			t.Errorf("%s says %q", c.want, said.String())
		}
	}
	if s := with(t, "builtin:", map[string]string{"VOYAGE_API_KEY": "pa-1"}); s.Embedder != "builtin:" {
		t.Errorf("a key alone has chosen %s", s.Embedder)
	}
}

func TestOllamaHost(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                           "",
		"0.0.0.0":                    "http://127.0.0.1:11434",
		"0.0.0.0:8080":               "http://127.0.0.1:8080",
		":8080":                      "http://127.0.0.1:8080",
		"gpu.example":                "http://gpu.example:11434",
		"gpu.example:80":             "http://gpu.example:80",
		"http://gpu.example:11434":   "http://gpu.example:11434",
		"https://gpu.example/ollama": "https://gpu.example/ollama",
		"[::1]:11434":                "http://[::1]:11434",
		"http://0.0.0.0:11434":       "http://127.0.0.1:11434",
	} {
		if got := ollamaHost(value); got != want {
			t.Errorf("ollamaHost(%q) = %q, want %q", value, got, want)
		}
	}
}

// TestProviderGuide: docs/providers.md names every scheme, every parameter and every variable of embedders.
func TestProviderGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "providers.md"))
	if err != nil {
		t.Fatal(err)
	}
	guide := string(page)
	for scheme, d := range embedderDrivers {
		for _, word := range append([]string{scheme + ":"}, d.keys...) {
			if !strings.Contains(guide, "`"+word) {
				t.Errorf("docs/providers.md says nothing of %s", word)
			}
		}
		for _, param := range append(d.params, adapters...) {
			if !strings.Contains(guide, "`"+param) {
				t.Errorf("docs/providers.md says nothing of the parameter %s", param)
			}
		}
	}
}

// TestAddressesOfEmbedders: an embedder that calls a service has the service's address, however the setting spells it
// and with any key; one that calls none has no address.
func TestAddressesOfEmbedders(t *testing.T) {
	t.Parallel()
	env := map[string]string{"VOYAGE_API_KEY": "al-1", "OPENAI_API_KEY": "sk-1", "KEY": "k"}
	for setting, want := range map[string]string{
		"builtin:":                "",
		"hash:64":                 "",
		"voyage:voyage-4":         trilith.OwnAddress,
		"openai:m?dims=8":         trilith.OwnAddress,
		"ollama:nomic-embed-text": trilith.OwnAddress,
		"openai:m?dims=8&base_url=https://API.openai.com:443/v1/":     trilith.OwnAddress,
		"openai:m?dims=8&base_url=HTTPS://Example.com:443/v1/":        "https://example.com/v1",
		"openai:m?dims=8&key_env=KEY&base_url=https://example.com/v1": "https://example.com/v1",
		"openai:m?dims=8&base_url=https://example.com/v2":             "https://example.com/v2",
		"openai:m?dims=8&base_url=http://127.0.0.1:8080":              "http://127.0.0.1:8080",
		"openai:m?dims=8&pad=16&base_url=http://[::1]:8080/v1":        "http://[::1]:8080/v1",
		"ollama:nomic-embed-text?base_url=http://box:11434":           "http://box:11434",
		"voyage:voyage-4?base_url=https://example.com&key_env=KEY":    "https://example.com",
	} {
		e, err := openSetting(with(t, setting, env))
		if err != nil {
			t.Errorf("%s = %v", setting, err)
		} else if got := e.Generation().Address; got != want {
			t.Errorf("the address of %s is %q, want %q", setting, got, want)
		}
	}
	if e, err := openSetting(
		with(t, "ollama:nomic-embed-text", map[string]string{"OLLAMA_HOST": "box:80"})); err != nil ||
		e.Generation().Address != "http://box" {
		t.Errorf("the address of OLLAMA_HOST = %v, %v", e, err)
	}
}
