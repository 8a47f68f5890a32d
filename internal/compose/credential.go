package compose

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

// Outside lists variables of other products, which are read only if a setting selects their driver. They come only
// from the environment: secrets do not belong in a file of settings.
var Outside = []string{"ANTHROPIC_API_KEY", "COHERE_API_KEY", "DEEPSEEK_API_KEY", "FIRESTORE_EMULATOR_HOST",
	"GEMINI_API_KEY", "GOOGLE_API_KEY",
	"GOOGLE_APPLICATION_CREDENTIALS",
	"GOOGLE_CLOUD_PROJECT", "JINA_API_KEY", "OLLAMA_HOST", "OPENAI_API_KEY", "QDRANT_API_KEY", "QDRANT_HOST",
	"QDRANT_PORT", "QDRANT_URL", "VERTEX_AI_LOCATION", "VOYAGE_API_KEY"}

// serviceParams are the parameters of every setting for a provider's service.
var serviceParams = []string{"base_url", "key_file", "key_env", "allow_http"}

// maxKey is the largest size of a key file: credential files of Google Cloud are the largest.
const maxKey = 64 << 10

// credential returns the credential of a provider's service: the content of the file or the variable that the setting
// names, otherwise of the first usual variable that is set. OpenAI's and Jina's keys are only sent to their own
// services: another server with the same interface gets one only if the setting names it. Without a key the provider's
// own address cannot be used, but another server can.
func (s *Settings) credential(spec provider.Spec, variables ...string) (string, error) {
	path, variable := spec.Param("key_file"), spec.Param("key_env")
	if spec.Scheme == "vertex" && path == "" {
		path = s.getenv("GOOGLE_APPLICATION_CREDENTIALS")
	}
	needed := spec.Param("base_url") == ""
	switch {
	case path != "" && variable != "":
		return "", trilith.Errorf(trilith.Invalid, "%s: give key_file or key_env, not both", spec.Setting)
	case path != "":
		data, err := os.ReadFile(path)
		switch key := strings.TrimSpace(string(data)); {
		case err != nil:
			return "", trilith.Errorf(trilith.Invalid, "%s: key_file: %w", spec.Setting, err)
		case key == "" || len(data) > maxKey:
			return "", trilith.Errorf(trilith.Invalid, "%s: key_file: %s holds no key", spec.Setting, path)
		default:
			return key, nil
		}
	case variable != "":
		variables, needed = []string{variable}, true
	case (spec.Scheme == "openai" || spec.Scheme == "jina") && !needed:
		return "", nil
	}
	variables = slices.DeleteFunc(slices.Clone(variables), func(v string) bool { return v == "" })
	for _, v := range variables {
		if key := strings.TrimSpace(s.getenv(v)); key != "" {
			return key, nil
		}
	}
	if needed && len(variables) > 0 {
		return "", trilith.Errorf(trilith.Invalid, "%s: %s needs a key; set %s in the environment, or write ?key_file=FILE",
			spec.Setting, spec.Scheme, strings.Join(variables, " or "))
	}
	return "", nil
}

// service returns the options that the settings of all providers' services share, without the key.
func (s *Settings) service(spec provider.Spec) (provider.Options, error) {
	allow := spec.Param("allow_http")
	if allow != "" && allow != "true" {
		return provider.Options{}, trilith.Errorf(trilith.Invalid, "%s: allow_http is true, or left out", spec.Setting)
	}
	return provider.Options{BaseURL: spec.Param("base_url"), PlainHTTP: allow == "true", Logger: s.logger()}, nil
}

// bearer is a credential as most services want it; nil for an empty key.
func bearer(key string) func(context.Context) (http.Header, error) {
	if key == "" {
		return nil
	}
	return provider.Header("Authorization", "Bearer "+key)
}
