package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/search/index"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Reindex deletes the text index and the vectors and rebuilds them from the truth. It calls progress with the memories
// done and the total, over both indexes.
func (o *Operator) Reindex(ctx context.Context, progress func(done, total int)) (trilith.ReindexResult, error) {
	start := o.truth.Clock()
	total := 0
	if progress != nil {
		tenants, err := o.truth.Log.Tenants(ctx, trilith.AsSystem("reindex"))
		if err != nil {
			return trilith.ReindexResult{}, err
		}
		for _, t := range tenants {
			for _, err := range o.truth.List(ctx, trilith.Scope{Tenant: t}, role.Listing{}) {
				if err != nil {
					return trilith.ReindexResult{}, err
				}
				total++
			}
		}
		if o.truth.Vectors != nil {
			total *= 2
		}
	}
	done := 0
	texts, vectors, err := o.truth.Index.Rebuild(ctx, func(n int) {
		done += n
		if progress != nil {
			progress(min(done, total), total)
		}
	})
	return trilith.ReindexResult{Texts: texts, Vectors: vectors, Seconds: o.truth.Clock().Sub(start).Seconds()}, err
}

// Doctor checks everything that can go wrong and says how to fix it. If something cannot be checked, because the store
// does not answer or is damaged there, that check fails with the reason. An error means that ctx has ended.
func (o *Operator) Doctor(ctx context.Context) (trilith.DoctorReport, error) {
	statuses, failed := o.generations.Generations(ctx)
	r := trilith.DoctorReport{Generations: make([]trilith.GenerationCount, len(statuses))}
	var dims []int
	for i, st := range statuses {
		r.Generations[i].GenerationStatus = st
		dims = append(dims, st.Generation.Dims)
	}
	slices.Sort(dims)
	checks := o.truth.Examine(ctx, slices.Compact(dims)...)
	add := checks.Add
	looked := func(name string, err error) bool { return checks.Looked(ctx, name, err) }
	looked("versions", o.checkVersions(ctx, add))
	indexed := o.truth.Index.CatchUp(ctx)
	lag, lagErr := o.truth.Index.Lag(ctx)
	looked("generations", failed)
	if x, ok := o.truth.Vectors.(role.RemoteVectors); ok {
		found, err := x.Examine(ctx, o.generations.Generation())
		looked("vectors", err)
		checks = append(checks, found...)
	}
	tenants, err := o.truth.Log.Tenants(ctx, trilith.AsSystem("doctor"))
	if looked("tenants", err) {
		o.checkTenants(ctx, tenants, lagErr != nil || lag.Vectors > 0, indexed, &r, add)
	}
	if looked("lag", lagErr) {
		add("lag", true, "", "%d changes wait for the text index, %d for vectors", lag.Text, lag.Vectors)
	}
	looked("graph", o.checkGraph(ctx, tenants, add))
	looked("unread", o.checkUnread(ctx, tenants, &checks))
	looked("usage", o.checkUsage(ctx, tenants, add))
	if o.truth.ReadOnly() == "" { // last, because its changes would look like pending vectors
		switch trouble, err := o.generations.Canary(ctx); {
		case err != nil:
		case trouble != "":
			add("canary", false, "see what the file system and the log say", "%s", trouble)
		default:
			add("canary", true, "", "written, found, read and removed")
		}
	}
	r.Checks, r.OK = checks, true
	for _, c := range checks {
		r.OK = r.OK && c.OK
	}
	return r, ctx.Err()
}

