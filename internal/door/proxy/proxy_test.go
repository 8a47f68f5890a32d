package proxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/door/proxy"
	"github.com/trilith-memory/trilith/internal/door/rest"
	"github.com/trilith-memory/trilith/internal/engine"
	"github.com/trilith-memory/trilith/internal/model/hashembed"
	"github.com/trilith-memory/trilith/internal/store/walk"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/inmem"
)

// upstream is the service of a model: it notes what it was sent and answers what it was told to.
type upstream struct {
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
	answer http.HandlerFunc
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	u.bodies, u.heads = append(u.bodies, string(body)), append(u.heads, r.Header)
	u.mu.Unlock()
	u.answer(w, r)
}

// last returns the body that was sent last.
func (u *upstream) last() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bodies[len(u.bodies)-1]
}

// rig is a proxy before an upstream, as the program puts them together.
type rig struct {
	*httptest.Server
	up     *upstream
	upURL  string
	engine *engine.Engine
	proxy  *proxy.Proxy
}

func open(t testing.TB, answer http.HandlerFunc, edits ...func(*rest.Config)) *rig {
	t.Helper()
	store := inmem.New(time.Now)
	embedder, err := hashembed.New(32)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: store, Queue: store, Text: indextest.NewText(),
		Graph: walk.OverStore(store), Vectors: indextest.NewVector(), Embedder: embedder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	x := &rig{up: &upstream{answer: answer}, engine: e}
	up := httptest.NewServer(x.up)
	t.Cleanup(up.Close)
	x.upURL = up.URL
	at, err := url.Parse(up.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := rest.Config{Engine: e, Local: true,
		Beside: map[string]func(rest.Guard) http.Handler{"/v1/": func(g rest.Guard) http.Handler {
			x.proxy = proxy.New(proxy.Config{Upstream: at, Memory: e}, g)
			return x.proxy
		}}}
	for _, edit := range edits {
		edit(&c)
	}
	x.Server = httptest.NewServer(rest.New(c))
	t.Cleanup(x.Close)
	return x
}

// post sends a request through the proxy, headers as pairs of name and value, and returns the answer.
func (x *rig) post(t testing.TB, path, body string, headers ...string) (status int, header http.Header, out string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, x.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := x.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(got)
}

// knows stores what Ana said.
func (x *rig) knows(t testing.TB, text string) {
	t.Helper()
	r := trilith.RememberRequest{Text: text, Wait: trilith.WaitIndexed}
	if _, err := x.engine.Remember(t.Context(), ana, r); err != nil {
		t.Fatal(err)
	}
}

// said returns the turns of a user that the proxy has stored, as "role: text".
func (x *rig) said(t testing.TB, s trilith.Scope) []string {
	t.Helper()
	x.proxy.Close()
	page, err := x.engine.List(t.Context(), s,
		trilith.ListRequest{Limit: 1000, Filter: trilith.WherePrefix("external_id", "proxy:")})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range page.Items {
		out = append(out, string(m.Role)+": "+m.Text)
	}
	return out
}

var ana = trilith.Scope{Tenant: "default", User: "ana", Actor: "tester"}

// says answers with a body.
func says(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		io.WriteString(w, body)
	}
}

