// Package hubtest is a hub of models in the process of a test, with the other host behind it that sends large files,
// and with a way to make either of them misbehave.
package hubtest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The hub holds one repository at one commit.
const (
	Repository = "toy/encoder"
	Revision   = "0123456789abcdef0123456789abcdef01234567"
)

// Request is a request that arrived.
type Request struct {
	CDN           bool // of the host behind the hub
	Path          string
	Range         string
	IfRange       string
	Authorization string
}

// Hub answers as a hub does. Its files may be changed before it is asked.
type Hub struct {
	URL   string            // of the hub; on loopback
	Files map[string][]byte // of the repository by their paths

	hub, cdn *httptest.Server
	mu       sync.Mutex
	hears    func(w http.ResponseWriter, r *http.Request, cdn bool) bool
	requests []Request
	sent     int64
}

// Start starts a hub that holds a toy of a model: it has the files of one, and weights of size bytes that mean nothing.
func Start(size int) *Hub {
	weights := make([]byte, size)
	chacha := rand.NewChaCha8([32]byte{1})
	_, _ = chacha.Read(weights) // never fails
	h := &Hub{Files: map[string][]byte{
		"README.md":             []byte("# A toy\n"),
		"config.json":           []byte(`{"model_type": "bert"}`),
		"tokenizer.json":        []byte(`{"version": "1.0"}`),
		"tokenizer_config.json": []byte(`{"do_lower_case": true}`),
		"vocab.txt":             []byte("[PAD]\n[UNK]\n"),
		"1_Pooling/config.json": []byte(`{"pooling_mode_mean_tokens": true}`),
		"model.safetensors":     weights,
		"pytorch_model.bin":     []byte("pickled"),
	}}
	h.cdn = httptest.NewServer(h.counted(true, http.HandlerFunc(h.object)))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models/"+Repository+"/revision/{revision}", h.about)
	mux.HandleFunc("GET /api/models/"+Repository+"/tree/{revision}", h.tree)
	mux.HandleFunc("GET /"+Repository+"/resolve/{revision}/{path...}", h.resolve)
	h.hub = httptest.NewUnstartedServer(h.counted(false, mux))
	h.URL = "http://" + h.hub.Listener.Addr().String() // before anybody can ask
	h.hub.Start()
	return h
}

// Close stops both hosts.
func (h *Hub) Close() {
	h.hub.CloseClientConnections()
	h.cdn.CloseClientConnections()
	h.hub.Close()
	h.cdn.Close()
}

// CDN returns the address of the host behind the hub.
func (h *Hub) CDN() string { return h.cdn.URL }

// Requests returns the requests so far.
func (h *Hub) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// Sent returns how many bytes of files the host behind the hub has sent so far.
func (h *Hub) Sent() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sent
}

// Break lets f hear of each request first, until another does; nil: none. f answers true if it has answered itself.
func (h *Hub) Break(f func(w http.ResponseWriter, r *http.Request, cdn bool) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hears = f
}

// Cut makes the host behind the hub break the connection of its next answer after so many bytes of the weights.
func (h *Hub) Cut(after int) {
	once := true
	h.Break(func(w http.ResponseWriter, _ *http.Request, cdn bool) bool {
		if !cdn || !once {
			return false
		}
		once = false
		data := h.Files["model.safetensors"]
		w.Header().Set("ETag", `"`+SHA256(data)+`"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data[:after])
		_ = http.NewResponseController(w).Flush() // a failure to flush is a cut too
		panic(http.ErrAbortHandler)
	})
}

// counted notes requests, and bytes of bodies.
func (h *Hub) counted(cdn bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.requests = append(h.requests,
			Request{CDN: cdn, Path: r.URL.Path, Range: r.Header.Get("Range"), IfRange: r.Header.Get("If-Range"),
				Authorization: r.Header.Get("Authorization")})
		hears := h.hears
		h.mu.Unlock()
		if cdn {
			w = &counter{w, h}
		}
		if hears == nil || !hears(w, r, cdn) {
			next.ServeHTTP(w, r)
		}
	})
}

type counter struct {
	http.ResponseWriter
	hub *Hub
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.hub.mu.Lock()
	c.hub.sent += int64(n)
	c.hub.mu.Unlock()
	return n, err
}

// Unwrap lets http.NewResponseController find the writer below.
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// known answers 404 for every revision but the commit; main is a branch that leads to it.
func known(w http.ResponseWriter, r *http.Request) bool {
	if revision := r.PathValue("revision"); revision == Revision || revision == "main" {
		return true
	}
	http.Error(w, "Revision not found", http.StatusNotFound)
	return false
}

func (h *Hub) about(w http.ResponseWriter, r *http.Request) {
	if known(w, r) {
		_ = json.NewEncoder(w).Encode(
			map[string]any{"id": Repository, "sha": Revision, "cardData": map[string]any{"license": "apache-2.0"}})
	}
}

// Entry is a line of a listing.
type Entry struct {
	Type string `json:"type"`
	Path string `json:"path"`
	OID  string `json:"oid"`
	Size int    `json:"size"`
	LFS  *LFS   `json:"lfs,omitempty"`
}

// LFS is the entry of a large file in a listing.
type LFS struct {
	OID  string `json:"oid"`
	Size int    `json:"size"`
}

func large(path string) bool {
	return strings.HasSuffix(path, ".safetensors") || strings.HasSuffix(path, ".bin")
}

// Listing returns the content of the repository, as the hub lists it.
func (h *Hub) Listing() []Entry {
	entries := []Entry{{Type: "directory", Path: "1_Pooling", OID: Revision}}
	for _, path := range slices.Sorted(maps.Keys(h.Files)) {
		data := h.Files[path]
		blob := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
		e := Entry{Type: "file", Path: path, OID: hex.EncodeToString(blob[:]), Size: len(data)}
		if large(path) {
			e.LFS = &LFS{OID: SHA256(data), Size: len(data)}
		}
		entries = append(entries, e)
	}
	return entries
}

// SHA256 is the hash of data in hexadecimal digits.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tree lists two entries a page, so that a client that reads only the first finds no model.
func (h *Hub) tree(w http.ResponseWriter, r *http.Request) {
	if !known(w, r) {
		return
	}
	entries, first := h.Listing(), 0
	_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &first) // absent: the first page
	last := min(first+2, len(entries))
	if last < len(entries) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?recursive=true&cursor=%d>; rel="next"`, h.URL, r.URL.Path, last))
	}
	_ = json.NewEncoder(w).Encode(entries[first:last])
}

// resolve sends small files, and says where large ones are.
func (h *Hub) resolve(w http.ResponseWriter, r *http.Request) {
	if !known(w, r) {
		return
	}
	path := r.PathValue("path")
	data, ok := h.Files[path]
	switch {
	case !ok:
		http.Error(w, "Entry not found", http.StatusNotFound)
	case large(path):
		http.Redirect(w, r, h.cdn.URL+"/objects/"+path+"?Signature=private", http.StatusFound)
	default:
		send(w, r, data)
	}
}

func (h *Hub) object(w http.ResponseWriter, r *http.Request) {
	send(w, r, h.Files[strings.TrimPrefix(r.URL.Path, "/objects/")])
}

// send answers with data, or with the requested range if the caller already has the beginning of the same data.
func send(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("ETag", `"`+SHA256(data)+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}
