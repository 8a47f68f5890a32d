package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/lang/survive"
	"github.com/trilith-memory/trilith/internal/recall"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/talk/inserts"
	"github.com/trilith-memory/trilith/internal/talk/media"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
	"github.com/trilith-memory/trilith/internal/truth/ingest"
)

// Remember stores the items of a request. An item that may not be stored is refused with its reason; the others are
// stored together or not at all. When it returns without an error they are durable and can be found by their words, and
// with [trilith.WaitIndexed] by their meaning too. A wait that is ended by ctx returns an error along with a result that
// is Pending: the words are stored.
func (e *Engine) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	w := write{e: e, scope: s, req: r}
	res, err := w.rememberDeriving(ctx)
	if err == nil {
		e.keepFiles(ctx, s, r.Messages, &res)
	}
	if r.Note != nil && r.ExternalID == "" && len(res.Memories) == 1 && !res.Replayed {
		res.KnownAs = recall.Known(ctx, e.recall, s, &res.Memories[0])
	}
	return res, err
}

// Remember stores something. With a RequestKey it can be repeated: the second time it changes nothing. If nothing of it
// is stored, that is an error, a [*trilith.Refused].
func (c Changes) Remember(ctx context.Context, s trilith.Scope, r trilith.RememberRequest) (trilith.RememberResult, error) {
	out, err := c.e.Remember(ctx, s, r)
	if err == nil {
		err = out.Refusal("request")
	}
	return out, err
}

// keepFiles stores the files of messages that a model can read, next to their words. Others stay among those omitted.
func (e *Engine) keepFiles(ctx context.Context, s trilith.Scope, ms trilith.Messages, res *trilith.RememberResult) {
	read := media.Jobs(e.truth.Model)
	kinds := map[trilith.PartKind]trilith.MediaKind{trilith.ImagePart: trilith.MediaImage,
		trilith.AudioPart: trilith.MediaAudio, trilith.FilePart: trilith.MediaPages}
	for _, m := range ms {
		for _, f := range m.Files {
			if !slices.Contains(read, media.JobOf(kinds[f.Kind])) {
				continue
			}
			kept, err := e.media.Put(ctx, s, trilith.NewMedia{Name: cmp.Or(f.Name, string(f.Kind)), Data: f.Data,
				Timestamp: m.Timestamp, DryRun: res.DryRun})
			if err != nil { // the words are stored
				e.truth.Logger.WarnContext(ctx, "remember: a file of a message is not stored", "error", err)
				continue
			}
			res.Media = append(res.Media, kept.ID)
			if res.Omitted[f.Kind]--; res.Omitted[f.Kind] == 0 {
				delete(res.Omitted, f.Kind)
			}
		}
	}
}

// rememberDeriving stores the request and derives facts from it as requested.
func (w *write) rememberDeriving(ctx context.Context) (trilith.RememberResult, error) {
	if err := truth.CheckScope(w.scope); err != nil {
		return trilith.RememberResult{}, err
	}
	mode, err := w.e.derive.Mode(ctx, w.scope, &w.req)
	if err != nil {
		return trilith.RememberResult{}, err
	}
	derives, err := w.e.derive.CheckExtraction(mode, w.req.Profile)
	if err != nil {
		return trilith.RememberResult{}, err
	}
	if derives {
		w.about, w.extraction = derive.Subject, &extraction{mode: mode, profile: w.req.Profile}
	}
	return w.remember(ctx)
}

