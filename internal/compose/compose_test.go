package compose_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/compose"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

var inAcme = trilith.Scope{Tenant: "acme", User: "ana"}

// opens opens a memory and closes it with the test.
func opens(t *testing.T, s compose.Settings) *compose.Opened {
	t.Helper()
	s.Version = "test"
	o, err := compose.Open(t.Context(), s)
	if err != nil {
		t.Fatalf("Open(%s, texts %s, vectors %s) = %v, want nil", s.Store, s.Texts, s.Vectors, err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
	})
	return o
}

// finds wants a memory to be found by its words and by a vector, each arm by itself.
func finds(t *testing.T, who string, o *compose.Opened, want string) {
	t.Helper()
	if err := o.Settle(t.Context()); err != nil { // vectors of what another process stored come a little later
		t.Fatalf("%s: Settle = %v, want nil", who, err)
	}
	for _, arm := range []trilith.Arm{trilith.ArmLexical, trilith.ArmDense} {
		res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: want, Arms: []trilith.Arm{arm}, K: 3})
		if err != nil || len(res.Hits) == 0 || res.Hits[0].Memory.Text != want {
			t.Errorf("%s: %s finds %+v, %v; want %q", who, arm, res.Hits, err, want)
		}
	}
}

func remembers(t *testing.T, o *compose.Opened, text string) {
	t.Helper()
	if _, err := o.Remember(
		t.Context(), inAcme, trilith.RememberRequest{Text: text, Extract: trilith.ExtractNone,
			Wait: trilith.WaitIndexed}); err != nil {
		t.Fatalf("Remember = %v, want nil", err)
	}
}

// TestPairs: with every allowed pair of store and indexes, stored memories are found, also after the store is opened
// again, and, where several processes may open it, in another process that has it open.
func TestPairs(t *testing.T) {
	t.Parallel()
	const first, second = "The ladder leans on the north wall.", "The kettle whistles in B flat."
	server := qdranttest.New()
	address := strings.Replace(qdranttest.Start(t, server), "http://", "qdrant://", 1)
	for _, c := range []struct{ store, texts, vectors string }{
		{"mem:", "auto", "auto"},
		{"mem:", "embedded:", "embedded:"},
		{"sqlite:", "auto", "auto"},
		{"sqlite:", "embedded:", "embedded:"},
		{"postgres:", "auto", "auto"},
		{"postgres:", "postgres:", "postgres:"},
		{"postgres:", "embedded:", "postgres:"},
		{"postgres:", "postgres:", "embedded:"},
		{"postgres:", "embedded:", "embedded:"},
		{"mem:", "auto", "qdrant:"},
		{"sqlite:", "auto", "qdrant:"},
		{"postgres:", "auto", "qdrant:"},
	} {
		t.Run(c.store+" "+c.texts+" "+c.vectors, func(t *testing.T) {
			t.Parallel()
			s := compose.Settings{Store: c.store, Texts: c.texts, Vectors: c.vectors}
			if c.vectors == "qdrant:" {
				s.Vectors = address + "?collection=" + strings.TrimSuffix(c.store, ":")
			}
			switch c.store {
			case "sqlite:":
				s.Store += filepath.Join(t.TempDir(), "trilith.db")
			case "postgres:":
				s.Store = pgtest.Database(t, "vector")
			}
			o := opens(t, s)
			remembers(t, o, first)
			finds(t, "the process that stored it", o, first)
			if c.store == "mem:" {
				return
			}
			other := opens(t, s)
			finds(t, "a process that came later", other, first)
			remembers(t, o, second)
			finds(t, "a process that had the store open", other, second)
			if err := o.Close(); err != nil {
				t.Fatalf("Close = %v, want nil", err)
			}
			if err := other.Close(); err != nil {
				t.Fatalf("Close = %v, want nil", err)
			}
			again := opens(t, s)
			finds(t, "the store opened again", again, first)
			finds(t, "the store opened again", again, second)
		})
	}
}

