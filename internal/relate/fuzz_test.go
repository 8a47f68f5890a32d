package relate_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/relate"
	"github.com/trilith-memory/trilith/internal/saidtest"
)

func FuzzSaid(f *testing.F) {
	saidtest.Fuzz(f, func(t *testing.T, text string) {
		var known []trilith.Memory
		for _, m := range relate.Read(text) {
			if m.Start < 0 || m.Start >= m.End || m.End > len(text) || m.From == "" || m.To == "" {
				t.Errorf("Read(%q) = %+v", text, m)
			}
			relate.States(text, m.Start, m.End)
			for _, phrase := range []string{m.From, m.To} {
				relate.Matter(phrase)
				node := trilith.Node{Type: "Thing", Name: phrase}
				fact := &trilith.Fact{Verb: "has_task", FactID: node.ID(), Node: node, Type: trilith.FactTask}
				known = append(known, trilith.Memory{ID: fact.MemoryID(), Kind: trilith.KindFact, Text: text, Fact: fact})
			}
		}
		x := relate.NewIndex(known)
		for _, m := range relate.Read(text) {
			x.Pair(&m)
		}
		x.One(text)
	})
}
