package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/trilith-memory/trilith"
)

// whatAnaSaid is an answer of a model to "I live in Oslo.": a fact of it, and one that nobody stated.
const whatAnaSaid = `{"facts":[
 {"topic":"home","about":"speaker","sentence":"Ana lives in Oslo.","value":"Oslo","quote":"I live in Oslo.","whose_words":"I","time_words":null,"confidence":"stated"},
 {"topic":"home","about":"speaker","sentence":"Ana lives in Bergen.","value":"Bergen","quote":"I live in Bergen.","whose_words":"I","time_words":null,"confidence":"stated"}]}`

// fakeService is a fake of a provider's. It keeps what it was asked.
type fakeService struct {
	*httptest.Server
	mu   sync.Mutex
	asks []string // paths, headers that hold keys, bodies
}

func serves(t *testing.T, answer http.HandlerFunc) *fakeService {
	t.Helper()
	s := &fakeService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asks = append(s.asks, fmt.Sprint(r.URL, " ", r.Header.Get("Authorization"), r.Header.Get("x-api-key"),
			r.Header.Get("x-goog-api-key"), " ", string(body)))
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *fakeService) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

func answers(format string, text any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		b, _ := json.Marshal(text)
		fmt.Fprintf(w, format, b)
	}
}

const secret = "sk-0123456789-secret"

// TestRememberWithModel: a model of each provider derives facts, and what it makes up is not believed.
func TestRememberWithModel(t *testing.T) {
	t.Parallel()
	const openAI = `{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":100}}`
	for name, c := range map[string]struct {
		setting, key string // the first with the place of the fake's address
		format       string
		path         string
	}{
		"openai": {"openai:gpt-x?key_env=OPENAI_API_KEY&base_url=%s/v1", "OPENAI_API_KEY", openAI,
			"/v1/chat/completions"},
		"deepseek": {"deepseek:deepseek-chat?base_url=%s", "DEEPSEEK_API_KEY", openAI, "/chat/completions"},
		"anthropic": {"anthropic:claude-x?base_url=%s", "ANTHROPIC_API_KEY",
			`{"type":"message","content":[{"type":"text","text":%s}],"stop_reason":"end_turn","usage":{"input_tokens":900,"output_tokens":100}}`, "/v1/messages"},
		"gemini": {"gemini:gemini-x?base_url=%s", "GOOGLE_API_KEY",
			`{"candidates":[{"content":{"parts":[{"text":%s}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":900,"candidatesTokenCount":100}}`, "/v1beta/models/gemini-x:generateContent"},
		"ollama": {"ollama:qwen3:4b?base_url=%s&context=32768&max_output=4000", "",
			`{"message":{"content":%s},"done":true,"done_reason":"stop","prompt_eval_count":900,"eval_count":100}`,
			"/api/chat"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := serves(t, answers(c.format, whatAnaSaid))
			s := newShell(t)
			s.env["TRILITH_MODEL"] = fmt.Sprintf(c.setting, fake.URL)
			if c.key != "" {
				s.env[c.key] = secret
			}
			s.ok(t, "remember", "I live in Oslo.", "--speaker", "Ana", "--user", "ana", "--extract", "llm")
			if out := s.ok(t, "lookup", "user_id:ana"); !strings.Contains(out, "lives_in") ||
				!strings.Contains(out, "Oslo") || strings.Contains(out, "Bergen") {
				t.Errorf("lookup = %s, want Oslo and not Bergen", out)
			}
			if out := s.ok(t, "call", "list-jobs"); !regexp.MustCompile(`distil .* 1 +900 +100 `).MatchString(out) {
				t.Errorf("call list-jobs = %s, want what it cost", out)
			}
			asked := fake.asked()
			if len(asked) != 1 || !strings.HasPrefix(asked[0], c.path+" ") ||
				!strings.Contains(asked[0], "I live in Oslo.") || c.key != "" && !strings.Contains(asked[0], secret) {
				t.Errorf("the service was asked %q", asked)
			}
		})
	}
}