// remember stores the request; its scope has been checked.
func (w *write) remember(ctx context.Context) (trilith.RememberResult, error) {
	e, s, r := w.e, w.scope, w.req
	err := w.read(ctx)
	if err != nil {
		return trilith.RememberResult{}, err
	}
	w.req.RequestKey = truth.RequestKey(s, r.RequestKey)
	who := w.who // a second attempt needs a new one: its results may have changed
	if err := truth.Retry(ctx, func() (bool, error) {
		w.who, who = cmp.Or(who, e.entities.Resolver(s, &role.Batch{})), nil
		again, err := w.prepare(ctx)
		if err != nil || w.answered {
			return again, err
		}
		if w.result.Vectors, err = w.seed(ctx); err != nil {
			return false, err
		}
		w.done, err = e.truth.Commit(ctx, s, w.batch)
		return true, err
	}); err != nil {
		return trilith.RememberResult{}, err
	}
	if !r.DryRun && !w.result.Replayed {
		for _, refused := range w.result.Rejected {
			e.truth.Meter.Refused(refused.Reason)
		}
	}
	if r.Document != nil && r.ExternalID != "" && !r.DryRun && !w.result.Replayed {
		if err := e.facts.UpdateDocument(ctx, s, r.ExternalID, w.passages()); err != nil {
			return w.result, err
		}
	}
	if w.answered && !w.result.Replayed {
		return w.result, nil
	}
	if !w.answered {
		for i, v := range w.done.Versions {
			w.batch.Memories[i].Version = v
		}
		for i := range w.result.Memories {
			w.result.Memories[i].Version = w.done.Versions[i]
		}
		e.truth.Index.Notify()
		if w.result.Vectors > 0 { // now, before later embeddings displace them from the cache
			if err := e.truth.Index.Await(ctx, w.done.Shard, w.done.Cursor); err != nil {
				return w.result, err
			}
		}
		w.committed(ctx)
		w.result.Indexed = e.truth.Vectors == nil
	}
	ids := make([]trilith.ID, len(w.result.Memories))
	for i := range ids {
		ids[i] = w.result.Memories[i].ID
	}
	var left trilith.Job
	w.result.Pending, left, err = e.await(ctx, s, r.Wait, w.done, ids)
	w.result.JobID, w.result.ModelError = left.ID, modelError(&left)
	if err != nil {
		return w.result, err
	}
	waited := r.Wait == trilith.WaitIndexed || r.Wait == trilith.WaitExtracted
	w.result.Indexed = w.result.Indexed || waited && !w.result.Pending
	if r.Wait == trilith.WaitExtracted && !w.result.Pending {
		if w.result.Usage, err = e.derive.UsageOf(ctx, s, ids); err != nil {
			return w.result, err
		}
	}
	return w.result, nil
}

// seed caches the embedding that came with an entry, if it belongs to exactly the text that would be embedded.
func (w *write) seed(ctx context.Context) (int, error) {
	if w.req.Vector == nil || w.req.Entry == nil {
		return 0, nil
	}
	return w.e.truth.Index.SeedEmbeddings(ctx, w.scope.Tenant, []index.ProvidedEmbedding{{
		Memory: &w.batch.Memories[0], Text: index.EmbeddingTextOf(&trilith.Memory{Entry: w.req.Entry}),
		Vector: w.req.Vector}})
}

// write is the state of one call of Remember.
type write struct {
	e     *Engine
	scope trilith.Scope
	req   trilith.RememberRequest
	plan  ingest.Plan

	extraction *extraction // may be nil
	// about returns the entity that the words are about; nil: none is needed
	about func(context.Context, *entities.Resolver) (entities.Party, error)
	who   *entities.Resolver // of this attempt
	hash  string             // distinguishes requests under one idempotency key; empty: computed from the request

	kept     []ingest.Draft // drafts that passed the gate, those of inserts at the end
	inserted []ingest.Draft // what programs inserted into them
	rejected []trilith.Rejection
	masked   int
	maskedIn []string // fields in which secrets were masked

	beside   truth.AlsoCommit // may be nil
	batch    role.Batch
	result   trilith.RememberResult
	ids      []trilith.ID // of the source's memories
	done     role.Commit  // of the batch
	repeats  trilith.ID   // a stored turn that the request sends again
	answered bool         // result is final, and nothing has to be committed

	tries   int              // attempts to store the facts together with the text
	derived bool             // the batch holds the facts
	closed  []trilith.Memory // facts that the new facts close, as they were before
}

