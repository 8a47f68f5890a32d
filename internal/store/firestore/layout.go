package firestore

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// Where things lie, below the document that [Options.Prefix] names. A tenant is a document, and its data lie below
// that, so no query can forget which tenant it is about. Names of collections that are looked at across tenants begin
// with trilith_, since an index of theirs is for all collections of that name in the database.
//
//	shards/N                  n, count, commits: see [committer]
//	turns/HASH                holder, until
//	staged/ID                 at, blobs: data that a commit has written before it, see [database.stage]
//	rows/SPACE~TENANT~ID      space, tenant: rows of [role.Blobs]
//	tenants/t~NAME            name, memories, records, entries, hash: counts, and the end of the audit
//	…/trilith_memories/ID       version, shard, change, keys, state, kind, recorded, event, seq
//	…/trilith_jobs/ID           queue, state, kind, due
//	…/trilith_vectors/GEN~ID    gen, memory, version, at, cut, keys, v
//	…/trilith_embeddings/GEN~ID gen, memory, hash, at, v
//	…/records/KIND~ID         version
//	…/claims/HASH             owner, order
//	…/audit/NUMBER            nothing
//	…/chunks/BLOB~N           nothing
//
// The content is in the field body, as bytes, or in chunks that the field blob names, if it is large. The other fields
// are for queries.
const (
	shardsIn     = "shards"
	turnsIn      = "turns"
	stagedIn     = "staged"
	rowsIn       = "rows"
	tenantsIn    = "tenants"
	memoriesIn   = "trilith_memories"
	jobsIn       = "trilith_jobs"
	vectorsIn    = "trilith_vectors"
	embeddingsIn = "trilith_embeddings"
	recordsIn    = "records"
	claimsIn     = "claims"
	auditIn      = "audit"
	chunksIn     = "chunks"
)

// Fields with the same meaning in several collections.
const (
	fieldBody    = "body"
	fieldBlob    = "blob"   // name under which the chunks are stored
	fieldChunks  = "chunks" // number of chunks
	fieldVersion = "version"
	fieldKeys    = "keys"
	fieldState   = "state"
	fieldKind    = "kind"
	fieldGone    = "gone" // of a deleted memory: only its change is left
	fieldChange  = "change"
	fieldShard   = "shard"
	fieldOwner   = "owner"
	fieldOrder   = "order"
	fieldAt      = "at"
	fieldGen     = "gen"
	fieldMemory  = "memory"
	fieldPrefix  = "place" // the prefix of the store
)

// everywhere is the parent for queries across tenants: the whole database. Such queries compare values that contain the
// prefix, so that stores in one database do not see each other.
const everywhere = ""

// mark adds the prefix of this store to a value.
func (db *database) mark(value string) string { return db.prefix + "/" + value }

// all returns a query for all of the store's documents in collections with a name.
func (db *database) all(collection string) *query {
	return of(collection, true).where(fieldPrefix, "EQUAL", text(db.prefix))
}

func (db *database) memory(tenant string, id trilith.ID) string {
	return join(db.tenant(tenant), memoriesIn, string(id))
}

func (db *database) record(tenant string, r role.Ref) string {
	return join(db.tenant(tenant), recordsIn, string(r.Kind)+"~"+string(r.ID))
}

func (db *database) claim(tenant string, k role.Key) string {
	sum := sha256.Sum256(keyOrder(k))
	return join(db.tenant(tenant), claimsIn, hex.EncodeToString(sum[:]))
}

// keyOrder encodes the key of a claim as bytes that compare as keys do: NUL in a space is escaped, and the end of the
// space sorts before any escape.
func keyOrder(k role.Key) []byte {
	b := []byte(strings.ReplaceAll(k.Space, "\x00", "\x00\xff"))
	return append(append(b, 0, 1), k.Value...)
}

func (db *database) job(tenant string, id trilith.ID) string {
	return join(db.tenant(tenant), jobsIn, string(id))
}

// tenant returns the path of a tenant's document. A tenant may be named "." or "..", which no document may.
func (db *database) tenant(name string) string { return join(db.root, tenantsIn, "t~"+name) }

func (db *database) shard(n int) string { return join(db.root, shardsIn, fmt.Sprint(n)) }

// last is the id of a document, which is the last part of its name.
func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// tenantIn returns the tenant below whose document another document is.
func (db *database) tenantIn(name string) string {
	rest := strings.TrimPrefix(db.c.path(name), join(db.root, tenantsIn)+"/t~")
	tenant, _, _ := strings.Cut(rest, "/")
	return tenant
}

func join(parts ...string) string { return strings.Join(parts, "/") }

// Purposes of keys.
const (
	inScope   = "s" // of memories that a scope covers
	ofOwner   = "o" // of facts that a view shows
	ofEntity  = "entity_id"
	naming    = "entity_ref"
	ofSource  = "source_id"
	resting   = "evidence"
	wordingOf = "superseded_by"
	ofClass   = "c"         // of a kind and a state, in a scope
	ending    = "ends"      // the validity has an end
	planned   = "planned"   // facts of certainty planned
	held      = "held"      // waits for a person
	contested = "contested" // was disputed
)