// TestModelStepsDown: a server that knows no schema gets requests for plain JSON from then on, and one that asks for
// money keeps the words and the job.
func TestModelStepsDown(t *testing.T) {
	t.Parallel()
	fine := answers(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}`, whatAnaSaid)
	fake := serves(t, func(w http.ResponseWriter, r *http.Request) { fine(w, r) })
	strict := serves(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusPaymentRequired)
		fmt.Fprintf(w, `{"error":{"message":"Pay for %s"}}`, secret)
	})
	s := newShell(t)
	s.env["OPENAI_API_KEY"] = secret
	s.ok(t, "remember", "I live in Oslo.", "--user", "ana", "--extract", "llm", "--model",
		"openai:m?forms=json_object&base_url="+fake.URL)
	if asked := fake.asked(); len(asked) != 1 ||
		!strings.Contains(asked[0], `"response_format":{"type":"json_object"}`) {
		t.Errorf("with forms=json_object the service was asked %q", asked)
	}
	out, errs, _ := s.run(t.Context(), "remember", "I live in Rome.", "--user", "ben", "--extract", "llm", "--model",
		"openai:m?key_env=OPENAI_API_KEY&base_url="+strict.URL)
	jobs := s.ok(t, "call", "list-jobs")
	if !strings.Contains(jobs, "quota") || strings.Contains(out+errs+jobs, secret) {
		t.Errorf("remember = %s%s, jobs = %s; want the reason without the key", out, errs, jobs)
	}
	if out := s.ok(t, "recall", "Rome", "--user", "ben"); !strings.Contains(out, "I live in Rome.") {
		t.Errorf("recall = %s, want the words", out)
	}
}

// TestReranker: hits come in the order that the service gives them, and in their own where it fails.
func TestReranker(t *testing.T) {
	t.Parallel()
	fake := serves(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":-0.5}]}`)
	})
	away := serves(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	s := newShell(t)
	s.ok(t, "remember", "The garden has a garden gnome.", "--user", "ana")
	s.ok(t, "remember", "We sat in the garden and talked about the long way to Oslo.", "--user", "ana")
	first := func(reranker string) string {
		s.env["TRILITH_RERANKER"] = reranker
		out := s.ok(t, "recall", "garden", "--user", "ana", "--explain")
		if reranker != "" && !strings.Contains(out, "rerank") {
			t.Errorf("recall with %q = %s, want the reranker named", reranker, out)
		}
		return strings.SplitN(out, "\n", 2)[0]
	}
	if before := first(""); !strings.Contains(before, "gnome") {
		t.Fatalf("without a reranker the first hit is %q", before)
	}
	s.env["TRILITH_RERANK_DEPTH"] = "2"
	after := first("jina:m?base_url=" + fake.URL + "/v1")
	delete(s.env, "TRILITH_RERANK_DEPTH")
	if !strings.Contains(after, "Oslo") {
		t.Errorf("with the reranker the first hit is %q, want what it likes", after)
	}
	if asked := fake.asked(); len(asked) != 1 || !strings.Contains(asked[0], "gnome") ||
		!strings.HasPrefix(asked[0], "/v1/rerank ") {
		t.Errorf("the service was asked %q", asked)
	}
	if failed := first("tei:?base_url=" + away.URL); !strings.Contains(failed, "gnome") {
		t.Errorf("with a reranker that fails the first hit is %q, want the order without it", failed)
	}
	if out := s.ok(t, "recall", "garden", "--user", "ana", "--explain"); !strings.Contains(out, "does not accept the credential") {
		t.Errorf("recall --explain = %s, want why the reranker failed", out)
	}
}

// TestProviderSettings: an error in a setting names the setting, and contains no key.
func TestProviderSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty, key := filepath.Join(dir, "empty"), filepath.Join(dir, "key")
	for path, content := range map[string]string{empty: "\n", key: secret + "\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ setting, value, want string }{
		{"model", "openai:m", "OPENAI_API_KEY"},
		{"model", "deepseek:m", "DEEPSEEK_API_KEY"},
		{"model", "anthropic:m", "ANTHROPIC_API_KEY"},
		{"model", "gemini:m", "GOOGLE_API_KEY"},
		{"model", "vertex:m?location=global", "project"},
		{"model", "openai:m?key_env=NOT_SET", "NOT_SET"},
		{"model", "vertex:m?project=p&location=a/b", "location"},
		{"model", "vertex:m?project=p&location=global&key_file=" + key, "credential file"},
		{"model", "openai:?base_url=http://127.0.0.1:1", "name one"},
		{"model", "ollama:m?colour=red", "colour"},
		{"model", "ollama:m?context=many", "context"},
		{"model", "ollama:m?max_output=0", "max_output"},
		{"model", "ollama:m?forms=json_schema,xml", "forms"},
		{"model", "ollama:m?base_url=nowhere", "base_url"},
		{"model", "openai:m?key_file=" + empty, "holds no key"},
		{"model", "openai:m?key_file=" + filepath.Join(dir, "none"), "key_file"},
		{"model", "openai:m?base_url=http://example.com&key_file=" + key, "unencrypted"},
		{"model", "gpt-4", "deepseek:"},
		{"reranker", "voyage:m", "VOYAGE_API_KEY"},
		{"reranker", "cohere:m", "COHERE_API_KEY"},
		{"reranker", "jina:m", "JINA_API_KEY"},
		{"reranker", "tei:", "base_url"},
		{"reranker", "jina:?base_url=http://127.0.0.1:1", "name a model"},
		{"reranker", "best", "voyage:"},
	} {
		s := newShell(t)
		s.env[envName(c.setting)] = c.value
		if _, errs, code := s.run(t.Context(), "list"); code != exitCode(trilith.Invalid) ||
			!strings.Contains(errs, c.want) || strings.Contains(errs, secret) {
			t.Errorf("%s %s: exit %d, %s, want one that names %q", c.setting, c.value, code, errs, c.want)
		}
	}
	s := newShell(t)
	s.env["TRILITH_RERANKER"] = "tei:?base_url=http://127.0.0.1:1"
	for _, c := range []struct{ setting, value string }{{"rerank-depth", "0"}, {"rerank-depth", "201"},
		{"rerank-timeout", "0s"}} {
		s.env[envName(c.setting)] = c.value
		_, errs, code := s.run(t.Context(), "list")
		if code != exitCode(trilith.Invalid) || !strings.Contains(errs, c.setting) {
			t.Errorf("%v: exit %d, %s", c, code, errs)
		}
		delete(s.env, envName(c.setting))
	}
	delete(s.env, "TRILITH_RERANKER")
	s.ok(t, "list", "--model", "openai:m?key_file="+key)
}

