package sqlite

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// written is every form of value that a memory can be stored with.
func written(t *testing.T) []string {
	t.Helper()
	var full more
	n := 0
	fill(reflect.ValueOf(&full).Elem(), &n)
	full.Metadata = map[string]any{"any": []any{"a", 1.5, -2e300, true, false, nil, map[string]any{}, []any{}},
		`a "name"`: "tab\tand <b> & \u2028 and 🙂"}
	bare := more{Fact: &trilith.Fact{}}
	odd := more{Tags: []string{"", "ä", "back\\slash", "\x00", "not \xff UTF-8"},
		Fact: &trilith.Fact{Evidence: []trilith.Evidence{}}}
	var out []string
	for _, x := range []more{{}, full, bare, odd} {
		b, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// Not in the suite: what encoding/json writes is read as it would read it.
func TestDecodeMore(t *testing.T) {
	t.Parallel()
	cases := append(written(t),
		`{"tags":["a"],"unknown":1,"supersedes":["b"]}`, // of a later program
		` { "tags" : [ "a" ] } `, `{"TAGS":["a"]}`, `{"tags":null}`, `{"fact":null}`, `null`,
		`{"tags":["a"]`, `{"tags":["a",]}`, `{"tags":["a"]}}`, `{"tags":["a`, `{"tags":["\q"]}`, `{"tags":"a"}`,
		`{"entry":{"confidence":"1"}}`,
		`{"fact":{"legacy_id":1.5}}`, `{"archived_at":"yesterday"}`, `{"metadata":{"a":tru}}`, `{"metadata":{"a":}}`,
		`{"metadata":{"a":1e999}}`, ``)
	for _, text := range cases {
		var want more
		wantErr := json.Unmarshal([]byte(text), &want)
		got, err := decodeMore(text)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("decodeMore(%s) = %v, encoding/json says %v", text, err, wantErr)
		}
		if diff := cmp.Diff(want, got); diff != "" && err == nil {
			t.Errorf("decodeMore(%s) differs (-encoding/json +decodeMore):\n%s", text, diff)
		}
	}
}

// Not in the suite: a field that the reader does not know is still read, but as slowly as rows of other programs.
func TestDecodeMoreKnowsEveryField(t *testing.T) {
	t.Parallel()
	for _, text := range written(t) {
		r := newMoreReader(text)
		if new(more).read(r); r.failed {
			t.Errorf("the reader does not know what stands in %s", text)
		}
	}
}

func BenchmarkDecodeMore(b *testing.B) {
	text, err := json.Marshal(
		more{Fact: &trilith.Fact{EntityID: "01a20234-ed97-7285-b5aa-843457df821d", Verb: "likes",
			FactID: "Preference:chess", Confidence: .85,
			Node: trilith.Node{Type: "Preference", Name: "chess"},
			Evidence: []trilith.Evidence{
				{EpisodeID: "01a20234-ed91-751b-8e0f-e5aad409c474", Quote: "I love chess.", End: 13,
					Confidence: .85}}}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeMore(string(text)); err != nil {
			b.Fatal(err)
		}
	}
}
