package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/transfer"
)

// chat is a conversation of a Claude export with one message; the mark is inside it.
func chat(id, mark string) string {
	return fmt.Sprintf(`{"uuid": %q, "created_at": "2025-01-01T00:00:00Z", "chat_messages": [{"uuid": "m", "sender": "human", "text": "%s"}]}`, id, mark)
}

// An error in a file costs only the element that contains it. Everything before it is imported.
func TestFaultsOfListsCostNoOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, file string
		sessions  []string
		bad       []string // places, and the beginnings of reasons
	}{
		{"a list", "[" + chat("a", "x") + ",\n" + chat("b", "x") + "]", []string{"a", "b"}, nil},
		{"values after each other", chat("a", "x") + "\n" + chat("b", "x") + chat("c", "x"),
			[]string{"a", "b", "c"}, nil},
		{"a mark of the byte order", "\xef\xbb\xbf[" + chat("a", "x") + "]", []string{"a"}, nil},
		{"brackets and quotes inside texts", "[" + chat("a", `]}{[ \" \\`) + "," + chat("b", `\\\"]`) + "]",
			[]string{"a", "b"}, nil},
		{"nothing", "", nil, []string{"1: holds no JSON"}},
		{"an empty list", "[]\n", nil, nil},
		{"wrong inside", "[" + chat("a", "x") + ",\n{\"uuid\": oops},\n" + chat("b", "x") + "]", []string{"a", "b"},
			[]string{"2: item: invalid character 'o'"}},
		{"cut off inside", "[" + chat("a", "x") + ",\n" + chat("b", "x")[:30], []string{"a"},
			[]string{"2: the file ends in the middle"}},
		{"cut off between", "[" + chat("a", "x") + ",\n", []string{"a"}, []string{"2: the list ends too early"}},
		{"no conversations", "[1, \"two\", null, [3]]", nil,
			[]string{"1: item: number", "1: item: string", "1: item: is no object", "1: item: array"}},
		{"a bracket too many", "[" + chat("a", "x") + "},\n" + chat("b", "x") + "]", []string{"a", "b"},
			[]string{"1: does not belong between the items"}},
		{"something behind the end", "[" + chat("a", "x") + "]\nand more", []string{"a"},
			[]string{"2: does not belong", "2: does not belong"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			items, err := transfer.Read("f", transfer.Claude, strings.NewReader(c.file))
			if err != nil {
				t.Fatal(err)
			}
			var sessions, bad []string
			for item, err := range items {
				if err != nil {
					bad = append(bad, strings.TrimPrefix(err.Error(), "f:"))
					continue
				}
				sessions = append(sessions, item.Scope.Session)
			}
			if !slices.Equal(sessions, c.sessions) || !slices.EqualFunc(bad, c.bad, strings.HasPrefix) {
				t.Errorf("Read(%q) yields the sessions %q and the errors %q, want %q and %q", c.file, sessions, bad,
					c.sessions, c.bad)
			}
		})
	}
}

// However the bytes come, the items are the same.
func TestListsInPieces(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 50 {
		list = append(list, chat(fmt.Sprint("c", i), strings.Repeat(`\"]\\é`, i)))
	}
	file := "[" + strings.Join(list, ",\n") + "]"
	read := func(r io.Reader) string {
		items, err := transfer.Read("f", transfer.Claude, r)
		if err != nil {
			t.Fatal(err)
		}
		return render(t, "", items)
	}
	want := read(strings.NewReader(file))
	for _, n := range []int{1, 2, 7, 100} {
		if diff := cmp.Diff(want, read(&choppy{strings.NewReader(file), n})); diff != "" {
			t.Errorf("in pieces of %d bytes (-whole +pieces):\n%s", n, diff)
		}
	}
}

// choppy reads a few bytes at a time.
type choppy struct {
	r io.Reader
	n int
}

func (c *choppy) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }

// A message that is too long to be a memory becomes several, and no character is lost or cut.
func TestLongMessagesArePieced(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("é", trilith.MaxTextBytes),
		strings.Repeat("A line.\n", trilith.MaxTextBytes/4)} {
		items, err := transfer.Read(
			"f", transfer.Claude, strings.NewReader("["+chat("a", strings.ReplaceAll(text, "\n", `\n`))+"]"))
		if err != nil {
			t.Fatal(err)
		}
		var joined strings.Builder
		ids := map[string]bool{}
		for item, err := range items {
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range item.Request.Messages {
				if len(m.Content) > trilith.MaxTextBytes || ids[m.ExternalID] ||
					strings.ToValidUTF8(m.Content, "") != m.Content {
					t.Errorf("a piece of %d bytes with the id %q, want at most %d, an id of its own and whole characters", len(m.Content), m.ExternalID, trilith.MaxTextBytes)
				}
				ids[m.ExternalID] = true
				joined.WriteString(m.Content)
			}
		}
		if joined.String() != text || len(ids) < 2 {
			t.Errorf("%d pieces hold %d bytes, want several and %d", len(ids), joined.Len(), len(text))
		}
	}
}

// chatGPTFile writes an export of about size bytes as it is read, so that the file itself takes no memory.
type chatGPTFile struct {
	r    *rand.Rand
	size int64
	n    int
	buf  bytes.Buffer
	done bool
}

func newChatGPTFile(size int64) *chatGPTFile {
	f := &chatGPTFile{r: rand.New(rand.NewPCG(1, 2)), size: size}
	f.buf.WriteString("[")
	return f
}

func (f *chatGPTFile) Read(p []byte) (int, error) {
	for f.buf.Len() == 0 {
		switch {
		case f.done:
			return 0, io.EOF
		case f.size <= 0:
			f.buf.WriteString("]")
			f.done = true
		default:
			f.conversation()
		}
	}
	n, err := f.buf.Read(p)
	f.size -= int64(n)
	return n, err
}

func (f *chatGPTFile) conversation() {
	if f.n > 0 {
		f.buf.WriteString(",")
	}
	f.n++
	fmt.Fprintf(&f.buf, `{"title":"Conversation %d","create_time":1741600000,"mapping":{"n0":{"id":"n0","message":null,"parent":null,"children":["n1"]}`, f.n)
	turns := 4 + f.r.IntN(60)
	for i := 1; i <= turns; i++ {
		role := "user"
		if i%2 == 0 {
			role = "assistant"
		}
		text := strings.Repeat("The hives behind the chapel are \\\"heavier\\\" than in spring.\\n", 1+f.r.IntN(20))
		fmt.Fprintf(&f.buf, `,"n%d":{"id":"n%d","parent":"n%d","children":["n%d"],"message":{"id":"%d-%d","author":{"role":%q,"name":null,"metadata":{}},"create_time":%d.5,`+
			`"update_time":null,"content":{"content_type":"text","parts":["%s"]},"status":"finished_successfully","end_turn":true,"weight":1.0,`+
			`"metadata":{"request_id":"r","message_source":null,"timestamp_":"absolute","model_slug":"m"},"recipient":"all","channel":null}}`,
			i, i, i-1, i+1, f.n, i, role, 1741600000+i, text)
	}
	fmt.Fprintf(&f.buf, `},"moderation_results":[],"current_node":"n%d","conversation_id":"c%d","id":"c%d"}`,
		turns, f.n, f.n)
}

// readAll reads an export of a size and returns how many messages it holds and the most memory that was in use.
func readAll(tb testing.TB, size int64) (messages int, peak uint64) {
	tb.Helper()
	items, err := transfer.Read("-", transfer.ChatGPT, newChatGPTFile(size))
	if err != nil {
		tb.Fatal(err)
	}
	n := 0
	for item, err := range items {
		if err != nil {
			tb.Fatal(err)
		}
		messages += len(item.Request.Messages)
		if n++; n%200 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	return messages, peak
}

// Memory does not grow with the file.
func TestExportsAreStreamed(t *testing.T) {
	const size, limit = 24 << 20, 12 << 20
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	messages, peak := readAll(t, size)
	if used := int64(peak) - int64(before.HeapAlloc); messages == 0 || used > limit {
		t.Errorf("reading %d messages of %d bytes holds up to %d bytes, want at most %d", messages, size, used, limit)
	}
}

func BenchmarkReadChatGPT_100MB(b *testing.B) {
	const size = 100 << 20
	b.SetBytes(size)
	b.ReportAllocs()
	var peak atomic.Uint64
	for b.Loop() {
		messages, p := readAll(b, size)
		if messages == 0 {
			b.Fatal(errors.New("no messages"))
		}
		peak.Store(max(peak.Load(), p))
	}
	b.ReportMetric(float64(peak.Load())/(1<<20), "peak-MB")
}