// scan is a PDF file of one page that is a picture; beside it lies an address.
func scan(address string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(" + address + ")>>>>",
		"<</Type/Pages/Count 1/Kids[3 0 R]/Resources<</XObject<</X 5 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[<</Type/Annot/Subtype/Link/A<</S/URI/URI(" + address +
			")>>>>]>>",
		"<</Length 29>>\nstream\nq 612 0 0 792 0 0 cm /X Do Q \nendstream",
		"<</Length 1/Subtype/Image/Width 1/Height 1/F(" + address + ")>>\nstream\n\x00\nendstream"}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, body := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return []byte(b.String())
}

// TestReadsFiles: a scan and a recording are kept, sent to the service once, found by what it read, listed, and saved
// as they came. Nothing is fetched from an address in a file, and files that are hostile are refused by name.
func TestReadsFiles(t *testing.T) {
	t.Parallel()
	bait := serves(t, func(http.ResponseWriter, *http.Request) {})
	fake := serves(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/audio/transcriptions" {
			fmt.Fprint(w, `{"text":"The slate arrives on Tuesday."}`)
			return
		}
		fmt.Fprint(w, `{"choices":[{"message":{"content":"[page 1]\nQuillworth Roofing, total 48,00 EUR"},"finish_reason":"stop"}]}`)
	})
	s := newShell(t)
	s.env["OPENAI_API_KEY"] = secret
	s.env["TRILITH_MODEL"] = "openai:m?media=image,pages,audio&transcribe=w&key_env=OPENAI_API_KEY&base_url=" + fake.URL + "/v1"
	frame := append([]byte{0xff, 0xfb, 0x90, 0x00}, make([]byte, 413)...)
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	page := scan(bait.URL + "/fetched")
	pdf, mp3 := put("scan.pdf", page), put("memo.mp3", []byte(strings.Repeat(string(frame), 4)))
	s.ok(t, "import", pdf, mp3, "--project", "tower", "--extract", "rules")
	if out := s.ok(t, "call", "media", "--project", "tower"); strings.Count(out, "read") < 2 ||
		strings.Contains(out, "unread") {
		t.Errorf("call media = %s, want both read", out)
	}
	for question, want := range map[string]string{"Quillworth": "48,00 EUR", "slate Tuesday": "The slate arrives"} {
		if out := s.ok(t, "recall", question, "--project", "tower"); !strings.Contains(out, want) {
			t.Errorf("recall %s = %s, want %q", question, out, want)
		}
	}
	var list struct {
		Items []struct{ ID, Name string } `json:"items"`
	}
	if err := json.Unmarshal([]byte(s.ok(t, "call", "media", "--project", "tower", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, f := range list.Items {
		if f.Name != "scan.pdf" {
			continue
		}
		to := filepath.Join(dir, "saved.pdf")
		s.ok(t, "export", "--media", f.ID, to, "--project", "tower")
		if saved, err := os.ReadFile(to); err != nil || string(saved) != string(page) {
			t.Errorf("the saved file has %d bytes, %v; want the %d that were sent", len(saved), err, len(page))
		}
	}
	asked := fake.asked()
	if len(asked) != 2 {
		t.Errorf("the service was asked %d times, want once a file", len(asked))
	}
	large := put("large.png", append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 100<<20)...))
	drawing := put("drawing.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><image href="`+bait.URL+`/svg"/></svg>`))
	disguised := put("photo.png", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><image href="`+bait.URL+`/png"/></svg>`))
	for _, path := range []string{large, disguised, drawing} {
		out, errs, code := s.run(t.Context(), "import", path, "--project", "tower")
		if code == 0 && !strings.Contains(out+errs, "refused") && !strings.Contains(out+errs, "bad") &&
			!strings.Contains(out+errs, "left out") {
			t.Errorf("import %s = %d %s%s, want it refused", filepath.Base(path), code, out, errs)
		}
	}
	if asked := fake.asked(); len(asked) != 2 {
		t.Errorf("the service was asked about hostile files: %d requests", len(asked))
	}
	if got := bait.asked(); len(got) > 0 {
		t.Errorf("an address in a file was fetched: %q", got)
	}
}
