package embedding_test

import (
	"net/http"
	"testing"

	"github.com/trilith-memory/trilith/internal/model/embedding"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

// TestSized goes through sentences in which services complain about sizes, and others in which they complain about
// something else.
func TestSized(t *testing.T) {
	t.Parallel()
	explain := embedding.Sized(func(_ int, _ http.Header, body []byte) (string, provider.Class) {
		return string(body), provider.Unclassified
	})
	for message, want := range map[string]provider.Class{
		"This model's maximum context length is 8192 tokens, however you requested 9000 tokens":                       provider.TooBig,
		"Invalid 'input': array too long. Expected an array with maximum length 2048":                                 provider.TooBig,
		"* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch":                              provider.TooBig,
		"The max allowed tokens per submitted batch is 120000. Your batch has 130000 tokens; it exceeds the maximum.": provider.TooBig,
		"the input token count is 22000 but the model supports up to 20000":                                           provider.TooBig,
		"the input length exceeds the context length":                                                                 provider.TooBig,
		"input is too large to process. increase the physical batch size":                                             provider.TooBig,
		"batch size 64 > maximum allowed batch size 32":                                                               provider.TooBig,
		"Invalid token":                           provider.Unclassified,
		"The model `nope` does not exist":         provider.Unclassified,
		"You exceeded your current quota":         provider.Unclassified,
		"'' is too short - 'input'":               provider.Unclassified,
		"Unsupported parameter: output_dimension": provider.Unclassified,
	} {
		if _, got := explain(http.StatusBadRequest, nil, []byte(message)); got != want {
			t.Errorf("%q is of class %d, want %d", message, got, want)
		}
	}
	if _, got := explain(http.StatusTooManyRequests, nil,
		[]byte("too many tokens this minute")); got != provider.Unclassified {
		t.Errorf("a limit of the minute is of class %d, want %d", got, provider.Unclassified)
	}
}