// checkTenants compares the indexes with the truth for each tenant, and checks its jobs and its audit. indexed is why
// the text index could not be brought up to date; underway says that vectors are pending.
func (o *Operator) checkTenants(ctx context.Context, tenants []string, underway bool, indexed error,
	r *trilith.DoctorReport, add addCheck) {
	var n findings
	failed := map[string]bool{}
	cannot := func(name, tenant string, err error) {
		failed[name] = true
		if ctx.Err() == nil {
			add(name, false, role.Remedy(err), "of tenant %s cannot be looked at: %v", tenant, err)
		}
	}
	open, err := o.unsealed(ctx) // now, because verifying a chain seals it
	if err != nil {
		cannot("audit", "any", err)
	}
	for _, tenant := range tenants {
		s := trilith.Scope{Tenant: tenant}
		x, truth, err := o.examine(ctx, s, underway)
		n.add(x)
		if part, ok := errors.AsType[unexamined](err); ok {
			for _, name := range examined[slices.Index(examined, part.part):] { // the others are compared with it
				cannot(name, tenant, err)
			}
		} else if err := o.countGenerations(ctx, s, x, truth, r.Generations); err != nil {
			cannot("vectors", tenant, err)
		}
		if jobs, err := o.truth.Queue.Jobs(ctx, s, trilith.JobListing{State: trilith.JobDead}); err != nil {
			cannot("jobs", tenant, err)
		} else {
			n.addDead(jobs)
		}
		if missing, of, err := o.derive.CountUnderived(ctx, tenant); err != nil {
			cannot("facts", tenant, err)
		} else {
			n.underived, n.derivable = n.underived+missing, n.derivable+of
		}
		if unsaid, err := o.derive.CountUnsaid(ctx, tenant); err != nil {
			cannot("facts", tenant, err)
		} else {
			n.unsaid += unsaid
		}
		if err := o.verifyAudit(ctx, s); err != nil {
			failed["audit"] = true
			add("audit", false, "", "tenant %s: %v", tenant, err)
		}
	}
	sum := func(name string, ok bool, fix, format string, args ...any) {
		if !failed[name] {
			add(name, ok, fix, format, args...)
		}
	}
	const repair = "trilith doctor --repair"
	sum("audit", true, "", "the chains of %d tenants are whole%s", len(tenants), open)
	sum("memories", true, "", "%d in %d tenants; %d are over and will be marked by the next sweep", n.memories,
		len(tenants), n.over)
	if indexed != nil {
		add("text index", false, role.Rescue, "cannot be brought up to date, so words find nothing: %v", indexed)
	} else {
		sum("text index", n.badTexts+n.strayTexts == 0, repair, "%d texts, %d missing or stale, %d without a memory",
			n.texts, n.badTexts, n.strayTexts)
	}
	if o.truth.Vectors != nil {
		detail := fmt.Sprintf("%d vectors of %s, %d without a memory, %d missing or stale", n.vectors,
			o.generations.Generation(), n.orphans, n.missing)
		if len(r.Generations) > 0 && r.Generations[0].Cut+r.Generations[0].Refused > 0 {
			detail += fmt.Sprintf(", %d of the beginning of a text only, %d texts refused so far", r.Generations[0].Cut,
				r.Generations[0].Refused)
		}
		sum("vectors", n.orphans+n.missing == 0, repair, "%s", detail)
	} else {
		sum("vectors", true, "", "no embedder configured")
	}
	for _, g := range r.Generations[min(1, len(r.Generations)):] {
		add(string(g.State), true, "", "%s: %d vectors, %d missing or stale", g.Generation, g.Vectors, g.Missing)
	}
	sum("facts", true, "", "of %d conversations and notes %d gave none because nothing asked for any; trilith call reextract --missing derives them%s",
		n.derivable, n.underived, n.unfound())
	sum("jobs", n.dead == 0, "trilith call list-jobs --state dead, then "+repair+", or trilith call retry-job ID for those of a model",
		"%d gave up%s", n.dead, n.unread())
}

// checkUnread names turns without facts because of a bug. That is a warning: their words are stored.
func (o *Operator) checkUnread(ctx context.Context, tenants []string, checks *role.Checks) error {
	var all []trilith.ID
	for _, tenant := range tenants {
		unread, err := derive.Unread(ctx, o.derive, trilith.Scope{Tenant: tenant})
		if err != nil {
			return err
		}
		all = append(all, unread...)
	}
	if len(all) > 0 {
		checks.Warn("unread", fmt.Sprintf("%d turns have no facts because of a bug, which the log describes: %s",
			len(all), all[:min(len(all), 10)]), "update trilith, then trilith call reextract")
	}
	return nil
}

// checkUsage reports today's usage of providers, and the tenants with a spent budget.
func (o *Operator) checkUsage(ctx context.Context, tenants []string, add addCheck) error {
	var requests, tokens, over int
	for _, tenant := range tenants {
		report, err := o.usage.Usage(ctx, trilith.Scope{Tenant: tenant}, trilith.UsageQuery{Days: 1})
		if err != nil {
			return err
		}
		for _, l := range report.Lines {
			requests += l.Requests
			tokens += l.InputTokens + l.OutputTokens
		}
		if slices.ContainsFunc(report.Budget, func(b trilith.BudgetState) bool { return b.Used >= b.Most }) {
			over++
		}
	}
	add("usage", true, "", "%d requests and %d tokens of providers today; %d tenants are over their budget",
		requests, tokens, over)
	return nil
}