// keysOf returns keys such that every memory that the scope sees has at least one of them.
func keysOf(s trilith.Scope, prefix ...string) []string {
	parts := append(append([]string(nil), prefix...), inScope)
	for _, f := range s.Fields() {
		if f.Value != "" {
			parts = append(parts, f.Name, f.Value)
		}
	}
	keys := []string{key(parts...)}
	for _, v := range s.Views() {
		keys = append(keys, key(append(append([]string(nil), prefix...), ofOwner, string(v.Owner), v.Scope.Domain)...))
	}
	return keys
}

// memoryKeys returns all keys of a memory.
func memoryKeys(m *trilith.Memory) []string {
	keys := append(scopeKeys(m.Scope, m.Owner()),
		scopeKeys(m.Scope, m.Owner(), ofClass, known(m.Kind, trilith.Kinds()), known(m.State, trilith.States()))...)
	add := func(purpose, value string) {
		if value != "" {
			keys = append(keys, key(purpose, value))
		}
	}
	add(ofSource, string(m.SourceID))
	add(wordingOf, string(m.SupersededBy))
	if m.State == trilith.StateCandidate || m.State == trilith.StateQuarantined {
		keys = append(keys, key(held))
	}
	if m.ValidUntil != nil {
		keys = append(keys, key(ending))
	}
	f := m.Fact
	if f == nil {
		return keys
	}
	if f.Certainty == trilith.Planned {
		keys = append(keys, key(planned))
	}
	add(ofEntity, string(f.EntityID))
	add(naming, string(f.Node.EntityRef))
	if f.Verification.Status == trilith.NeedsReview || f.Verification.Status == trilith.Disputed {
		keys = append(keys, key(contested))
	}
	for i := range f.Evidence {
		for _, episode := range f.Evidence[i].Episodes() {
			add(resting, string(episode))
		}
	}
	return keys
}

// scopeKeys returns the keys under which a memory is found in scopes: one for each combination of its scope values, so
// that any scope which covers it uses one of them, and one for each view that shows it.
func scopeKeys(m trilith.Scope, owner trilith.Owner, prefix ...string) []string {
	var set []trilith.ScopeField
	for _, f := range m.Fields() {
		if f.Value != "" {
			set = append(set, f)
		}
	}
	keys := make([]string, 0, 1<<len(set)+2)
	for choice := range 1 << len(set) {
		parts := append(append(make([]string, 0, 16), prefix...), inScope)
		for i, f := range set {
			if choice&(1<<i) != 0 {
				parts = append(parts, f.Name, f.Value)
			}
		}
		keys = append(keys, key(parts...))
	}
	if owner == "" {
		return keys
	}
	for _, domain := range distinct("", m.Domain) {
		keys = append(keys, key(append(append([]string(nil), prefix...), ofOwner, string(owner), domain)...))
	}
	return keys
}

// key returns a value by which documents are found: a short hash. Results are checked again, so a hash collision does
// no harm.
func key(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:9])
}

func distinct(a, b string) []string {
	if a == b {
		return []string{a}
	}
	return []string{a, b}
}

// unknown stands for all unknown values of a field.
const unknown = "?"

func known[T ~string](v T, all []T) string {
	if slices.Contains(all, v) {
		return string(v)
	}
	return unknown
}

func timeOrder(at time.Time, session string, seq int, id trilith.ID) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro())^1<<63)
	return append(b, seqOrder(session, seq, id)...)
}

// Each order of memories is one field, with bytes that compare in that order. Session names contain no NUL.

func seqOrder(session string, seq int, id trilith.ID) []byte {
	b := append([]byte(session), 0)
	b = binary.BigEndian.AppendUint64(b, uint64(seq)^1<<63)
	return append(b, id...)
}

// splitKey is the inverse of [keyOrder].
func splitKey(b []byte) (role.Key, bool) {
	space, value, ok := bytes.Cut(b, []byte{0, 1})
	return role.Key{Space: strings.ReplaceAll(string(space), "\x00\xff", "\x00"), Value: string(value)}, ok
}

// orderLength is the longest encoded key in an index; Firestore cannot compare longer values.
const orderLength = 1400

func cut(b []byte) []byte { return b[:min(len(b), orderLength)] }

func parseCursor(c trilith.Cursor) (int64, error) {
	if c == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(string(c), 16, 64)
	if err != nil || cursorOf(n) != c {
		return 0, trilith.Errorf(trilith.Invalid, "cursor: %.32q does not belong to this store", string(c))
	}
	return n, nil
}

func cursorOf(n int64) trilith.Cursor {
	if n == 0 {
		return ""
	}
	return trilith.Cursor(fmt.Sprintf("%016x", n))
}