// TestErasedBesideAnIndex: memories that are erased while the database's indexes are not in use are removed from them
// when they are opened again.
func TestErasedBesideAnIndex(t *testing.T) {
	t.Parallel()
	inDatabase := compose.Settings{Store: pgtest.Database(t, "vector")}
	inProcess := compose.Settings{Store: inDatabase.Store, Texts: "embedded:", Vectors: "embedded:"}
	conn, err := pgx.Connect(t.Context(), inDatabase.Store)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows := func() (texts, vectors int) {
		t.Helper()
		if err := conn.QueryRow(
			t.Context(), "SELECT (SELECT count(*) FROM trilith.texts), (SELECT count(*) FROM trilith.vectors)").Scan(
			&texts, &vectors); err != nil {
			t.Fatal(err)
		}
		return texts, vectors
	}
	o := opens(t, inDatabase)
	remembers(t, o, "The ladder leans on the north wall.")
	// a search brings the texts up to date
	finds(t, "the process that stored it", o, "The ladder leans on the north wall.")
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if texts, vectors := rows(); texts != 1 || vectors != 1 {
		t.Fatalf("the database holds %d texts and %d vectors, want one of each", texts, vectors)
	}
	o = opens(t, inProcess)
	if _, err := o.Erase(t.Context(), inAcme,
		trilith.EraseRequest{Filter: trilith.Where("kind", trilith.OpEq, string(trilith.KindEpisode))}); err != nil {
		t.Fatalf("Erase = %v, want nil", err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if err := opens(t, inDatabase).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if texts, vectors := rows(); texts != 0 || vectors != 0 {
		t.Errorf("the database holds %d texts and %d vectors of what was erased, want none", texts, vectors)
	}
}

// TestServicesWithCopies: a service that searches copies of the indexes in PostgreSQL finds what another service has
// stored, and not what the other has erased. Its answers are those of a service without copies.
func TestServicesWithCopies(t *testing.T) {
	t.Parallel()
	store := pgtest.Database(t, "vector")
	copying := opens(t, compose.Settings{Store: store})
	plain := opens(t, compose.Settings{Store: store + "&copy_up_to=0"})
	for _, line := range []string{"The ladder leans on the north wall.", "Mara waters the roses.", "The roses are red."} {
		remembers(t, plain, line)
	}
	if err := copying.Warm(t.Context(), inAcme); err != nil {
		t.Fatalf("Warm = %v", err)
	}
	remembers(t, plain, "Mara bought a second ladder.")
	if err := copying.Settle(t.Context()); err != nil { // vectors of what another process stored come a little later
		t.Fatal(err)
	}
	recalled := func(o *compose.Opened) (out []string) {
		t.Helper()
		res, err := o.Recall(t.Context(), inAcme, trilith.RecallRequest{Query: "Where is the ladder of the roses?"})
		if err != nil {
			t.Fatalf("Recall = %v", err)
		}
		for _, h := range res.Hits {
			out = append(out, fmt.Sprintf("%s %.3f", h.Memory.Text, h.Score))
		}
		return out
	}
	if diff := gocmp.Diff(recalled(plain), recalled(copying)); diff != "" {
		t.Errorf("hits of the service without and with copies (-without +with):\n%s", diff)
	}
	if _, err := plain.Erase(t.Context(), inAcme,
		trilith.EraseRequest{Filter: trilith.Where("kind", trilith.OpEq, string(trilith.KindEpisode))}); err != nil {
		t.Fatalf("Erase = %v", err)
	}
	if hits := recalled(copying); len(hits) != 0 {
		t.Errorf("the service with copies recalls %q, all of which was erased", hits)
	}
}

// TestImpossible: impossible settings are refused before anything is opened, with the reason and what to do.
func TestImpossible(t *testing.T) {
	t.Parallel()
	const away = "postgres://nobody:secret-1@127.0.0.1:1/none"
	for _, c := range []struct {
		s    compose.Settings
		want string
	}{
		{compose.Settings{Store: "sqlite:x.db", Texts: "postgres:"},
			"texts: postgres: keeps texts in the database of the store, and sqlite:x.db is in no database; use --store postgres://…, or leave TRILITH_TEXTS out"},
		{compose.Settings{Store: "sqlite:x.db", Vectors: "postgres:"},
			"vectors: postgres: keeps vectors in the database of the store, and sqlite:x.db is in no database; use --store postgres://…, or leave TRILITH_VECTORS out"},
		{compose.Settings{Store: "mem:", Texts: "postgres:"}, "mem: is in no database"},
		{compose.Settings{Store: "mem:", Vectors: "postgres:"}, "mem: is in no database"},
		{compose.Settings{Store: "sqlite:x.db", Graph: "age:"},
			"graph: age: needs a store in PostgreSQL; leave it out"},
		{compose.Settings{Store: "mem:", Graph: "age:"}, "graph: age: needs a store in PostgreSQL; leave it out"},
		{compose.Settings{Store: away, Texts: "none"},
			`texts: "none" is not known; use auto, embedded: or postgres:`},
		{compose.Settings{Store: away, Vectors: "milvus:"},
			`vectors: "milvus:" is not known; use auto, embedded:, postgres: or qdrant://`},
		{compose.Settings{Store: "mem:", Vectors: "qdrant:"}, "names no server; write qdrant://HOST:6333, or set QDRANT_URL"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?colection=x"}, "collection"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://secret-1@h"}, "QDRANT_API_KEY"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?collection=a/b"}, "must be 1 to 64 characters"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?quantize=binary"}, "is not int8"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?ordering=wild"}, "not one of weak, medium and strong"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?consistency=wild"}, "not one of majority, quorum"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?timeout=5"}, "timeout=5 must be a time such as 5s"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?tls=yes"}, "tls is true, or left out"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://h?ca_file=/none/there"}, "ca_file"},
		{compose.Settings{Store: "mem:", Vectors: "qdrant://example.com", Getenv: func(name string) string {
			return map[string]string{"QDRANT_API_KEY": "secret-1"}[name]
		}}, "unencrypted to example.com; use https (?tls=true)"},
		{compose.Settings{Store: away, Graph: "neo4j:"},
			`graph: "neo4j:" is not known; use tables or age:`},
		{compose.Settings{Store: away + "?vector_index=hnsw", Vectors: "embedded:"},
			"store: vector_index and vector_index_from are about vectors in the database, and TRILITH_VECTORS=embedded: keeps them elsewhere; leave out one of both"},
		{compose.Settings{Store: away + "?copy_up_to=all"}, "store: copy_up_to=all must be a number of memories; 0 copies none"},
		{compose.Settings{Store: away + "?standbys=db2&standby_lag=soon"},
			"store: standby_lag=soon must be a time such as 500ms, at most 1h0m0s"},
		{compose.Settings{Store: away + "?standby_wait=1s"}, "store: standby_wait is about standbys, and standbys names none"},
		{compose.Settings{Store: away + "?standbys=db2", Texts: "embedded:"},
			"store: standbys are read by what shares an index in the database, and TRILITH_TEXTS=embedded: keeps the words elsewhere; leave out one of both"},
		{compose.Settings{Store: away + "?vector_index_from=none"},
			"store: vector_index_from=none must be a number of vectors, at least 1"},
		{compose.Settings{Store: "trilith.db"}, "use sqlite:trilith.db"},
		{compose.Settings{}, "store: "},
		{compose.Settings{Store: "mem:", Extract: "llm"}, "extract: llm needs a model"},
		{compose.Settings{Store: "mem:", Extract: "some"}, "is not one of auto, rules, llm, none"},
		{compose.Settings{Store: "mem:", Languages: []string{"xx"}}, "languages: "},
		{compose.Settings{Store: "mem:", Model: "openai:"}, "model: name one"},
		{compose.Settings{Store: "mem:", Model: "ollama:m", Reranker: "tei:", RerankDepth: 1, RerankTimeout: 1},
			"base_url"},
		{compose.Settings{Store: "mem:", Model: "anthropic:m?context=1&base_url=nowhere"}, "base_url"},
	} {
		o, err := compose.Open(t.Context(), c.s)
		if err == nil {
			_ = o.Close()
		}
		if trilith.KindOf(err) != trilith.Invalid || err == nil || !strings.Contains(trilith.MessageOf(err), c.want) ||
			strings.Contains(err.Error(), "secret-1") {
			t.Errorf("Open(%+v) = %v, want invalid with %q", c.s, err, c.want)
		}
	}
	if _, err := compose.Open(t.Context(), compose.Settings{Store: "mem:", ReadOnly: true}); trilith.KindOf(
		err) != trilith.Unsupported {
		t.Errorf("a store in memory, only read = %v, want unsupported", err)
	}
}
