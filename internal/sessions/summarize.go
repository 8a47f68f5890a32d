package sessions

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/summary"
	"github.com/cairn-memory/cairn/internal/truth"
)

// Summarize makes or renews the requested summaries and returns them. A session that exists in several scopes has a
// summary in each. NotFound if there is nothing to summarise.
func (ss *Sessions) Summarize(ctx context.Context, s cairn.Scope, r cairn.SummarizeRequest) (
	cairn.SummarizeResult, error) {
	out := cairn.SummarizeResult{Summaries: []cairn.Memory{}}
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
			todo = append(todo, truth.SummarizeJob{Scope: st.Scope, Of: cairn.SummaryOfSession, Subject: r.Session})
		}
	case r.Period != "":
		todo = []truth.SummarizeJob{{Scope: s, Of: cairn.SummaryOfPeriod, Subject: r.Period}}
	default:
		todo = []truth.SummarizeJob{{Scope: s, Of: cairn.SummaryOfEntity, Subject: string(r.Entity)}}
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
		return out, cairn.Errorf(cairn.NotFound, "summarize: there is nothing to summarise")
	}
	return out, nil
}

func (ss *Sessions) check(s cairn.Scope, r *cairn.SummarizeRequest) error {
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
		return cairn.Errorf(cairn.Invalid, "summarize: give exactly one of session_id, period, entity and topics")
	case r.Tokens != 0 && (r.Tokens < 20 || r.Tokens > cairn.MaxSummaryTokens):
		return cairn.Errorf(cairn.Invalid, "tokens: is %d, must be 20 to %d", r.Tokens, cairn.MaxSummaryTokens)
	case !slices.Contains([]cairn.Extraction{"", cairn.ExtractAuto, cairn.ExtractRules, cairn.ExtractLLM}, r.By):
		return cairn.Errorf(cairn.Invalid, "by: %.32q is not known; use rules, llm or auto", string(r.By))
	case r.By == cairn.ExtractLLM && ss.truth.Model == nil:
		return cairn.Errorf(cairn.Unsupported, "by: llm needs a model; start with --model, or use rules")
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
	if j.Of == cairn.SummaryOfTopic {
		_, err := ss.topics(ctx, j.Scope, cairn.SummarizeRequest{Topics: true, Tokens: j.Tokens, By: j.By})
		return err
	}
	_, _, err := ss.make(ctx, j)
	return err
}

// draft is a summary before it is stored.
type draft struct {
	sources []cairn.Memory
	text    string
	model   string // the model that wrote it; empty for an extract
	tokens  int    // budget
	usage   *cairn.Usage
}

// make makes one summary and stores it in place of the previous one; none if there is nothing to summarise.
func (ss *Sessions) make(ctx context.Context, j truth.SummarizeJob) (out []cairn.Memory, used *cairn.Usage, err error) {
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
			out = []cairn.Memory{*m}
		}
		return true, err
	})
	if err == nil {
		ss.truth.Index.Notify()
	}
	return out, used, err
}

func sameVersions(a, b []cairn.Memory) bool {
	return slices.EqualFunc(a, b, func(a, b cairn.Memory) bool { return a.ID == b.ID && a.Version == b.Version })
}

func addUsage(sum, more *cairn.Usage) *cairn.Usage {
	if more == nil {
		return sum
	}
	if sum == nil {
		sum = &cairn.Usage{}
	}
	sum.Add(*more)
	return sum
}

// write makes the text of a summary. If a model is requested and configured, the model writes it; otherwise, or if the
// model names something that is not in the sources, it is an extract.
func (ss *Sessions) write(ctx context.Context, j truth.SummarizeJob, sources []cairn.Memory) (draft, error) {
	texts := textsOf(sources)
	if j.Of == cairn.SummaryOfWindow {
		return draft{sources: sources, text: whole(texts)}, nil
	}
	d := draft{sources: sources, tokens: cmp.Or(j.Tokens, ss.config.Summary)}
	if ss.truth.Model != nil && j.By != cairn.ExtractRules {
		text, used, err := ss.byModel(ctx, j, texts, d.tokens)
		d.usage = used
		if err == nil {
			d.text, d.model = text, ss.truth.Model.Info().String()
			return d, nil
		}
		if ctx.Err() != nil || j.By == cairn.ExtractLLM {
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
		said[i] = summary.Quote{Text: i, Said: beginning(texts[i].Text, cairn.MaxTextBytes/(2*cairn.MaxWindowTurns))}
	}
	return strings.TrimRight(summary.Lines(texts, said), "\n")
}

// put stores a summary, or removes the stored one if it has no sources left.
func (ss *Sessions) put(ctx context.Context, j truth.SummarizeJob, mt material, d *draft) (*cairn.Memory, error) {
	tenant := truth.TenantOf(j.Scope)
	key := truth.SummaryKey(j.Scope, j.Of, j.Subject)
	owners, err := ss.truth.Store.Find(ctx, tenant, []cairn.Key{key})
	if err != nil {
		return nil, err
	}
	var b cairn.Batch
	if err := ss.cover(&b, mt); err != nil {
		return nil, err
	}
	var have []cairn.Memory
	if id, ok := owners[key]; ok {
		if have, err = ss.truth.Store.Get(ctx, tenant, []cairn.ID{id}); err != nil {
			return nil, err
		}
	}
	if len(mt.sources) == 0 {
		for _, m := range have {
			b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: m.Version})
			b.Delete = append(b.Delete, cairn.Ref{ID: m.ID})
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
	b.Expect = append(b.Expect, cairn.Expect{ID: m.ID, Version: m.Version})
	for i := range mt.sources {
		b.Expect = append(b.Expect, cairn.Expect{ID: mt.sources[i].ID, Version: mt.sources[i].Version})
	}
	b.Memories = []cairn.Memory{m}
	b.Claims = []cairn.Claim{{Key: key, Owner: m.ID}}
	if err := ss.books.AddSummarized(ctx, tenant, &b, m.ID, m.Summary.Sources); err != nil {
		return nil, err
	}
	if j.Of != cairn.SummaryOfWindow { // windows say nothing of their own, and are as many as turns
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
func (ss *Sessions) cover(b *cairn.Batch, mt material) error {
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
func (ss *Sessions) memoryOf(j truth.SummarizeJob, mt material, d *draft) cairn.Memory {
	now := ss.truth.Now()
	m := cairn.Memory{ID: cairn.NewID(now), Kind: cairn.KindSummary, Text: d.text, Scope: j.Scope.Bare(),
		Type: summaryType(j), Seq: mt.through, RecordedAt: now, State: cairn.StateActive,
		Summary:  &cairn.Summary{Of: j.Of, Subject: j.Subject, Through: mt.through, Tokens: d.tokens, Model: d.model},
		Metadata: map[string]any{"type": summaryType(j), "messages_count": float64(len(mt.sources))}}
	trusts := cairn.Trusts()
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
	if j.Of == cairn.SummaryOfWindow {
		m.Kind = cairn.KindWindow
	}
	return m
}

// summaryType returns the type that callers of window memories see for a summary.
func summaryType(j truth.SummarizeJob) string {
	switch {
	case j.Of == cairn.SummaryOfSession && j.Window > 0:
		return "window_summary"
	case j.Of == cairn.SummaryOfWindow:
		return cairn.TypeEpisodic
	}
	return string(j.Of) + "_summary"
}