// read cuts the request into drafts and lets the gate check every one. A request at which cutting panics is Invalid: it
// fails again when it is repeated.
func (w *write) read(ctx context.Context) error {
	err := survive.Do(func() (err error) {
		w.plan, err = ingest.Read(w.req, w.e.truth.ClockOf(w.scope).Now)
		return err
	})
	if survive.Is(err) {
		w.e.truth.Logger.ErrorContext(ctx, "remember: a request cannot be read", "panic", err)
		return trilith.Errorf(trilith.Invalid, "request: %s; nothing of it is stored", unread)
	}
	ids := map[string]string{"external_id": w.req.ExternalID}
	for i := range w.req.Messages {
		ids[fmt.Sprintf("messages[%d].external_id", i)] = w.req.Messages[i].ExternalID
	}
	err = cmp.Or(err, truth.RefuseSecretIDs(ids))
	if err != nil {
		return err
	}
	for _, d := range w.plan.Drafts {
		if err := survive.Do(func() error { w.checkDraft(d); return nil }); err != nil {
			w.e.truth.Logger.ErrorContext(ctx, "remember: an item cannot be read", "index", d.Index, "panic", err)
			w.rejected = append(w.rejected, trilith.Rejection{Index: d.Index, Reason: trilith.ReasonUnread, Detail: unread})
		}
	}
	w.kept = append(w.kept, w.inserted...)
	if clean, n := gate.Mask(w.plan.Name); n > 0 { // of a document; its passages carry it as metadata
		w.plan.Name = clean
		w.maskedIn = append(w.maskedIn, "document.name")
	}
	w.maskedIn = truth.MaskingOf(w.masked, w.maskedIn).MaskedIn
	return nil
}

// unread says why something is refused.
const unread = "reading it fails because of a bug in this program, which the log describes"

// checkDraft lets the gate check a draft, which is kept or refused.
func (w *write) checkDraft(d ingest.Draft) {
	v := w.e.truth.Policy.Check(d.Memory.Role, d.Memory.Trust, d.Memory.Text)
	if v.Reason != "" {
		w.rejected = append(w.rejected, trilith.Rejection{Index: d.Index, Reason: v.Reason, Detail: v.Detail})
		return
	}
	k := truth.NewMasker()
	k.MaskBeside(&d.Memory)
	w.masked += v.Masked + len(k.Places)
	switch {
	case d.Memory.Entry != nil && v.Text != d.Memory.Text:
		k.MaskEntry(w.e.truth.Policy, &d.Memory)
	case v.Masked > 0:
		k.Places = append(k.Places, truth.TextPlace(w.plan.Kind))
	}
	w.maskedIn = append(w.maskedIn, truth.PlacesOf(w.plan.Kind, &d, k.Places)...)
	d.Memory.Text = v.Text
	d.Memory.State = trilith.StateActive
	if v.Quarantine {
		d.Memory.State = trilith.StateQuarantined
	}
	said, inserted := w.divide(d)
	w.kept = append(w.kept, said)
	if inserted != nil {
		w.inserted = append(w.inserted, *inserted)
	}
}

// divide returns the draft with only the words of its person or author, and a second one with the text that programs
// inserted. This program text has the role system, because it tells no person's life. If the draft is nothing else, the
// first result is the program text. It reads like an instruction by nature. It is not quarantined, since an answer has
// it only if the request names its role.
func (w *write) divide(d ingest.Draft) (ingest.Draft, *ingest.Draft) {
	m := &d.Memory
	if m.Kind != trilith.KindNote && (m.Kind != trilith.KindEpisode || m.Role != trilith.RoleUser) {
		return d, nil
	}
	said, inserted := inserts.Cut(m.Text)
	if inserted == "" {
		m.Text = said
		return d, nil
	}
	program := d
	p := &program.Memory
	p.Text, p.Role, p.Speaker = inserted, trilith.RoleSystem, ""
	p.Trust, p.State = trilith.TrustToolOutput, trilith.StateActive
	if said == "" {
		return program, nil
	}
	m.State, m.Text, program.Inserted = trilith.StateActive, said, true
	if m.Trust == trilith.TrustImported && gate.Instruction(said) != "" {
		m.State = trilith.StateQuarantined
	}
	if m.ExternalID != "" {
		p.ExternalID = string(trilith.DeriveID("inserted", m.ExternalID))
	}
	return d, &program
}