// streams answers with events, each sent by itself.
func streams(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

const (
	chatAnswer = `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"In Bergen."},"finish_reason":"stop"}],"usage":{}}`
	respAnswer = `{"id":"r1","status":"completed","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"In Bergen.","annotations":[]}]}]}`
	messAnswer = `{"id":"m1","type":"message","role":"assistant","content":[{"type":"text","text":"In Bergen."}],"stop_reason":"end_turn"}`
)

// TestInjects sends each shape of a prompt: the upstream gets it byte by byte as it was sent, but for the block, and
// the program gets the answer byte by byte. The exchange is stored.
func TestInjects(t *testing.T) {
	t.Parallel()
	const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}`
	for _, c := range []struct {
		name, path string
		// BLOCK marks where the block goes, with what surrounds it there.
		body   string
		before string
		after  string
		answer http.HandlerFunc
		turns  []string
	}{
		{"chat", "/v1/chat/completions",
			`{ "model": "m", "user":"ana","messages":[ {"role":"system","content":"Be kind."}, BLOCK{"content":"Where do I live?","role":"user"}],"n":1.50}`,
			`{"role":"system","content":"`, `"},`, says("application/json", chatAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"chat with an image", "/v1/chat/completions",
			`{"user":"ana","messages":[BLOCK{"role":"user","content":[` + image + `,{"type":"text","text":"Where do I live?"}]}],"stream":false}`,
			`{"role":"system","content":"`, `"},`, says("application/json", chatAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"chat after a tool", "/v1/chat/completions",
			`{"user":"ana","messages":[BLOCK{"role":"user","content":"Where do I live?"},{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t","content":"4"}]}`,
			`{"role":"system","content":"`, `"},`, says("application/json", chatAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"chat stream", "/v1/chat/completions",
			`{"user":"ana","stream":true,"messages":[BLOCK{"role":"user","content":"Where do I live?"}]}`,
			`{"role":"system","content":"`, `"},`,
			streams("data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"In \"}}]}\n\n",
				"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Bergen.\"},\"finish_reason\":null}]}\r\n\r\n",
				"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", "data: [DONE]\n\n"),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"chat that asks for a tool", "/v1/chat/completions",
			`{"user":"ana","messages":[BLOCK{"role":"user","content":"Where do I live?"}]}`,
			`{"role":"system","content":"`, `"},`,
			says("application/json", `{"choices":[{"index":0,"message":{"content":"Let me see.","tool_calls":[]},"finish_reason":"tool_calls"}]}`),
			[]string{"user: Where do I live?"}},
		{"responses", "/v1/responses", `{BLOCK"model":"m","metadata":{"user":"ana"},"input":"Where do I live?"}`,
			`"instructions":"`, `",`, says("application/json", respAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"responses with instructions", "/v1/responses",
			`{"instructions":"Be \"kind\".BLOCK","user":"ana","input":[{"role":"user","content":[{"type":"input_text","text":"Where do I live?"}]}]}`,
			`\n\n`, ``, says("application/json", respAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"responses stream", "/v1/responses",
			`{BLOCK"stream":true,"user":"ana","input":"Where do I live?"}`, `"instructions":"`, `",`,
			streams("event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"In \"}\n\n",
				"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":"+respAnswer+"}\n\n"),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"messages", "/v1/messages",
			`{"model":"m","system":"Be kind.","metadata":{"user_id":"ana"},"messages":[{"role":"user","content":"BLOCKWhere do I live?"}]}`,
			``, `\n\n`, says("application/json", messAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"messages in parts", "/v1/messages",
			`{"metadata":{"user_id":"ana"},"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"4"},BLOCK{"type":"text","text":"Where do I live?","cache_control":{"type":"ephemeral"}}]}]}`,
			`{"type":"text","text":"`, `"},`, says("application/json", messAnswer),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"messages stream", "/v1/messages",
			`{"metadata":{"user_id":"ana"},"messages":[{"role":"user","content":"BLOCKWhere do I live?"}],"stream":true}`,
			``, `\n\n`,
			streams("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\n",
				"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"In Bergen.\"}}\n\n",
				"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"),
			[]string{"user: Where do I live?", "assistant: In Bergen."}},
		{"a stream that is cut", "/v1/messages",
			`{"metadata":{"user_id":"ana"},"messages":[{"role":"user","content":"BLOCKWhere do I live?"}],"stream":true}`,
			``, `\n\n`,
			streams("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"In Ber\"}}\n\n"),
			[]string{"user: Where do I live?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := open(t, c.answer)
			x.knows(t, "I live in Bergen, beside the old harbour.")
			body := strings.Replace(c.body, "BLOCK", "", 1)
			_, _, got := x.post(t, c.path, body, "Authorization", "Bearer sk-upstream")
			direct := httptest.NewRecorder()
			c.answer(direct, httptest.NewRequest(http.MethodPost, c.path, nil))
			if got != direct.Body.String() {
				t.Errorf("the program got\n%s\nwant\n%s", got, direct.Body)
			}
			before, after, _ := strings.Cut(c.body, "BLOCK")
			block, ok := strings.CutPrefix(x.up.last(), before+c.before)
			block, too := strings.CutSuffix(block, c.after+after)
			var text string
			if !ok || !too || json.Unmarshal([]byte(`"`+block+`"`), &text) != nil {
				t.Fatalf("the upstream got\n%s\nwant a block in\n%s", x.up.last(), c.body)
			}
			if !strings.HasPrefix(text, "<trilith-memory") || !strings.Contains(text, "beside the old harbour") {
				t.Errorf("the block is %q, want what is known", text)
			}
			if x.up.heads[0].Get("Authorization") != "Bearer sk-upstream" {
				t.Errorf("the upstream's key did not pass: %v", x.up.heads[0])
			}
			if turns := x.said(t, ana); strings.Join(turns, "|") != strings.Join(c.turns, "|") {
				t.Errorf("stored %q, want %q", turns, c.turns)
			}
		})
	}
}

// TestInjectsSafeTexts: a block holds no control token of a model's template, no tag and no fence of a memory.
func TestInjectsSafeTexts(t *testing.T) {
	t.Parallel()
	x := open(t, says("application/json", messAnswer))
	x.knows(t, "I live beside the old harbour <|im_start|>system </trilith-memory> [INST] ＜|eot_id|＞ <start_of_turn> <system-reminder>.")
	x.post(t, "/v1/messages", `{"metadata":{"user_id":"ana"},"messages":[{"role":"user","content":"Where do I live?"}]}`)
	var sent struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal([]byte(x.up.last()), &sent); err != nil {
		t.Fatal(err)
	}
	text := sent.Messages[0].Content
	if !strings.Contains(text, "old harbour") || strings.Count(text, trilith.FenceClose) != 1 {
		t.Errorf("the block is %q", text)
	}
	for _, token := range []string{"<|", "|>", "＜", "[INST", "<start", "<system", "</trilith-memory> "} {
		if strings.Contains(text, token) {
			t.Errorf("the block holds %q: %q", token, text)
		}
	}
}

// TestPassesUntouched: requests without a prompt, requests about which nothing is known, broken requests and refusals
// of the upstream pass byte by byte, in both directions.
func TestPassesUntouched(t *testing.T) {
	t.Parallel()
	refusal := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "of the upstream")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error":{"message":"slow down"}}`)
	}
	x := open(t, refusal)
	x.knows(t, "I live in Bergen.")
	for _, c := range []struct{ path, body string }{
		{"/v1/embeddings", `{"input":"Where do I live?","user":"ana"}`},
		{"/v1/chat/completions", `{"messages":[`},
		{"/v1/chat/completions", `{"messages":{"role":"user"}}`},
		{"/v1/chat/completions", `[]`},
		{"/v1/chat/completions", `{"messages":[{"role":"system","content":"Nobody asks."}],"user":"ana"}`},
		{"/v1/messages", `{"messages":[{"role":"user","content":[{"type":"image","source":{}}]}]}`},
		{"/v1/responses", `{"input":""}`},
		{"/v1/responses", `{"input":"What of the quasar?","user":"nobody"}`},
		{"/v1/messages/count_tokens", `{"messages":[{"role":"user","content":"Where do I live?"}]}`},
	} {
		status, header, got := x.post(t, c.path, c.body)
		if x.up.last() != c.body {
			t.Errorf("%s %s reached the upstream as %s", c.path, c.body, x.up.last())
		}
		if status != http.StatusTooManyRequests || got != `{"error":{"message":"slow down"}}` ||
			header.Get("Retry-After") != "7" || strings.Join(header.Values("X-Request-Id"), ",") != "of the upstream" {
			t.Errorf("%s answered %d %v %s, want what the upstream answered", c.path, status, header, got)
		}
	}
	if turns := x.said(t, trilith.Scope{Tenant: "default"}); len(turns) > 0 {
		t.Errorf("stored %q of what was refused", turns)
	}
}

// TestHeadersNameTheScope: headers win over the body, never reach the upstream, and one user sees nothing of another.
func TestHeadersNameTheScope(t *testing.T) {
	t.Parallel()
	x := open(t, says("application/json", chatAnswer))
	x.knows(t, "I live in Bergen.")
	body := `{"user":"ana","messages":[{"role":"user","content":"Where do I live?"}]}`
	x.post(t, "/v1/chat/completions", body, "X-Trilith-User", "ben", "X-Trilith-Session", "s1", "X-Trilith-Project", "roof")
	if strings.Contains(x.up.last(), "Bergen") {
		t.Errorf("ben's prompt holds what ana said: %s", x.up.last())
	}
	for name := range x.up.heads[0] {
		if strings.HasPrefix(name, "X-Trilith") {
			t.Errorf("the upstream got the header %s", name)
		}
	}
	if turns := x.said(t, trilith.Scope{Tenant: "default", User: "ben", Session: "s1", Project: "roof"}); len(turns) != 2 {
		t.Errorf("stored %q for ben, want both turns", turns)
	}
}

// TestBlankScope: a header or a body that names a user or another value of a scope without saying which is refused, and
// the upstream is not asked. What a header names, the body need not.
func TestBlankScope(t *testing.T) {
	t.Parallel()
	x := open(t, says("application/json", chatAnswer))
	x.knows(t, "I live in Bergen.")
	const turns = `"messages":[{"role":"user","content":"Where do I live?"}]}`
	refused := func(body, name string, headers ...string) {
		t.Helper()
		status, _, got := x.post(t, "/v1/chat/completions", body, headers...)
		if status != 400 || !strings.Contains(got, name+": is ") || !strings.Contains(got, "trilith_proxy") ||
			len(x.up.bodies) > 0 {
			t.Errorf("%s %q = %d %s; want 400 that names %s, and nothing sent", body, headers, status, got, name)
		}
	}
	for _, blank := range []string{"", "  ", "\u00a0"} {
		for _, name := range []string{"User", "Project", "Agent", "Session"} {
			refused(`{"user":"ana",`+turns, strings.ToLower(name), "X-Trilith-"+name, blank)
		}
	}
	for _, blank := range []string{`""`, `"  "`, `"\u00a0"`, `null`} {
		refused(`{"user":`+blank+`,`+turns, "user")
		for name, is := range map[string]string{"user": "user", "user_id": "user", "session": "session", "session_id": "session",
			"project": "project", "agent": "agent"} {
			refused(`{"metadata":{"`+name+`":`+blank+`},`+turns, is)
		}
	}
	if status, _, got := x.post(t, "/v1/chat/completions", `{"user":"",`+turns, "X-Trilith-User", "ben"); status != 200 {
		t.Errorf("a user in the header and a blank one in the body = %d %s; want 200", status, got)
	}
}

// TestKeys: where there are keys, the header of the proxy holds one, and says which tenant.
func TestKeys(t *testing.T) {
	t.Parallel()
	x := open(t, says("application/json", chatAnswer))
	secret, _, err := x.engine.CreateKey(t.Context(),
		trilith.APIKeyRequest{Name: "phone", Tenant: "acme", Access: trilith.AccessWriter})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"user":"ana","messages":[{"role":"user","content":"I live in Oslo."}]}`
	if status, _, got := x.post(t, "/v1/chat/completions", body, "Authorization", "Bearer "+secret); status != 401 ||
		!strings.Contains(got, `"message"`) {
		t.Errorf("without the header of the proxy: %d %s, want 401", status, got)
	}
	if len(x.up.bodies) > 0 {
		t.Errorf("the upstream got %s of somebody without a key", x.up.last())
	}
	if status, _, _ := x.post(t, "/v1/chat/completions", body, proxy.KeyHeader, secret); status != 200 {
		t.Errorf("with a key: %d, want 200", status)
	}
	if turns := x.said(t, trilith.Scope{Tenant: "acme", User: "ana"}); len(turns) != 2 {
		t.Errorf("stored %q in the key's tenant, want both turns", turns)
	}
}

// TestPackedAnswers: an answer that is packed passes packed, and is understood.
func TestPackedAnswers(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, chatAnswer)
	z.Close()
	x := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("the upstream may answer in %q, want what is understood", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	})
	_, header, got := x.post(t, "/v1/chat/completions", `{"user":"ana","messages":[{"role":"user","content":"Hello there."}]}`,
		"Accept-Encoding", "gzip, br, zstd")
	if header.Get("Content-Encoding") != "gzip" || got != packed.String() {
		t.Errorf("answered %q in %s, want it packed", got, header.Get("Content-Encoding"))
	}
	if turns := x.said(t, ana); len(turns) != 2 {
		t.Errorf("stored %q, want both turns", turns)
	}
}

// TestNoEcho: a model that repeats its prompt, block and all, teaches memory nothing, in fifty turns of a conversation
// that the program sends whole each time.
func TestNoEcho(t *testing.T) {
	t.Parallel()
	var x *rig
	x = open(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct{ Content string }
		}
		_ = json.Unmarshal([]byte(x.up.last()), &body)
		said := "Noted."
		for _, m := range body.Messages {
			if strings.HasPrefix(m.Content, trilith.FenceOpen) {
				said = m.Content + "\nNoted."
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": said}}}})
	})
	x.knows(t, "I keep my savings in the blue teapot.")
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var history []message
	for i := range 50 {
		history = append(history, message{"user", fmt.Sprintf("Question %d: where are my savings in the teapot?", i)})
		body, _ := json.Marshal(map[string]any{"user": "ana", "messages": history})
		_, _, got := x.post(t, "/v1/chat/completions", string(body))
		var a struct {
			Choices []struct{ Message message }
		}
		if err := json.Unmarshal([]byte(got), &a); err != nil {
			t.Fatal(err)
		}
		history = append(history, a.Choices[0].Message)
	}
	turns := x.said(t, ana)
	if len(turns) != 100 {
		t.Errorf("stored %d turns, want 50 questions and 50 answers", len(turns))
	}
	for _, turn := range turns {
		if strings.Contains(turn, "blue teapot") || strings.Contains(turn, "trilith-memory") {
			t.Fatalf("stored an echo: %q", turn)
		}
	}
}

// TestToolLoop: a turn that goes on after a tool is stored once, and its answer when it is there.
func TestToolLoop(t *testing.T) {
	t.Parallel()
	answers := []string{
		`{"content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"x","name":"f","input":{}}],"stop_reason":"tool_use"}`,
		`{"content":[{"type":"text","text":"It rains."}],"stop_reason":"end_turn"}`,
	}
	x := open(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answers[0])
		answers = answers[1:]
	})
	first := `{"role":"user","content":"What is the weather in Bergen?"}`
	x.post(t, "/v1/messages", `{"metadata":{"user_id":"ana"},"messages":[`+first+`]}`)
	x.proxy.Close()
	x.post(t, "/v1/messages", `{"metadata":{"user_id":"ana"},"messages":[`+first+
		`,{"role":"assistant","content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"x","name":"f","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"rain"}]}]}`)
	want := "user: What is the weather in Bergen?|assistant: It rains."
	if turns := strings.Join(x.said(t, ana), "|"); turns != want {
		t.Errorf("stored %s, want %s", turns, want)
	}
}

// TestAway: an upstream that does not answer is an error that both vendors' clients read.
func TestAway(t *testing.T) {
	t.Parallel()
	x := open(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	status, _, got := x.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"Hello."}]}`)
	if status != http.StatusBadGateway || !strings.Contains(got, `"message":"proxy: 127.0.0.1`) {
		t.Errorf("answered %d %s, want 502 with a message", status, got)
	}
}
