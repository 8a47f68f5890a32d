package llamatest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
)

// ask posts a request and returns the answer's body, which the caller reads.
func ask(t *testing.T, s *Server, path, key string, request any) *http.Response {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// decoded reads an answer that has to be a success.
func decoded(t *testing.T, res *http.Response, into any) {
	t.Helper()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", res.StatusCode, err, data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// completion is what we read of a chat's answer, whole or in pieces.
type completion struct {
	Choices []struct {
		Message struct{ Content string }
		Delta   struct{ Content string }
	}
	Usage struct {
		CompletionTokens int `json:"completion_tokens"`
	}
}

type object map[string]any

func chat(with object) object {
	request := object{"model": Model, "seed": 1, "max_tokens": 24,
		"messages": []object{{"role": "user", "content": "Where does Ana live?"}}}
	for name, value := range with {
		request[name] = value
	}
	return request
}

func TestChat(t *testing.T) {
	t.Parallel()
	s := Start(t, os.Getenv, Options{Key: "secret"})
	const path = "/v1/chat/completions"

	t.Run("without the key", func(t *testing.T) {
		if res := ask(t, s, path, "", chat(nil)); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("status %d, want 401", res.StatusCode)
		}
	})
	t.Run("whole", func(t *testing.T) {
		var c completion
		decoded(t, ask(t, s, path, "secret", chat(nil)), &c)
		if len(c.Choices) != 1 || c.Choices[0].Message.Content == "" || c.Usage.CompletionTokens == 0 {
			t.Errorf("answer %+v, want one choice with text, and its tokens counted", c)
		}
	})
	t.Run("in pieces", func(t *testing.T) {
		res := ask(t, s, path, "secret", chat(object{"stream": true}))
		var text strings.Builder
		pieces, done := 0, false
		for lines := bufio.NewScanner(res.Body); !done && lines.Scan(); {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if done = data == "[DONE]"; !ok || done {
				continue
			}
			var c completion
			if err := json.Unmarshal([]byte(data), &c); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			pieces++
			for _, choice := range c.Choices {
				text.WriteString(choice.Delta.Content)
			}
		}
		if pieces < 2 || text.Len() == 0 || !done {
			t.Errorf("%d pieces with the text %q, done %t, want several that end with [DONE]", pieces,
				text.String(), done)
		}
	})
	t.Run("held to a schema", func(t *testing.T) {
		schema := object{"type": "object", "additionalProperties": false, "required": []string{"verb", "sure", "facts"},
			"properties": object{
				"verb": object{"enum": []string{"lives_in", "works_at"}},
				"sure": object{"type": "boolean"},
				"facts": object{"type": "array", "maxItems": 3,
					"items": object{"type": "object", "additionalProperties": false, "required": []string{"quote"},
						"properties": object{"quote": object{"type": "string", "maxLength": 20}}}},
			}}
		var c completion
		decoded(t, ask(t, s, path, "secret", chat(object{"max_tokens": 400,
			"response_format": object{
				"type": "json_schema", "json_schema": object{"name": "answer", "strict": true, "schema": schema}}})),
			&c)
		var held struct {
			Verb  string
			Sure  *bool
			Facts []struct{ Quote string }
		}
		decoder := json.NewDecoder(strings.NewReader(c.Choices[0].Message.Content))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&held); err != nil || held.Sure == nil || held.Verb != "lives_in" &&
			held.Verb != "works_at" {
			t.Errorf("%q (%v) is not held to the schema", c.Choices[0].Message.Content, err)
		}
	})
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	s := Start(t, os.Getenv, Options{Embeddings: true})
	var answer struct {
		Data []struct {
			Index     int
			Embedding []float64
		}
	}
	decoded(t, ask(t, s, "/v1/embeddings", "",
		object{"model": Model, "input": []string{"Ana lives in Oslo.", "A kettle", "Ana lives in Oslo."}}), &answer)
	if len(answer.Data) != 3 {
		t.Fatalf("%d embeddings, want 3", len(answer.Data))
	}
	cosine := func(a, b int) (sum float64) {
		for i, v := range answer.Data[a].Embedding {
			sum += v * answer.Data[b].Embedding[i]
		}
		return sum
	}
	for i, d := range answer.Data {
		if len(d.Embedding) != Dims || d.Index != i || math.Abs(cosine(i, i)-1) > 1e-3 {
			t.Errorf("embedding %d has index %d, %d dimensions and the length² %f, want %d and 1", i, d.Index,
				len(d.Embedding), cosine(i, i), Dims)
		}
	}
	if same, other := cosine(0, 2), cosine(0, 1); same < other+1e-6 || math.Abs(same-1) > 1e-3 {
		t.Errorf("the same text has the cosine %f, another one %f, want 1 and less", same, other)
	}
}

// The file is what it says, without a server that reads it.
func TestToyIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	first := toy()
	if !bytes.HasPrefix(first, []byte("GGUF\x03\x00\x00\x00")) || !bytes.Equal(first, toy()) {
		t.Errorf("toy() begins with %q and is the same each time: %t", first[:8], bytes.Equal(first, toy()))
	}
	if len(first) > 1<<20 {
		t.Errorf("the toy has %d bytes, want less than a megabyte", len(first))
	}
}

// recorder records what Start does to a test when there is no server.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Skipf(format string, args ...any)  { r.said = "skipped: " + format; panic(r) }
func (r *recorder) Fatalf(format string, args ...any) { r.said = "failed: " + format; panic(r) }

// A missing server is never passed over in silence. It changes PATH and so runs alone.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for require, want := range map[string]string{"": "skipped: NOT TESTED", "postgres": "skipped: NOT TESTED",
		"postgres,llama": "failed: TRILITH_REQUIRE"} {
		r := &recorder{}
		func() {
			defer func() { _ = recover() }()
			Start(r, func(string) string { return require }, Options{})
		}()
		if !strings.HasPrefix(r.said, want) {
			t.Errorf("with TRILITH_REQUIRE=%q: %q, want %q", require, r.said, want)
		}
	}
}
