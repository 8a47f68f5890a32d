package transfer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith/internal/transfer"
)

// Captions of both formats are one document, each caption with its time; other lines are left out.
func TestCaptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"a.vtt", "\ufeffWEBVTT - a site meeting\n\nNOTE written by hand\n\nSTYLE\n::cue {color: red}\n\n" +
			"intro\n00:01.000 --> 00:04.500 align:start\n<v.loud Ana Berg>The <b>slab</b> is poured &amp; dry.</v>\n\n" +
			"01:00:05.000 --> 01:00:07.000\nTwo\nlines.\n\n01:00:07.000 --> 01:00:09.000\nTwo lines.\n",
			"[00:01] Ana Berg: The slab is poured & dry.\n[01:00:05] Two lines.\n"},
		{"b.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Grüße</i> {\\an8}aus Bergen\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n\r\n",
			"[00:00:01] Grüße aus Bergen\n"},
		{"no-ending", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHi.\n", "[00:00:01] Hi.\n"},
		{"empty.vtt", "WEBVTT\n\n", ""},
		{"none.srt", "just words\n\nand more\n", ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := transfer.Open(path, "")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := ""
		for item, err := range r.Items() {
			if err == nil {
				got += item.Request.Document.Content
			} else if !strings.Contains(err.Error(), "holds no captions") {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Pictures and recordings are known by their bytes and go to the target as they are, once.
func TestMedia(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	picture := "\x89PNG\r\n\x1a\nrest"
	for name, body := range map[string]string{"a.png": picture, "b.bin": picture, "c.mp3": "ID3\x04rest",
		"d.svg": "<svg/>", "e.png": "no picture"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := transfer.Open(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{}
	report, err := transfer.Run(t.Context(), s, r.Items(), transfer.Options{Workers: 1})
	if err != nil || report.Stored != 1 || report.Duplicates != 2 || len(s.media) != 3 {
		t.Fatalf("Run = %+v, %v with %d files; want three, of which the target has two", report, err, len(s.media))
	}
	if m := s.media[0]; m.Name != "a.png" || string(m.Data) != picture || m.Timestamp == "" {
		t.Errorf("the first file = %s of %d bytes at %q", m.Name, len(m.Data), m.Timestamp)
	}
}
