package mcpserver

import (
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestCodes: every kind of error has a code of JSON-RPC.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, k := range trilith.ErrorKinds() {
		if codes[k] >= 0 {
			t.Errorf("codes[%v] = %d, want one of JSON-RPC", k, codes[k])
		}
	}
	if len(codes) != len(trilith.ErrorKinds()) {
		t.Errorf("codes has %d kinds, want %d", len(codes), len(trilith.ErrorKinds()))
	}
}

// FuzzCanonicalURI: any input becomes a URI that a template can match and JSON can contain.
func FuzzCanonicalURI(f *testing.F) {
	for _, uri := range []string{"memory://search?q=where does Ana live&limit=5", "memory://search?q=50%&a=b&q=c+d",
		"memory://item/é%2F\xff", "x", ""} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		once := canonicalURI(uri)
		for i := range len(once) {
			if c := once[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
				t.Fatalf("canonicalURI(%q) = %q holds %q", uri, once, c)
			}
		}
	})
}