// prepare reads the state that the write depends on and makes the batch. It is repeated after a conflict.
func (w *write) prepare(ctx context.Context) (again bool, err error) {
	requestHash := w.requestHash()
	tombstones, err := w.e.truth.Tombstones(ctx, w.scope)
	if err != nil {
		return false, err
	}
	owners := map[role.Key]trilith.ID{}
	if keys := w.keys(tombstones); len(keys) > 0 {
		if owners, err = w.e.truth.Find(ctx, truth.TenantOf(w.scope), keys); err != nil {
			return false, err
		}
	}
	if id, ok := owners[w.requestKey()]; ok && w.req.RequestKey != "" {
		w.answered = true
		w.result, err = w.e.replay(ctx, w.scope, id, requestHash)
		w.result.Omitted = w.plan.Omitted
		return false, err
	}
	fresh, rejected := w.sift(tombstones, owners)
	w.result = trilith.RememberResult{Memories: []trilith.Memory{}, Rejected: rejected, Masked: w.masked,
		MaskedIn: w.maskedIn, Omitted: w.plan.Omitted, DryRun: w.req.DryRun, Indexed: true}
	said := len(fresh) - inserted(fresh)
	if said == 0 {
		w.answered = true
		return false, nil
	}
	if len(fresh) > role.MaxBatch {
		return false, trilith.Errorf(
			trilith.Exhausted, "%s: holds %d passages or turns and inserts, at most %d can be stored at once; send it in parts",
			w.plan.Kind, len(fresh), role.MaxBatch)
	}

	src := trilith.Source{ID: w.sourceID(fresh, requestHash), Kind: w.plan.Kind, Name: w.plan.Name, Scope: w.scope.Bare(),
		RecordedAt:  w.e.truth.Now(),
		ContentHash: w.plan.Hash, RequestKey: w.req.RequestKey, Rejected: rejected, Masked: w.masked,
		MaskedIn: w.maskedIn, Inserted: len(fresh) - said, Fixed: w.scope.Fixed}
	if w.req.RequestKey != "" {
		src.RequestHash = requestHash
	}
	b, err := w.batchOf(ctx, &src, fresh, owners)
	if err != nil {
		return false, err
	}
	w.result.Memories = slices.Clone(b.Memories[:said])
	w.result.SourceID, w.ids = src.ID, src.MemoryIDs
	if w.req.DryRun {
		w.result.SourceID = ""
		w.answered = true
		return false, nil
	}
	var about entities.Party
	if w.about != nil {
		if about, err = w.about(ctx, w.who); err != nil {
			return false, err
		}
		add(&b, w.who.Batch)
	}
	others := b.Jobs
	b.Jobs = nil
	if w.extraction != nil {
		how, err := w.e.derive.Method(ctx, w.scope, about.Of, w.extraction.mode, w.extraction.profile, w.req.Fallback)
		if err != nil {
			return false, err
		}
		how.InProject = how.InProject || w.req.InProject && w.scope.Project == "" // in a project it is so anyway
		src.Extraction = &how
		if b.Jobs, err = w.e.derive.ExtractionJobs(how, src.Fixed, derive.Active(w.result.Memories), false); err != nil {
			return false, err
		}
	}
	if err := b.Put(role.RecordSource, src.ID, src); err != nil {
		return false, err
	}
	b.Audit = append(b.Audit, w.e.truth.Audit(w.scope, "remember", src.ID,
		map[string]string{"memories": strconv.Itoa(len(fresh))})...)
	w.batch = w.deriveNow(ctx, b)
	w.batch.Jobs = append(slices.Clip(w.batch.Jobs), others...)
	if w.beside != nil {
		var more role.Batch
		more, err = w.beside(ctx, &w.result)
		add(&w.batch, &more)
	}
	return true, err
}

func (w *write) requestKey() role.Key {
	return role.Key{Space: role.KeyRequest, Value: w.req.RequestKey}
}