type addCheck func(name string, ok bool, fix, format string, args ...any)

// checkVersions reports the versions that wrote the memory. Opening has already failed for incompatible ones.
func (o *Operator) checkVersions(ctx context.Context, add addCheck) error {
	detail := fmt.Sprintf("program %s, text recipe %d", o.truth.Version, index.RecipeVersion)
	schema, err := o.truth.Schema(ctx)
	if err != nil {
		return err
	}
	if schema > 0 {
		detail += fmt.Sprintf(", schema %d", schema)
	}
	if o.truth.Vectors != nil {
		detail += ", vectors " + o.generations.Generation().Key()
	}
	add("versions", true, "", "%s", detail)
	return nil
}

// findings add up the examinations of all tenants.
type findings struct {
	memories, over, texts, vectors, badTexts, strayTexts, orphans, missing, dead, byModel int
	derivable, underived                                                                  int // sources
	unsaid                                                                                int // facts
}

// unfound tells of facts that the rules of today would not find.
func (n *findings) unfound() string {
	if n.unsaid == 0 {
		return ""
	}
	return fmt.Sprintf("; the rules of today would not find %d facts; trilith call reextract removes them", n.unsaid)
}

func (n *findings) addDead(jobs []trilith.Job) {
	for _, j := range jobs {
		n.dead++
		if j.Kind == derive.JobDistil {
			n.byModel++
		}
	}
}

// unread describes the consequences of a model that gave up.
func (n *findings) unread() string {
	if n.byModel == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them because of a model: only rules have read those texts", n.byModel)
}

func (n *findings) add(x examination) {
	n.memories, n.over, n.texts, n.vectors = n.memories+x.memories, n.over+x.over, n.texts+x.texts, n.vectors+x.vectors
	n.badTexts, n.strayTexts = n.badTexts+len(x.badTexts), n.strayTexts+len(x.strayTexts)
	n.orphans, n.missing = n.orphans+len(x.orphans), n.missing+len(x.missing)
}

// examination compares the indexes with the truth for a tenant.
type examination struct {
	memories, over, texts, vectors int
	badTexts, missing              []trilith.ID // missing in the index, or stale
	strayTexts, orphans            []trilith.ID // without a memory
}

// examined lists the checks of [Operator.examine], by name and in order.
var examined = []string{"memories", "text index", "vectors"}

// unexamined lists the parts that could not be checked.
type unexamined struct {
	part string
	error
}

func (u unexamined) Unwrap() error { return u.error }

// examine compares the indexes of a tenant with the truth. It returns the memories that may have a vector, as versions by
// id. While vectors are pending, none counts as missing.
func (o *Operator) examine(ctx context.Context, s trilith.Scope, underway bool) (
	x examination, embedded map[trilith.ID]int64, err error) {
	now := o.truth.Now()
	stored, embedded := map[trilith.ID]int64{}, map[trilith.ID]int64{}
	var damaged truth.Damages // checkSums counts them; their index entries are not strays
	for m, err := range truth.Sound(o.truth.List(ctx, s, role.Listing{}), damaged.Note) {
		if err != nil {
			return x, embedded, unexamined{"memories", err}
		}
		stored[m.ID] = m.Version
		if o.truth.Index.Holds(&m) {
			embedded[m.ID] = m.Version
		}
		if m.StateAt(now) != m.State {
			x.over++
		}
	}
	x.memories = len(stored)
	stamps, err := o.truth.Text.Stamps(ctx, s, nil)
	if err != nil {
		return x, embedded, unexamined{"text index", err}
	}
	stamps = damaged.Without(stamps)
	x.texts = len(stamps)
	x.badTexts, x.strayTexts = compareStamps(stored, stamps)
	if o.truth.Vectors == nil {
		return x, embedded, nil
	}
	if stamps, err = o.truth.Vectors.Stamps(ctx, s, o.generations.Generation(), nil); err != nil {
		return x, embedded, unexamined{"vectors", err}
	}
	stamps = damaged.Without(stamps)
	x.vectors = len(stamps)
	without, orphans := compareStamps(embedded, stamps)
	x.orphans = orphans
	if !underway {
		if x.missing, err = o.embeddable(ctx, s, without); err != nil {
			return x, embedded, unexamined{"vectors", err}
		}
	}
	return x, embedded, nil
}

