package engine

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/ingest"
)

// purger is played by stores that can remove the bytes of deleted rows from their files.
type purger interface {
	Purge(ctx context.Context) error
}

// jobPurge is the kind of job that removes what an erasure left in the store's files.
const jobPurge = "purge"

// Erase removes memories for good: from the truth with their former wordings, from sources, vectors and text index. It
// leaves a receipt and tombstones, so that the same episode does not come back by being sent, imported or restored again.
// Ids and sources that do not exist in the scope are NotFound and nothing is erased.
func (e *Engine) Erase(ctx context.Context, s cairn.Scope, r cairn.EraseRequest) (cairn.EraseReceipt, error) {
	if err := checkScope(s); err != nil {
		return cairn.EraseReceipt{}, err
	}
	ids := slices.Clone(r.IDs)
	if len(r.Sources) == 0 {
		if err := checkSelection(ids, r.Filter); err != nil {
			return cairn.EraseReceipt{}, err
		}
	} else if len(ids) > 0 || !r.Filter.IsZero() {
		return cairn.EraseReceipt{}, cairn.Errorf(cairn.Invalid, "sources: give only one of ids, sources and filter")
	}
	for _, id := range r.Sources {
		src, _, err := e.source(ctx, tenantOf(s), id)
		if err != nil {
			return cairn.EraseReceipt{}, err
		}
		if !s.Covers(withTenant(src.Scope, s.Tenant)) {
			return cairn.EraseReceipt{}, cairn.Errorf(cairn.NotFound, "source %s does not exist", id)
		}
		ids = append(ids, src.MemoryIDs...)
	}
	ms, err := e.selection(ctx, s, ids, r.Filter)
	if err != nil {
		return cairn.EraseReceipt{}, err
	}
	return e.erase(ctx, s, ms, r)
}

func withTenant(s cairn.Scope, tenant string) cairn.Scope {
	s.Tenant = tenant
	return s
}

func (e *Engine) erase(ctx context.Context, s cairn.Scope, ms []cairn.Memory, r cairn.EraseRequest) (cairn.EraseReceipt, error) {
	tenant := tenantOf(s)
	ms, err := e.withWordings(ctx, tenant, ms)
	if err != nil {
		return cairn.EraseReceipt{}, err
	}
	receipt := cairn.EraseReceipt{ID: cairn.NewID(e.now()), At: e.now(), Reason: r.Reason, DryRun: r.DryRun, Memories: len(ms)}
	all := make([]cairn.ID, len(ms))
	for i, m := range ms {
		all[i] = m.ID
	}
	if err := e.index.CatchUp(ctx); err != nil {
		return cairn.EraseReceipt{}, err
	}
	if len(all) > 0 {
		stamps, err := e.cfg.Text.Stamps(ctx, tenant, all)
		if err != nil {
			return cairn.EraseReceipt{}, err
		}
		receipt.Texts = len(stamps)
		if e.cfg.Vectors != nil {
			if stamps, err = e.cfg.Vectors.Stamps(ctx, tenant, e.gen, all); err != nil {
				return cairn.EraseReceipt{}, err
			}
			receipt.Vectors = len(stamps)
		}
	}
	salt, err := e.salt(ctx, tenant, !r.DryRun && len(ms) > 0)
	if err != nil {
		return cairn.EraseReceipt{}, err
	}
	erased := cairn.Erased{Salt: hex.EncodeToString(salt), IDs: all}
	for _, m := range ms {
		erased.Hashes = append(erased.Hashes, hashesOf(salt, scopeText(m.Scope), &m)...)
	}
	slices.Sort(erased.Hashes)
	erased.Hashes = slices.Compact(erased.Hashes)
	receipt.Tombstones = len(erased.Hashes)

	bySource := map[cairn.ID][]cairn.ID{}
	for _, m := range ms {
		bySource[m.SourceID] = append(bySource[m.SourceID], m.ID)
	}
	if receipt.Sources, err = e.countEmptied(ctx, tenant, bySource); err != nil {
		return cairn.EraseReceipt{}, err
	}
	if r.DryRun || len(ms) == 0 {
		return receipt, nil
	}
	erased.Receipt = receipt
	for i, chunk := range slices.Collect(slices.Chunk(ms, cairn.MaxBatch/2)) { // a source or a claim beside each memory at most doubles the batch
		if err := retry(ctx, func() (bool, error) {
			b, err := e.eraseBatch(ctx, tenant, chunk, salt, receipt.ID)
			if err != nil {
				return false, err
			}
			if i == 0 {
				body, err := json.Marshal(erased)
				if err != nil {
					return false, err
				}
				now := e.now()
				b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordReceipt, ID: receipt.ID, Body: body})
				b.Audit = e.audit(s, "erase", receipt.ID, map[string]string{"memories": strconv.Itoa(len(ms)), "reason": r.Reason})
				b.Jobs = []cairn.Job{{ID: cairn.NewID(now), Kind: jobPurge, State: cairn.JobReady, RunAt: now, CreatedAt: now, UpdatedAt: now}}
			}
			_, err = e.cfg.Store.Commit(ctx, tenant, b)
			return true, err
		}); err != nil {
			return cairn.EraseReceipt{}, err
		}
	}
	if e.cfg.Ledger != nil {
		if err := e.cfg.Ledger.Append(s.Tenant, erased); err != nil {
			return receipt, cairn.WrapError(cairn.Unavailable, "engine.Erase: the ledger of erasures", err)
		}
	}
	if err := e.cfg.Text.Delete(ctx, tenant, all); err != nil {
		return receipt, err
	}
	if e.cfg.Vectors != nil {
		if err := e.cfg.Vectors.Delete(ctx, tenant, all); err != nil {
			return receipt, err
		}
	}
	e.index.Notify()
	return receipt, nil
}

