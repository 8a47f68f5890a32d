package sessions

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/recall/summary"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// Summarize makes or renews the requested summaries and returns them. A session that exists in several scopes has a
// summary in each. NotFound if there is nothing to summarise.
func (ss *Sessions) Summarize(ctx context.Context, s trilith.Scope, r trilith.SummarizeRequest) (
	trilith.SummarizeResult, error) {
	out := trilith.SummarizeResult{Summaries: []trilith.Memory{}}
	if err := ss.check(s, &r); err != nil {
		return out, err
	}
	if r.Topics {
		return ss.topics(ctx, s, r)
	}
	var todo []truth.SummarizeJob
	switch {
	case r.Session != "":
		_, parts, err := ss.partsOf(ctx, s, r.Session)
		if err != nil {
			return out, err
		}
		for _, st := range parts {
			todo = append(todo, truth.SummarizeJob{Scope: st.Scope, Of: trilith.SummaryOfSession, Subject: r.Session})
		}
	case r.Period != "":
		todo = []truth.SummarizeJob{{Scope: s, Of: trilith.SummaryOfPeriod, Subject: r.Period}}
	default:
		todo = []truth.SummarizeJob{{Scope: s, Of: trilith.SummaryOfEntity, Subject: string(r.Entity)}}
	}
	for _, j := range todo {
		j.Tokens, j.By, j.Scope.Actor = r.Tokens, r.By, s.Actor
		m, used, err := ss.make(ctx, j)
		if err != nil {
			return out, err
		}
		out.Summaries = append(out.Summaries, m...)
		out.Usage = addUsage(out.Usage, used)
	}
	if len(out.Summaries) == 0 {
		return out, trilith.Errorf(trilith.NotFound, "summarize: there is nothing to summarise")
	}
	return out, nil
}

func (ss *Sessions) check(s trilith.Scope, r *trilith.SummarizeRequest) error {
	if err := truth.CheckScope(s); err != nil {
		return err
	}
	set := 0
	for _, is := range []bool{r.Session != "", r.Period != "", r.Entity != "", r.Topics} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return trilith.Errorf(trilith.Invalid, "summarize: give exactly one of session_id, period, entity and topics")
	case r.Tokens != 0 && (r.Tokens < 20 || r.Tokens > trilith.MaxSummaryTokens):
		return trilith.Errorf(trilith.Invalid, "tokens: is %d, must be 20 to %d", r.Tokens, trilith.MaxSummaryTokens)
	case !slices.Contains([]trilith.Extraction{"", trilith.ExtractAuto, trilith.ExtractRules, trilith.ExtractLLM}, r.By):
		return trilith.Errorf(trilith.Invalid, "by: %.32q is not known; use rules, llm or auto", string(r.By))
	case r.By == trilith.ExtractLLM && ss.truth.Model == nil:
		return trilith.Errorf(trilith.Unsupported, "by: llm needs a model; start with --model, or use rules")
	case r.Entity != "":
		return r.Entity.Validate()
	case r.Period != "":
		_, _, err := periodOf(r.Period)
		return err
	}
	return nil
}

// Do runs a job: it makes a summary that is due, or removes one without sources.
func (ss *Sessions) Do(ctx context.Context, tenant string, j truth.SummarizeJob) error {
	j.Scope = truth.WithTenant(j.Scope, tenant)
	j.Scope.Actor = "summarize"
	if j.Of == trilith.SummaryOfTopic {
		_, err := ss.topics(ctx, j.Scope, trilith.SummarizeRequest{Topics: true, Tokens: j.Tokens, By: j.By})
		return err
	}
	_, _, err := ss.make(ctx, j)
	return err
}

// draft is a summary before it is stored.
type draft struct {
	sources []trilith.Memory
	text    string
	model   string // the model that wrote it; empty for an extract
	tokens  int    // budget
	usage   *trilith.Usage
}

// make makes one summary and stores it in place of the previous one; none if there is nothing to summarise.
func (ss *Sessions) make(ctx context.Context, j truth.SummarizeJob) (out []trilith.Memory, used *trilith.Usage, err error) {
	var d draft
	err = truth.Retry(ctx, func() (bool, error) {
		out = nil
		mt, err := ss.materialOf(ctx, j)
		if err != nil {
			return false, err
		}
		if len(mt.sources) > 0 && !sameVersions(d.sources, mt.sources) {
			if d, err = ss.write(ctx, j, mt.sources); err != nil {
				return false, err
			}
			used = addUsage(used, d.usage)
		}
		d.sources = mt.sources
		m, err := ss.put(ctx, j, mt, &d)
		if m != nil {
			out = []trilith.Memory{*m}
		}
		return true, err
	})
	if err == nil {
		ss.truth.Index.Notify()
	}
	return out, used, err
}

func sameVersions(a, b []trilith.Memory) bool {
	return slices.EqualFunc(a, b, func(a, b trilith.Memory) bool { return a.ID == b.ID && a.Version == b.Version })
}

func addUsage(sum, more *trilith.Usage) *trilith.Usage {
	if more == nil {
		return sum
	}
	if sum == nil {
		sum = &trilith.Usage{}
	}
	sum.Add(*more)
	return sum
}

