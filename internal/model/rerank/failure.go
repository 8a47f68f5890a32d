package rerank

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/trilith-memory/trilith/internal/model/provider"
)

// explain reads an error: Voyage writes detail, Cohere message, Jina detail, TEI error, and servers of OpenAI's kind an
// object of that name.
func explain(_ int, _ http.Header, data []byte) (string, provider.Class) {
	var e struct {
		Detail  any    `json:"detail"`
		Message string `json:"message"`
		Error   any    `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return "", provider.Unclassified
	}
	detail, _ := e.Detail.(string)
	said, _ := e.Error.(string)
	if of, ok := e.Error.(map[string]any); ok {
		said, _ = of["message"].(string)
	}
	return cmp.Or(e.Message, detail, said), provider.Unclassified
}