// withWordings adds the former wordings of the memories.
func (e *Engine) withWordings(ctx context.Context, s cairn.Scope, ms []cairn.Memory) ([]cairn.Memory, error) {
	seen := map[cairn.ID]bool{}
	for _, m := range ms {
		seen[m.ID] = true
	}
	for i := 0; i < len(ms); i++ {
		older, err := e.cfg.Store.Get(ctx, s, ms[i].Supersedes)
		if err != nil {
			return nil, err
		}
		for _, m := range older {
			if m.Kind == ms[i].Kind && m.SourceID == ms[i].SourceID && m.ExternalID == "" && !seen[m.ID] && isWording(&m) {
				seen[m.ID] = true
				ms = append(ms, m)
			}
		}
	}
	return ms, nil
}

// isWording reports whether a memory is a former wording of another: an edit closes it at its own event time.
func isWording(m *cairn.Memory) bool {
	return m.State == cairn.StateSuperseded && m.ValidUntil != nil && m.ValidUntil.Equal(m.EventTime)
}

// eraseBatch deletes memories, and takes them out of their sources.
func (e *Engine) eraseBatch(ctx context.Context, s cairn.Scope, ms []cairn.Memory, salt []byte, receipt cairn.ID) (cairn.Batch, error) {
	var b cairn.Batch
	gone := map[cairn.ID]bool{}
	var sources []cairn.ID
	claimed := map[string]bool{}
	for i := range ms {
		m := &ms[i]
		gone[m.ID] = true
		b.Delete = append(b.Delete, cairn.Ref{ID: m.ID})
		for _, h := range append(hashesOf(salt, scopeText(m.Scope), m), idHash(salt, m.ID)) {
			if !claimed[h] {
				claimed[h] = true
				b.Claims = append(b.Claims, cairn.Claim{Key: cairn.Key{Space: cairn.KeyErased, Value: h}, Owner: receipt, Move: true})
			}
		}
		if m.SourceID != "" && !slices.Contains(sources, m.SourceID) {
			sources = append(sources, m.SourceID)
		}
	}
	rs, err := e.cfg.Store.Records(ctx, s, cairn.RecordListing{Kind: cairn.RecordSource, IDs: sources})
	if err != nil || len(sources) == 0 {
		return b, err
	}
	for _, r := range rs {
		src, err := decode[cairn.Source](r)
		if err != nil {
			return b, err
		}
		src.MemoryIDs = slices.DeleteFunc(src.MemoryIDs, func(id cairn.ID) bool { return gone[id] })
		b.Expect = append(b.Expect, cairn.Expect{Kind: r.Kind, ID: r.ID, Version: r.Version})
		if len(src.MemoryIDs) == 0 {
			b.Delete = append(b.Delete, cairn.Ref{Kind: r.Kind, ID: r.ID})
			continue
		}
		src.ContentHash = "" // a hash of what is gone would let it be guessed
		if r.Body, err = json.Marshal(src); err != nil {
			return b, err
		}
		b.Records = append(b.Records, r)
	}
	return b, nil
}

