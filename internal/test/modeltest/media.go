package modeltest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// MediaService is how a provider's service takes files, as its documentation has it.
type MediaService struct {
	// Understand reads a request. A request that the documentation does not allow is an error. Fields that the service
	// has no place for stay empty.
	Understand func(r *http.Request, body []byte) (trilith.MediaRequest, error)
	Answer     func(q trilith.MediaRequest, text string) string
	Open       func(tb testing.TB, baseURL string) role.Model
}

// Media are files that a service is sent: their bytes are not looked at.
var Media = []trilith.MediaRequest{
	{Type: "image/png", Name: "receipt.png", Data: []byte("\x89PNG picture \x00\xff"), Prompt: "Read it."},
	{Type: "image/webp", Name: "site.webp", Data: []byte("RIFF picture"), Prompt: "Read it."},
	{Type: "application/pdf", Name: "scan.pdf", Data: []byte("%PDF- pages"), Prompt: "Read pages 1 and 3."},
	{Type: "audio/mpeg", Name: "memo.mp3", Data: []byte("ID3 sound"), Prompt: "Write down what is said."},
	{Type: "audio/wav", Name: "memo.wav", Data: []byte("RIFF sound"), Prompt: "Write down what is said."},
	{Type: "audio/mp4", Name: "memo.m4a", Data: []byte("ftyp sound"), Prompt: "Write down what is said."},
}

// mediaText is the text that the services of the suite read in every file.
const mediaText = "Total: 48,00 € — größer"

// RunMedia checks a model against the contract of [role.MediaReader].
func RunMedia(t *testing.T, s MediaService) {
	t.Run("Arrives", func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			if t.Failed() {
				t.Log("contract: a file of a kind that the model names arrives whole, others are Unsupported and not sent")
			}
		})
		testMediaArrives(t, s)
	})
	t.Run("Malformed", func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			if t.Failed() {
				t.Log("contract: a request that is malformed or given up sends nothing")
			}
		})
		testMediaMalformed(t, s)
	})
}

// open starts a fake of the service and opens a model of it.
func (s MediaService) open(t *testing.T) (m role.Model, received func() []trilith.MediaRequest) {
	t.Helper()
	var mu sync.Mutex
	var got []trilith.MediaRequest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var q trilith.MediaRequest
		if err == nil {
			q, err = s.Understand(r, body)
		}
		if err != nil {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		mu.Lock()
		got = append(got, q)
		mu.Unlock()
		_, _ = io.WriteString(w, s.Answer(q, mediaText))
	}))
	t.Cleanup(server.Close)
	m = s.Open(t, server.URL)
	t.Cleanup(func() { m.Close() })
	return m, func() []trilith.MediaRequest {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

func mediaRequest(r trilith.MediaRequest) trilith.MediaRequest {
	r.System, r.MaxOutput = "You read files.", 100
	return r
}

func testMediaArrives(t *testing.T, s MediaService) {
	m, received := s.open(t)
	reader := m.(role.MediaReader)
	var spent trilith.Usage
	ctx := trilith.Metered(t.Context(), func(u trilith.Spent) { spent.Add(u.Usage) })
	sent := 0
	for _, r := range Media {
		r = mediaRequest(r)
		a, err := reader.ReadMedia(ctx, r)
		if !slices.Contains(reader.MediaKinds(), trilith.MediaKindOf(r.Type)) {
			if trilith.KindOf(err) != trilith.Unsupported || err == nil {
				t.Errorf("ReadMedia(%s) = %v, want Unsupported", r.Type, err)
			}
			continue
		}
		sent++
		if err != nil || a.Text != mediaText || a.Stop != role.StopEnd || a.Usage.InputTokens == 0 {
			t.Errorf("ReadMedia(%s) = %+v, %v, want what the service answered", r.Type, a, err)
		}
		had := received()
		if len(had) != sent {
			t.Fatalf("%d requests arrived, want %d", len(had), sent)
		}
		last := had[sent-1]
		if last.System == "" { // a service that only transcribes has no place for words
			r.System, r.Prompt, r.MaxOutput = "", "", 0
		}
		last.Name, r.Name = "", ""
		if diff := cmp.Diff(r, last); diff != "" {
			t.Errorf("ReadMedia(%s): what arrived (-sent +received):\n%s", r.Type, diff)
		}
	}
	if sent == 0 || spent.InputTokens == 0 {
		t.Errorf("%d files were sent for %+v, want some, and what they cost", sent, spent)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.ReadMedia(t.Context(), mediaRequest(Media[0])); trilith.KindOf(err) != trilith.Unavailable {
		t.Errorf("ReadMedia after Close = %v, want Unavailable", err)
	}
}

func testMediaMalformed(t *testing.T, s MediaService) {
	m, received := s.open(t)
	reader := m.(role.MediaReader)
	for name, spoil := range map[string]func(*trilith.MediaRequest){
		"no bytes":  func(r *trilith.MediaRequest) { r.Data = nil },
		"no type":   func(r *trilith.MediaRequest) { r.Type = "" },
		"no prompt": func(r *trilith.MediaRequest) { r.Prompt = "" },
	} {
		r := mediaRequest(Media[0])
		spoil(&r)
		if _, err := reader.ReadMedia(t.Context(), r); err == nil || trilith.KindOf(err) != trilith.Invalid ||
			strings.Contains(err.Error(), "receipt") {
			t.Errorf("ReadMedia with %s = %v, want Invalid", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reader.ReadMedia(ctx, mediaRequest(Media[0])); !errors.Is(err, context.Canceled) ||
		len(received()) > 0 {
		t.Errorf("ReadMedia after the caller gave up = %v after %d requests", err, len(received()))
	}
}