// keys returns the keys that show which items of the request are stored already, were forgotten, or were erased.
func (w *write) keys(tombstones truth.Tombstones) []role.Key {
	keys := make([]role.Key, 0, len(w.kept)+1)
	if w.req.RequestKey != "" {
		keys = append(keys, w.requestKey())
	}
	scopeKey := truth.ScopeText(w.scope)
	for _, d := range w.kept {
		if d.Memory.ExternalID != "" {
			keys = append(keys, truth.ExternalKey(scopeKey, d.Memory.ExternalID))
		}
		if d.Timed {
			keys = append(keys, w.forgottenKey(d), w.saidKey(d))
		}
		keys = append(keys, tombstones.Keys(scopeKey, d, w.derivedID(scopeKey, d))...)
	}
	return keys
}

// sift returns the new items of the request, and those that are not stored with the reasons, in the order of the
// request.
func (w *write) sift(tombstones truth.Tombstones, owners map[role.Key]trilith.ID) (
	fresh []ingest.Draft, rejected []trilith.Rejection) {
	scopeKey := truth.ScopeText(w.scope)
	rejected = append([]trilith.Rejection{}, w.rejected...)
	fresh = make([]ingest.Draft, 0, len(w.kept))
	for _, d := range w.kept {
		ext := d.Memory.ExternalID
		stored := owners[truth.ExternalKey(scopeKey, ext)]
		_, gone := owners[w.forgottenKey(d)]
		said, refused := owners[w.saidKey(d)], len(rejected)
		switch {
		case tombstones.Hit(owners, scopeKey, d, w.derivedID(scopeKey, d)):
			rejected = append(rejected,
				trilith.Rejection{Index: d.Index, Reason: trilith.ReasonErased, Detail: "it was erased and stays so"})
		case ext != "" && stored != "":
			w.repeats = stored
			rejected = append(rejected,
				trilith.Rejection{Index: d.Index, Reason: trilith.ReasonDuplicate, Detail: "external_id is stored already"})
		case gone && d.Timed:
			rejected = append(rejected,
				trilith.Rejection{Index: d.Index, Reason: trilith.ReasonForgotten,
					Detail: "it was forgotten; set the state of that memory to active to bring it back"})
		case ext == "" && d.Timed && said != "":
			w.repeats = said
			rejected = append(rejected,
				trilith.Rejection{Index: d.Index, Reason: trilith.ReasonDuplicate,
					Detail: "the same was said by the same speaker at the same time, and is stored already"})
		default:
			fresh = append(fresh, d)
		}
		if d.Inserted { // the turn's answer is the answer
			rejected = rejected[:refused]
		}
	}
	slices.SortFunc(rejected, func(a, b trilith.Rejection) int { return a.Index - b.Index })
	return fresh, rejected
}

// batchOf returns the batch that stores the new items as memories of a source, which lists their ids. owners gets their
// claims.
func (w *write) batchOf(ctx context.Context, src *trilith.Source, fresh []ingest.Draft, owners map[role.Key]trilith.ID) (
	role.Batch, error) {
	now, scopeKey := src.RecordedAt, truth.ScopeText(w.scope)
	b := role.Batch{Expect: []role.Expect{{Kind: role.RecordSource, ID: src.ID}}}
	if w.req.RequestKey != "" {
		b.Claims = append(b.Claims, role.Claim{Key: w.requestKey(), Owner: src.ID})
	}
	var session truth.Session
	var version int64
	counted := w.scope.Session != "" && fresh[0].Memory.Kind == trilith.KindEpisode
	if counted {
		var err error
		if session, version, err = truth.DerivedRecordsOf(w.e.truth).SessionOf(ctx, w.scope); err != nil {
			return b, err
		}
	}
	for i, d := range fresh {
		m := d.Memory
		m.Scope, m.SourceID, m.RecordedAt, m.Version = w.scope.Bare(), src.ID, now, 1
		if m.ID = w.derivedID(scopeKey, d); m.ID == "" {
			m.ID = trilith.NewID(now)
		}
		if !d.Timed {
			m.EventTime = now
		}
		if m.Kind == trilith.KindEpisode {
			m.Seq = session.Next + i
		}
		// equal turns of one request are separate memories
		if said := w.saidKey(d); m.Kind == trilith.KindEpisode && d.Timed && owners[said] == "" {
			owners[said] = m.ID
			b.Claims = append(b.Claims, role.Claim{Key: said, Owner: m.ID})
		}
		if m.ExternalID != "" {
			b.Claims = append(b.Claims, role.Claim{Key: truth.ExternalKey(scopeKey, m.ExternalID), Owner: m.ID})
		}
		b.Expect = append(b.Expect, role.Expect{ID: m.ID})
		b.Memories = append(b.Memories, m)
		src.MemoryIDs = append(src.MemoryIDs, m.ID)
	}
	if counted {
		if err := truth.DerivedRecordsOf(w.e.truth).AddTurns(&b, session, version, b.Memories, true); err != nil {
			return b, err
		}
	}
	return b, w.supersede(ctx, &b)
}