// write makes the text of a summary. If a model is requested and configured, the model writes it; otherwise, or if the
// model names something that is not in the sources, it is an extract.
func (ss *Sessions) write(ctx context.Context, j truth.SummarizeJob, sources []trilith.Memory) (draft, error) {
	texts := textsOf(sources)
	if j.Of == trilith.SummaryOfWindow {
		return draft{sources: sources, text: whole(texts)}, nil
	}
	d := draft{sources: sources, tokens: cmp.Or(j.Tokens, ss.config.Summary)}
	if ss.truth.Model != nil && j.By != trilith.ExtractRules {
		text, used, err := ss.byModel(ctx, j, texts, d.tokens)
		d.usage = used
		if err == nil {
			d.text, d.model = text, ss.truth.Model.Info().String()
			return d, nil
		}
		if ctx.Err() != nil || j.By == trilith.ExtractLLM {
			return d, err
		}
		ss.truth.Logger.WarnContext(ctx, "summary: the model wrote no summary; an extract is stored instead", "error", err)
	}
	d.text = strings.TrimRight(summary.Lines(texts, summary.Extract(texts, d.tokens, ss.truth.Tokens)), "\n")
	if d.text == "" { // the sources contain no sentence
		d.text = strings.TrimRight(summary.Lines(texts, []summary.Quote{{Text: len(texts) - 1,
			Said: beginning(texts[len(texts)-1].Text, 200)}}), "\n")
	}
	return d, nil
}

// whole writes the texts of a window as lines. Long ones are cut, so that all of them have room in one memory.
func whole(texts []summary.Text) string {
	said := make([]summary.Quote, len(texts))
	for i := range texts {
		said[i] = summary.Quote{Text: i, Said: beginning(texts[i].Text, trilith.MaxTextBytes/(2*trilith.MaxWindowTurns))}
	}
	return strings.TrimRight(summary.Lines(texts, said), "\n")
}

// put stores a summary, or removes the stored one if it has no sources left.
func (ss *Sessions) put(ctx context.Context, j truth.SummarizeJob, mt material, d *draft) (*trilith.Memory, error) {
	tenant := truth.TenantOf(j.Scope)
	key := truth.SummaryKey(j.Scope, j.Of, j.Subject)
	owners, err := ss.truth.Find(ctx, tenant, []role.Key{key})
	if err != nil {
		return nil, err
	}
	var b role.Batch
	if err := ss.cover(&b, mt); err != nil {
		return nil, err
	}
	var have []trilith.Memory
	if id, ok := owners[key]; ok {
		if have, err = ss.truth.Memories(ctx, tenant, []trilith.ID{id}); err != nil {
			return nil, err
		}
	}
	if len(mt.sources) == 0 {
		for _, m := range have {
			b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
			b.Delete = append(b.Delete, role.Ref{ID: m.ID})
		}
		if len(b.Delete)+len(b.Records) > 0 {
			_, err = ss.truth.Commit(ctx, j.Scope, b)
		}
		return nil, err
	}
	m := ss.memoryOf(j, mt, d)
	if len(have) == 1 {
		m.ID, m.Version = have[0].ID, have[0].Version
	}
	b.Expect = append(b.Expect, role.Expect{ID: m.ID, Version: m.Version})
	for i := range mt.sources {
		b.Expect = append(b.Expect, role.Expect{ID: mt.sources[i].ID, Version: mt.sources[i].Version})
	}
	b.Memories = []trilith.Memory{m}
	b.Claims = []role.Claim{{Key: key, Owner: m.ID}}
	if err := ss.books.AddSummarized(ctx, tenant, &b, m.ID, m.Summary.Sources); err != nil {
		return nil, err
	}
	if j.Of != trilith.SummaryOfWindow { // windows say nothing of their own, and are as many as turns
		b.Audit = ss.truth.Audit(j.Scope, "summarize", m.ID, map[string]string{"of": string(j.Of),
			"sources": strconv.Itoa(len(mt.sources)), "model": d.model})
	}
	done, err := ss.truth.Commit(ctx, j.Scope, b)
	if err != nil {
		return nil, err
	}
	m.Version = done.Versions[0]
	return &m, nil
}

// cover records how far a session is covered, and that its job is done.
func (ss *Sessions) cover(b *role.Batch, mt material) error {
	if mt.session == nil {
		return nil
	}
	was := mt.session.Session
	st := was
	st.Queued, st.Open = false, mt.open
	if len(mt.sources) > 0 {
		st.Covered = mt.through + 1
	}
	if st == was {
		return nil
	}
	return truth.PutSession(b, was, st, mt.session.version)
}

// memoryOf turns a summary into a memory.
func (ss *Sessions) memoryOf(j truth.SummarizeJob, mt material, d *draft) trilith.Memory {
	now := ss.truth.Now()
	m := trilith.Memory{ID: trilith.NewID(now), Kind: trilith.KindSummary, Text: d.text, Scope: j.Scope.Bare(),
		Type: summaryType(j), Seq: mt.through, RecordedAt: now, State: trilith.StateActive,
		Summary:  &trilith.Summary{Of: j.Of, Subject: j.Subject, Through: mt.through, Tokens: d.tokens, Model: d.model},
		Metadata: map[string]any{"type": summaryType(j), "messages_count": float64(len(mt.sources))}}
	trusts := trilith.Trusts()
	least := 0
	for i := range mt.sources {
		src := &mt.sources[i]
		m.Summary.Sources = append(m.Summary.Sources, src.ID)
		if m.Summary.From.IsZero() || src.EventTime.Before(m.Summary.From) {
			m.Summary.From = src.EventTime
		}
		m.EventTime = truth.Later(m.EventTime, src.EventTime)
		least = max(least, slices.Index(trusts, src.Trust))
	}
	m.Trust = trusts[least]
	if j.Of == trilith.SummaryOfWindow {
		m.Kind = trilith.KindWindow
	}
	return m
}

// summaryType returns the type that callers of window memories see for a summary.
func summaryType(j truth.SummarizeJob) string {
	switch {
	case j.Of == trilith.SummaryOfSession && j.Window > 0:
		return "window_summary"
	case j.Of == trilith.SummaryOfWindow:
		return trilith.TypeEpisodic
	}
	return string(j.Of) + "_summary"
}
