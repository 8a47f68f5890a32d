package assemble

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

// TestParts: the parts of a block are its text without a gap, each hit in it is a part of its own, what came with a hit
// names it, every other hit is among those left out, and asking for parts changes nothing else.
func TestParts(t *testing.T) {
	t.Parallel()
	said := sample()
	said[1].Facts = []trilith.Memory{sampleFacts()[0].Memory}
	twice := said[0]
	twice.Memory.ID, twice.Score = trilith.DeriveID("twice"), 0.1
	said = append(said, twice)
	for _, format := range trilith.ContextFormats() {
		for _, budget := range []int{60, 90, 150, 400, 1500} {
			hits := said
			o := Options{Format: format, Budget: budget, Query: "Where does Ana live?", Total: 3}
			if format == trilith.FormatFacts {
				hits, o.Todo = sampleFacts(), []Action{{Memory: sampleFacts()[0].Memory, Whose: "Ana"}}
			}
			plain, err := Build(hits, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Parts = true
			got, err := Build(hits, o)
			if err != nil {
				t.Fatal(err)
			}
			checkParts(t, got, hits)
			got.Parts, got.LeftOut = nil, nil
			if diff := cmp.Diff(plain, got); diff != "" {
				t.Errorf("%s in %d tokens differs with parts (-without +with):\n%s", format, budget, diff)
			}
		}
	}
}

func checkParts(t *testing.T, b trilith.ContextBlock, hits []trilith.Hit) {
	t.Helper()
	end, tokens := 0, 0
	var records, shown []trilith.ID
	for _, p := range b.Parts {
		if p.Start != end || p.End <= p.Start || p.Tokens <= 0 || (p.Why == trilith.PartFrame) != (p.ID == "") {
			t.Errorf("%s: a part after byte %d is %+v", b.Format, end, p)
		}
		end, tokens = p.End, tokens+p.Tokens
		if p.Why == trilith.PartHit || p.Why == trilith.PartFact || p.Why == trilith.PartNeighbor {
			records = append(records, p.ID)
			if (p.Hit == p.ID) != (p.Why == trilith.PartHit) || !slices.ContainsFunc(hits, func(h trilith.Hit) bool {
				return h.Memory.ID == p.Hit
			}) {
				t.Errorf("%s: part %+v names no hit that brought it", b.Format, p)
			}
		}
	}
	if end != len(b.Text) || tokens < b.Tokens {
		t.Errorf("%s: parts end at byte %d of %d and take %d tokens, the text %d", b.Format, end, len(b.Text), tokens,
			b.Tokens)
	}
	for _, r := range b.Records {
		shown = append(shown, r.ID)
	}
	if !slices.Equal(records, shown) {
		t.Errorf("%s: parts are of %v, records of %v", b.Format, records, shown)
	}
	room := 0
	for _, l := range b.LeftOut {
		if l.Reason == trilith.LeftRoom {
			room++
		}
		if slices.Contains(shown, l.ID) || (l.Reason == trilith.LeftRoom) != (l.Tokens > 0) {
			t.Errorf("%s: left out: %+v", b.Format, l)
		}
	}
	if room != b.Left {
		t.Errorf("%s: %d hits did not fit, %d are said", b.Format, b.Left, room)
	}
}

// TestLeftOut: a hit that repeats what the block has is distinguished from one that had no room.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	hits := sample()
	twice := hits[0]
	twice.Memory.ID, twice.Score = trilith.DeriveID("twice"), 0.1
	b, err := Build(append(hits, twice), Options{Parts: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []trilith.ContextLeft{{ID: twice.Memory.ID, Score: 0.1, Reason: trilith.LeftRepeated}}
	if diff := cmp.Diff(want, b.LeftOut); diff != "" {
		t.Errorf("left out of a large block (-want +got):\n%s", diff)
	}
	if b.Left != 0 {
		t.Errorf("%d hits did not fit a block with room for all", b.Left)
	}
}