// supersede ends the memories that the request replaces. Their valid time ends when the new memory begins to hold, and
// their transaction time ends now. A memory that is replaced by a planned one holds until then.
func (w *write) supersede(ctx context.Context, b *role.Batch) error {
	if len(w.req.Supersedes) == 0 {
		return nil
	}
	old, err := w.e.truth.Memories(ctx, w.scope, w.req.Supersedes)
	if err != nil {
		return err
	}
	if len(old) != len(w.req.Supersedes) {
		return trilith.Errorf(trilith.NotFound, "supersedes: holds an id that does not exist in this scope")
	}
	successor := &b.Memories[0]
	successor.Supersedes = slices.Clone(w.req.Supersedes)
	for _, m := range old {
		if err := facts.CheckChange(w.scope, &m); err != nil {
			return err
		}
		switch m.State {
		case trilith.StateSuperseded:
			return trilith.Errorf(trilith.Invalid, "supersedes: %s was already replaced by %s", m.ID, m.SupersededBy)
		case trilith.StateRetracted:
			return trilith.Errorf(trilith.Invalid, "supersedes: %s was forgotten; bring it back first", m.ID)
		}
		b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
		until, at := truth.Later(successor.EventTime, m.EventTime), successor.RecordedAt
		m.SupersededBy, m.ValidUntil = successor.ID, &until
		if !trilith.Ahead(until, w.e.truth.Now()) {
			m.State, m.SupersededAt = trilith.StateSuperseded, &at
		}
		b.Memories = append(b.Memories, m)
	}
	return nil
}

// replay answers a repeated request with the first answer.
func (e *Engine) replay(ctx context.Context, s trilith.Scope, source trilith.ID, requestHash string) (
	trilith.RememberResult, error) {
	src, _, err := e.source(ctx, truth.TenantOf(s), source)
	switch {
	case trilith.Is(err, trilith.NotFound) || err == nil && src.RequestHash != requestHash:
		return trilith.RememberResult{}, truth.ErrKeyTaken
	case err != nil:
		return trilith.RememberResult{}, err
	}
	ms, err := e.truth.Memories(ctx, s, src.MemoryIDs[:len(src.MemoryIDs)-src.Inserted])
	if err != nil {
		return trilith.RememberResult{}, err
	}
	r := trilith.RememberResult{Memories: ms, Rejected: src.Rejected, SourceID: src.ID, Masked: src.Masked,
		MaskedIn: src.MaskedIn, Replayed: true,
		Indexed: e.truth.Vectors == nil}
	if r.Memories == nil {
		r.Memories = []trilith.Memory{}
	}
	if r.Rejected == nil {
		r.Rejected = []trilith.Rejection{}
	}
	return r, nil
}

// source reads a source with its version.
func (e *Engine) source(ctx context.Context, s trilith.Scope, id trilith.ID) (trilith.Source, int64, error) {
	src, version, err := truth.ReadRecord[trilith.Source](ctx, e.truth, s, role.RecordSource, id)
	if err == nil && version == 0 {
		err = trilith.Errorf(trilith.NotFound, "source %s does not exist", id)
	}
	return src, version, err
}
