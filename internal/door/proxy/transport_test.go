package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/door/proxy"
)

// TestTransport: a program's own client gets the memory, and requests without a prompt pass unchanged.
func TestTransport(t *testing.T) {
	t.Parallel()
	x := open(t, says("application/json", chatAnswer))
	x.knows(t, "I moor the boat in Bergen.")
	network := proxy.NewTransport(proxy.Config{Memory: x.engine}, ana)
	client := &http.Client{Transport: network}
	up := x.upURL
	post := func(path, body string) string {
		t.Helper()
		res, err := client.Post(up+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		got, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	const question = `{"messages":[{"role":"user","content":"Where is the boat moored?"}]}`
	if got := post("/v1/chat/completions", question); got != chatAnswer {
		t.Errorf("answer = %q, want that of the upstream", got)
	}
	network.Close()
	if sent := x.up.last(); !strings.Contains(sent, "I moor the boat in Bergen.") ||
		!strings.HasSuffix(sent, `{"role":"user","content":"Where is the boat moored?"}]}`) {
		t.Errorf("sent %s, want the question behind what is known", sent)
	}
	if turns := x.said(t, ana); len(turns) != 2 || turns[0] != "user: Where is the boat moored?" {
		t.Errorf("stored %q, want the question and the answer", turns)
	}
	const other = `{"input":"Where is the boat moored?"}`
	post("/v1/embeddings", other)
	if sent := x.up.last(); sent != other {
		t.Errorf("sent %s, want %s", sent, other)
	}
}