// countEmptied counts the sources of which nothing is left.
func (e *Engine) countEmptied(ctx context.Context, s cairn.Scope, bySource map[cairn.ID][]cairn.ID) (int, error) {
	delete(bySource, "")
	ids := make([]cairn.ID, 0, len(bySource))
	for id := range bySource {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return 0, nil
	}
	rs, err := e.cfg.Store.Records(ctx, s, cairn.RecordListing{Kind: cairn.RecordSource, IDs: ids})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range rs {
		src, err := decode[cairn.Source](r)
		if err != nil {
			return 0, err
		}
		left := slices.DeleteFunc(src.MemoryIDs, func(id cairn.ID) bool { return slices.Contains(bySource[r.ID], id) })
		if len(left) == 0 {
			n++
		}
	}
	return n, nil
}

// saltRecord is the body of a [cairn.RecordSalt].
type saltRecord struct {
	Salt string `json:"salt"` // hex
}

// salt returns the salt that new tombstones of the tenant are made with, making it if asked to.
func (e *Engine) salt(ctx context.Context, s cairn.Scope, create bool) ([]byte, error) {
	salts, err := e.salts(ctx, s)
	if err != nil || len(salts) > 0 || !create {
		return first(salts), err
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	return salt, e.putSalt(ctx, s, salt)
}

func first(salts [][]byte) []byte {
	if len(salts) == 0 {
		return nil
	}
	return salts[0]
}

func (e *Engine) putSalt(ctx context.Context, s cairn.Scope, salt []byte) error {
	body, err := json.Marshal(saltRecord{hex.EncodeToString(salt)})
	if err != nil {
		return err
	}
	_, err = e.cfg.Store.Commit(ctx, s, cairn.Batch{Records: []cairn.Record{
		{Kind: cairn.RecordSalt, ID: cairn.DeriveID("salt", s.Tenant, hex.EncodeToString(salt)), Body: body}}})
	return err
}

// salts returns every salt that tombstones of the tenant were made with: its own and those that came with imports.
func (e *Engine) salts(ctx context.Context, s cairn.Scope) ([][]byte, error) {
	rs, err := e.cfg.Store.Records(ctx, tenantOf(s), cairn.RecordListing{Kind: cairn.RecordSalt})
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, r := range rs {
		v, err := decode[saltRecord](r)
		if err != nil {
			return nil, err
		}
		salt, err := hex.DecodeString(v.Salt)
		if err != nil {
			return nil, cairn.WrapError(cairn.Internal, "engine: salt", err)
		}
		out = append(out, salt)
	}
	return out, nil
}

// graves finds out whether something was erased before.
type graves struct{ salts [][]byte }

func (e *Engine) tombstones(ctx context.Context, s cairn.Scope) (graves, error) {
	salts, err := e.salts(ctx, s)
	return graves{salts}, err
}

// keys returns the tombstones that would lie on the draft if it had been erased.
func (g graves) keys(scopeKey string, d ingest.Draft) []cairn.Key {
	var ks []cairn.Key
	for _, salt := range g.salts {
		m := d.Memory
		if !d.Timed {
			m.EventTime = time.Time{}
		}
		for _, h := range hashesOf(salt, scopeKey, &m) {
			ks = append(ks, cairn.Key{Space: cairn.KeyErased, Value: h})
		}
	}
	return ks
}

func (g graves) hit(owners map[cairn.Key]cairn.ID, scopeKey string, d ingest.Draft) bool {
	return slices.ContainsFunc(g.keys(scopeKey, d), func(k cairn.Key) bool {
		_, ok := owners[k]
		return ok
	})
}

// idHash is the tombstone of a memory's id.
func idHash(salt []byte, id cairn.ID) string { return mac(salt, "id", string(id)) }

// mac is the salted hash of parts; each part is preceded by its length.
func mac(salt []byte, parts ...string) string {
	h := hmac.New(sha256.New, salt)
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashesOf returns the tombstones of a memory: one for its external id, one for what was said by whom in this scope. The
// time is no part of the second unless it has to be: short texts ("yes", "thank you") are said again and again, and an
// erased one must not silence the next.
func hashesOf(salt []byte, scopeKey string, m *cairn.Memory) []string {
	folded := strings.ToLower(strings.Join(strings.Fields(m.Text), " "))
	said := []string{"said", scopeKey, string(m.Role), m.Speaker, folded}
	if len(folded) < shortText && !m.EventTime.IsZero() {
		said = append(said, m.EventTime.Format(time.RFC3339Nano))
	}
	out := []string{mac(salt, said...)}
	if m.ExternalID != "" {
		out = append(out, mac(salt, "external", scopeKey, m.ExternalID))
	}
	return out
}

// shortText is the length in bytes below which a text says too little to be recognised by itself.
const shortText = 24