// compareStamps returns the ids that an index lacks or has in another version, and those that only the index has.
func compareStamps(truth map[trilith.ID]int64, stamps []role.Stamp) (bad, stray []trilith.ID) {
	good := make(map[trilith.ID]bool, len(stamps))
	for _, st := range stamps {
		version, ok := truth[st.ID]
		if !ok {
			stray = append(stray, st.ID)
		}
		good[st.ID] = ok && version == st.Version
	}
	for id := range truth {
		if !good[id] {
			bad = append(bad, id)
		}
	}
	slices.Sort(bad)
	return bad, stray
}

// maxAsked is how many memories the doctor embeds with a service that costs, to find out whether they should have a
// vector.
const maxAsked = 100

// embeddable returns the memories without a vector for which the embedder returns one: a text without a word has none.
// Beyond maxAsked of a service that costs, it assumes so.
func (o *Operator) embeddable(ctx context.Context, s trilith.Scope, without []trilith.ID) (out []trilith.ID, err error) {
	gen := o.generations.Generation()
	if len(without) > maxAsked && index.Costs(gen) {
		return without, nil
	}
	for ids := range slices.Chunk(without, maxAsked) {
		ms, _, err := truth.SoundOf(o.truth.Memories(ctx, s, ids))
		if err != nil {
			return nil, err
		}
		texts := make([]string, len(ms))
		for i := range ms {
			texts[i] = index.VectorTextOf(gen, &ms[i])
		}
		vs, err := o.generations.VectorsOf(ctx, s, o.generations.Current.Load(), role.ForDocument, texts)
		if err != nil {
			return without, nil // a failing embedder explains why they have none
		}
		for i, v := range vs {
			if v != nil {
				out = append(out, ms[i].ID)
			}
		}
	}
	return out, nil
}

// verifyAudit verifies the tenant's chain from its beginning. unsealed reports how many entries of the audit are in no
// chain yet; "" if none.
func (o *Operator) unsealed(ctx context.Context) (string, error) {
	sealer, ok := o.truth.Log.(role.Sealer)
	if !ok {
		return "", nil
	}
	n, err := sealer.Unsealed(ctx, trilith.AsSystem("doctor"))
	if err != nil || n == 0 {
		return "", err
	}
	return fmt.Sprintf("; %d entries had still to be sealed", n), nil
}

func (o *Operator) verifyAudit(ctx context.Context, s trilith.Scope) error {
	var prev trilith.AuditEntry
	for {
		entries, err := o.truth.Log.Audit(ctx, s, prev.Seq, 1000)
		if err != nil || len(entries) == 0 {
			return err
		}
		if err := trilith.VerifyAudit(prev, entries); err != nil {
			return err
		}
		prev = entries[len(entries)-1]
	}
}

// Status describes a running engine: the number of pending changes of each index, counted up to a thousand.
type Status struct {
	LagText    int    `json:"lag_text"`
	LagVectors int    `json:"lag_vectors"`
	Generation string `json:"generation,omitempty"`
	ReadOnly   string `json:"read_only,omitempty"` // why nothing can be written, as a sentence

	UnkeptTexts, UnkeptVectors int64 `json:"-"` // how often a snapshot could not be saved
}

// Status returns how far the indexes are behind. It fails if the store does not answer.
func (o *Operator) Status(ctx context.Context) (Status, error) {
	lag, err := o.truth.Index.Lag(ctx)
	st := Status{LagText: lag.Text, LagVectors: lag.Vectors, ReadOnly: o.truth.ReadOnly()}
	st.UnkeptTexts, st.UnkeptVectors = o.truth.Index.SnapshotFailures()
	if o.truth.Vectors != nil {
		st.Generation = o.generations.Generation().Key()
	}
	return st, err
}

// Settle waits for the vectors of everything committed before the call, and runs the jobs for an embedder that are due.
func (o *Operator) Settle(ctx context.Context) error {
	if o.truth.ForReading { // no process makes them
		return o.truth.Index.CatchUp(ctx)
	}
	if err := o.jobs.WorkEmbed(ctx); err != nil {
		return err
	}
	heads, err := role.Heads(ctx, o.truth.Log, trilith.AsSystem("settle"))
	if err != nil {
		return err
	}
	for shard, head := range heads {
		if err := o.truth.Index.Await(ctx, shard, head); err != nil {
			return err
		}
	}
	return o.truth.Index.CatchUp(ctx)
}
