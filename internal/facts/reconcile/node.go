package reconcile

import (
	"strings"
	"unicode"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/textproc"
	"github.com/trilith-memory/trilith/internal/lang/wordfile"
)

// articles do not distinguish nodes.
var articles = wordfile.Set("a an the some der die das den dem ein eine einen einem einer")

// SameName reports whether the names of two nodes are variants of one, whatever their types.
func SameName(a, b trilith.Node) bool {
	a.Type = b.Type
	return nodeKey(a) == nodeKey(b)
}

// name gives a fact the first known name of its node, so that all its periods have one name.
func name(m *trilith.Memory, first *trilith.Fact) {
	x := m.Fact
	x.Guest = first.Guest
	if x.FactID != first.FactID {
		x.Node, x.FactID = first.Node, first.FactID
		x.RelationshipKey = x.Key()
	}
}

// factKey returns a key that the periods of a fact share.
func factKey(x *trilith.Fact) string { return x.Verb + " " + nodeKey(x.Node) }

// sameValue reports whether two facts give one verb the same value.
func sameValue(a, b *trilith.Fact) bool { return a.Verb == b.Verb && alike(a, b) }

// alike reports whether two facts are about one node.
func alike(a, b *trilith.Fact) bool {
	return a.FactID == b.FactID || a.Node.Type == b.Node.Type && nodeKey(a.Node) == nodeKey(b.Node)
}

// nodeKey returns a key that variants of a node's name share: "Oslo" and "oslo", "a dog" and "dogs". Of names with
// capitals or digits only case and accents are ignored: similar names of people, places or amounts are different.
func nodeKey(n trilith.Node) string {
	words := strings.Fields(textproc.Fold(n.Name))
	if len(words) > 1 && articles[words[0]] {
		words = words[1:]
	}
	name := strings.Join(words, " ")
	if !strings.ContainsFunc(n.Name, proper) {
		if stems, _ := (textproc.Analyzer{}).Terms(name); len(stems) == len(words) {
			name = strings.Join(stems, " ")
		}
	}
	return n.Type + ":" + name
}

// proper reports whether a rune makes a word a name rather than a common word.
func proper(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }
