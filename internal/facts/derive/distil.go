package derive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/facts/reconcile"
	"github.com/trilith-memory/trilith/internal/lang/extract"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
	"github.com/trilith-memory/trilith/internal/truth/gate"
)

// JobDistil is the kind of job that derives facts from episodes by rules and then with a model. A process without a
// model leaves it to others.
const JobDistil = "distil"

// CheckExtraction reports whether facts are to be derived, and returns an error if that is impossible.
func (dv *Deriver) CheckExtraction(mode trilith.Extraction, name string) (derive bool, err error) {
	switch mode {
	case "", trilith.ExtractNone:
		if name != "" {
			return false, trilith.Errorf(
				trilith.Invalid, "profile: says what to look for, but extract does not ask for facts; set extract to llm or auto")
		}
		return false, nil
	case trilith.ExtractRules, trilith.ExtractAuto:
	case trilith.ExtractLLM:
		if dv.truth.Model == nil {
			return false, trilith.Errorf(
				trilith.Unsupported, "extract: llm needs a model, and none is configured; start with --model, or use rules or auto")
		}
	default:
		return false, trilith.Errorf(trilith.Invalid, "extract: %.32q is not one of none, rules, llm, auto", string(mode))
	}
	if name != "" {
		_, err = dv.profile(name)
	}
	return true, err
}

// Method returns how facts are derived for a request in this mode: with which profile of a model, by roles or not, and
// whether rules read it as of a project: a profile that knows milestones is for those. Without a name the project's
// profile is used, or else the fallback.
func (dv *Deriver) Method(ctx context.Context, s trilith.Scope, about trilith.ID, mode trilith.Extraction,
	name, fallback string) (trilith.SourceExtraction, error) {
	how, told := trilith.SourceExtraction{Entity: about, Mode: mode, Profile: name}, name+fallback != ""
	if mode == trilith.ExtractRules && s.Project != "" && !told {
		return how, nil
	}
	if name == "" {
		d, err := dv.settingsOf(ctx, s)
		if err != nil {
			return how, err
		}
		how.Profile = d.Name
		if fallback != "" && d.Project == "" {
			how.Profile = fallback
		} else if len(d.Choices) > 0 {
			how.ByRole = d.byRole()
			if how.Phase, err = phaseOf(ctx, dv.entities, s); err != nil {
				return how, err
			}
			how.Profile = d.nameFor("", how.Phase)
		}
	}
	if p, err := dv.profile(how.Profile); err == nil { // a job for a model says if there is none
		knows := slices.ContainsFunc(p.Types, func(t trilith.ProfileType) bool { return t.Name == trilith.FactMilestone })
		how.InProject, how.Talk = knows && s.Project == "", !knows && s.Project != "" && told
	}
	if mode == trilith.ExtractRules {
		how.Profile, how.ByRole, how.Phase = "", false, ""
	}
	return how, nil
}

// Active returns the ids of the memories that facts may be derived from.
func Active(ms []trilith.Memory) []trilith.ID {
	var ids []trilith.ID
	for _, m := range ms {
		if m.State == trilith.StateActive {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// Reading says which episodes facts are derived from, and how.
type Reading struct {
	How      trilith.SourceExtraction
	Scope    trilith.Scope // of the episodes, with what their caller is bound to
	Episodes []trilith.ID
	Turns    bool // they are turns of a conversation, which may be read together with others
	Hurried  bool // somebody waits for the facts
	Again    bool
}

// ExtractionJobs makes the jobs that derive facts from episodes: one for rules, and for a model one for each part that
// it reads at once, so that a failed part does not affect the others. Where a model waits for more of a conversation,
// rules do not.
func (dv *Deriver) ExtractionJobs(r Reading) ([]trilith.Job, error) {
	parts, kind := [][2]int{{0, len(r.Episodes)}}, JobExtract
	if r.How.Mode == trilith.ExtractLLM || r.How.Mode == trilith.ExtractAuto && dv.truth.Model != nil {
		parts, kind = distil.Batches(len(r.Episodes)), JobDistil
	}
	how := ExtractJob{Entity: r.How.Entity, Mode: r.How.Mode, Profile: r.How.Profile, ByRole: r.How.ByRole,
		Phase: r.How.Phase, InProject: r.How.InProject, Talk: r.How.Talk, Again: r.Again, Fixed: r.Scope.Fixed}
	var jobs []trilith.Job
	add := func(kind string, how ExtractJob, episodes []trilith.ID) error {
		how.Episodes = episodes
		j, err := dv.truth.Job(kind, how)
		if kind == JobDistil && how.Apart {
			j.RunAt = dv.truth.Now().Add(dv.quiet)
		}
		jobs = append(jobs, j)
		return err
	}
	rules := how
	if kind == JobDistil {
		how.Conversation, how.Hurried = conversation(&r), r.Hurried
		how.Apart = how.Conversation != "" && !r.Hurried && dv.quiet > 0
	}
	for _, p := range parts {
		if p[0] == p[1] {
			continue
		}
		if err := add(kind, how, r.Episodes[p[0]:p[1]]); err != nil {
			return nil, err
		}
	}
	if how.Apart && len(jobs) > 0 {
		return jobs, add(JobExtract, rules, r.Episodes)
	}
	return jobs, nil
}

// Distil runs a JobDistil. It first stores the findings of rules, which do not depend on the model. It stores
// findings even if the model fails at a part of the text. Usage is counted in any case.
func (dv *Deriver) Distil(ctx context.Context, tenant string, job trilith.ID, j ExtractJob) (err error) {
	s := trilith.Scope{Tenant: tenant, Actor: "extract"}
	with, again, err := dv.gather(ctx, s, job, &j)
	switch {
	case err != nil:
		return err
	case !again.IsZero():
		return &truth.NotYet{Until: again, Why: "the conversation goes on; a model reads it when it pauses"}
	case len(j.Episodes) == 0: // another job has read them
		return nil
	}
	if !j.Apart {
		if err := dv.Extract(ctx, tenant, job, j); err != nil {
			return err
		}
	}
	defer func() {
		done := err == nil || trilith.KindOf(err) == trilith.Invalid // a useless answer is one to all of them
		err = ofModel(err)
		for i := 0; done && i < len(with); i++ {
			err = cmp.Or(err, dv.changeReport(ctx, s, with[i], func(r *trilith.ExtractionReport) { r.ReadBy = job }))
		}
	}()
	if _, err := dv.profile(j.Profile); err != nil {
		return err
	}
	episodes, subject, err := dv.episodesOf(ctx, s, j)
	if err != nil || len(episodes) == 0 {
		return err
	}
	var rules []finding
	if _, err := sparing(ctx, dv, episodes, func(some []trilith.Memory) error {
		rules = append(rules, ByRules(ctx, dv.entities.Resolver(s, nil), j, episodes, some, subject)...)
		return nil
	}); err != nil {
		return err
	}
	parts, err := readings(ctx, dv, s, j, episodes, subject)
	if err != nil {
		return err
	}
	before, err := dv.earlier(ctx, s, &episodes[0])
	if err != nil {
		return err
	}
	shown := append(before, episodes...)
	var first error
	for _, r := range parts {
		known, err := dv.knownOf(ctx, s, subject, episodes)
		if err == nil {
			err = sparingly(ctx, dv, s, job, r, shown, known, subject, rules)
		}
		first = cmp.Or(first, err)
		if err != nil && trilith.KindOf(err) != trilith.Invalid {
			break // a useless answer must not affect the others
		}
	}
	if first != nil && trilith.KindOf(first) != trilith.Invalid {
		return first
	}
	unread, err := sparing(ctx, dv, episodes, func(some []trilith.Memory) error { return dv.relates.Read(ctx, s, some) })
	return cmp.Or(err, noteUnread(ctx, dv, s, job, unread), first)
}

// sparingly is distil without the episodes that it cannot read.
func sparingly(ctx context.Context, dv *Deriver, s trilith.Scope, job trilith.ID, of reading, shown []trilith.Memory,
	known []distil.Known, subject entities.Party, rules []finding) error {
	episodes := slices.DeleteFunc(slices.Clone(shown), func(m trilith.Memory) bool { return !of.episodes[m.ID] })
	unread, err := sparing(ctx, dv, episodes, func(some []trilith.Memory) error {
		part := reading{of.profile, map[trilith.ID]bool{}}
		for i := range some {
			part.episodes[some[i].ID] = true
		}
		return dv.distil(ctx, s, job, part, shown, known, subject, rules)
	})
	return cmp.Or(noteUnread(ctx, dv, s, job, unread), err)
}

// ofModel adds to a model's failure that the findings of rules are stored.
func ofModel(err error) error {
	if err == nil {
		return nil
	}
	return &trilith.Error{Kind: trilith.KindOf(err), Err: err,
		Msg: "only rules have read it, the model has not: " + trilith.MessageOf(err)}
}

// distil has the model read the episodes of a reading, with the others as context.
func (dv *Deriver) distil(ctx context.Context, s trilith.Scope, job trilith.ID, of reading, shown []trilith.Memory,
	known []distil.Known, subject entities.Party, rules []finding) error {
	r := distil.Request{Profile: of.profile, Subject: subject.Name,
		Person: subject.Type == "person" || subject.Type == "session", Order: gate.Instruction, Known: known}
	for i := range shown {
		m := &shown[i]
		r.Turns = append(r.Turns,
			distil.Turn{Role: m.Role, Speaker: speakerOf(m, subject), Text: m.Text, At: m.EventTime,
				Context: !of.episodes[m.ID]})
	}
	states := false
	for i := range r.Turns {
		if r.Turns[i].Context || says(r.Turns, i) {
			states = states || !r.Turns[i].Context
			continue
		}
		r.Turns[i].Context = true // it helps to understand the others
	}
	if !states {
		return nil
	}
	model := dv.truth.Model
	using, err := dv.usage.Spending.Of(ctx, s.Tenant, model.Info().Provider, trilith.PurposeExtract)
	if err != nil {
		return err
	}
	res, readErr := distil.Read(using, model, r)
	rule := model.Info().String() + "/" + of.profile.Name
	var found []finding
	for i := range res.Found {
		if q := res.Found[i].Quote; steered(&shown[q.Turn], q.Start, q.End) {
			continue
		}
		found = append(found, findingOf(&res.Found[i], shown, rule))
	}
	found = inWordsOf(rules, found, subject, &of.profile)
	if err := dv.changeReport(ctx, s, job, func(report *trilith.ExtractionReport) {
		report.Model, report.Profile, report.Facts = model.Info().String(), of.profile.Name, len(res.Found)
		report.Calls += res.Calls
		report.Usage.Add(res.Usage)
		report.Refused = nil
		for _, refusal := range res.Refused {
			if report.Refused == nil {
				report.Refused = map[string]int{}
			}
			report.Refused[refusal.Reason]++
		}
	}); err != nil {
		return err
	}
	if err := dv.reconcile(ctx, dv.entities.Resolver(s, nil), subject, found); err != nil {
		return err
	}
	return readErr
}

// earlier returns the turns right before an episode in its conversation, or the passages before it in its document,
// oldest first: text from earlier requests that helps to understand it.
func (dv *Deriver) earlier(ctx context.Context, s trilith.Scope, m *trilith.Memory) ([]trilith.Memory, error) {
	same := trilith.Where("source_id", trilith.OpEq, m.SourceID)
	if m.Scope.Session != "" && m.Kind == trilith.KindEpisode {
		same = trilith.Where("session", trilith.OpEq, m.Scope.Session)
	}
	const reach = 3 * distil.Overlap // turns of tools and of the system may lie in between
	filter := trilith.AllOf(same, trilith.Where("kind", trilith.OpEq, m.Kind),
		trilith.Where("state", trilith.OpEq, trilith.StateActive),
		trilith.Where("seq", trilith.OpGte, float64(m.Seq-reach)), trilith.Where("seq", trilith.OpLt, float64(m.Seq)))
	var out []trilith.Memory
	for before, err := range dv.truth.List(ctx, truth.TenantOf(s), role.Listing{Filter: filter, Order: role.OrderSeq}) {
		if err != nil {
			return nil, err
		}
		if before.Scope == m.Scope && before.Role != trilith.RoleTool && before.Role != trilith.RoleSystem {
			out = append(out, before)
		}
	}
	return out[max(0, len(out)-distil.Overlap):], nil
}

// maxKnown is how many known facts a model is shown.
const maxKnown = 20

// knownOf returns the facts about the speakers and the entities mentioned that have the most words in common with the
// episodes; of equal ones the newest come first, and candidates, which a word may accept, before others. They belong to
// the owners of the episodes' scope, and do not come from the episodes themselves.
func (dv *Deriver) knownOf(ctx context.Context, s trilith.Scope, subject entities.Party, episodes []trilith.Memory) (
	[]distil.Known, error) {
	known, who := []trilith.Entity{subject.Entity}, dv.entities.Resolver(s, nil)
	where := episodes[0].Scope
	if project, is, err := who.Known(
		ctx, trilith.Identifier{Type: "project", Value: where.Project}); err != nil {
		return nil, err
	} else if is && project.ID != subject.ID && where.MatterOwner() == trilith.ProjectOwner(where.Project) {
		known = append(known, project.Entity)
	}
	ids, words := map[trilith.ID]bool{}, map[string]bool{}
	for i := range episodes {
		m := &episodes[i]
		ids[m.ID] = true
		for w := range strings.FieldsSeq(strings.ToLower(m.Text)) {
			words[strings.Trim(w, ".,;:!?\"'()")] = true
		}
		if m.Speaker == "" || slices.ContainsFunc(
			known, func(v trilith.Entity) bool { return entities.SameName(&v, m.Speaker) }) {
			continue
		}
		v, is, err := who.Known(ctx, entities.Within(where, trilith.Identifier{Type: "name", Value: m.Speaker}))
		if err != nil {
			return nil, err
		}
		if is {
			known = append(known, v.Entity)
		}
	}
	var out []distil.Known
	shared := map[trilith.ID]int{}
	for _, v := range known {
		facts, err := dv.truth.FactsOf(ctx, s, v.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range facts {
			open := m.State == trilith.StateActive || m.State == trilith.StateCandidate
			if owner := m.Fact.Owner; !open || owner != where.Owner() && owner != where.MatterOwner() ||
				!slices.ContainsFunc(m.Fact.Evidence, func(ev trilith.Evidence) bool { return !ids[ev.EpisodeID] }) {
				continue
			}
			for w := range strings.FieldsSeq(strings.ToLower(m.Text)) {
				if words[strings.Trim(w, ".,;:!?\"'()")] {
					shared[m.ID]++
				}
			}
			out = append(out, distil.Known{About: v.Name, Memory: m})
		}
	}
	slices.SortStableFunc(out, func(a, b distil.Known) int {
		x, y := &a.Memory, &b.Memory
		return cmp.Or(shared[y.ID]-shared[x.ID], y.EventTime.Compare(x.EventTime),
			strings.Compare(string(y.State), string(x.State)),
			strings.Compare(x.Fact.Verb+x.Fact.FactID, y.Fact.Verb+y.Fact.FactID))
	})
	return out[:min(len(out), maxKnown)], nil
}

var subjects = map[distil.Subject]extract.Subject{distil.Speaker: extract.SpeakerSubject,
	distil.Matter: extract.ProjectSubject, distil.Person: extract.PersonSubject}

// findingOf converts a fact from the model to the form of rules. An offer, a doubtful statement or a statement of the
// assistant ends nothing.
func findingOf(f *distil.Found, shown []trilith.Memory, rule string) finding {
	out := finding{episode: shown[f.Quote.Turn], Found: extract.Found{
		Start: f.Quote.Start, End: f.Quote.End, Rule: rule, Subject: subjects[f.Subject], Name: f.Name, Verb: f.Verb,
		Node: f.Node, Type: f.Type,
		Summary: f.Text, Content: f.Content, Polarity: f.Polarity, Certainty: f.Certainty, Confidence: f.Confidence,
		Priority:       f.Priority,
		RequiresAction: f.RequiresAction, Deadline: f.Deadline, From: f.From, Until: f.Until, Begins: f.Begins,
		Single: f.Single, Financial: f.Financial}}
	out.proposed = f.Proposed || f.Doubt != "" || claimsPreference(&out.episode, f.Type) ||
		proposesTask(&out.episode, f.Type) || directs(&out.episode, f.Quote.Start, f.Quote.End) ||
		f.Ends != nil && f.Certainty != trilith.Stated
	for _, p := range f.Premises {
		m := shown[p.Turn]
		out.premises = append(out.premises,
			trilith.Premise{EpisodeID: m.ID, Quote: m.Text[p.Start:p.End], Start: p.Start, End: p.End})
	}
	if f.Ends != nil {
		out.known, out.Ends = f.Ends, !out.proposed && out.episode.Role != trilith.RoleAssistant
	}
	return out
}

// inWordsOf puts findings of a model in the words of rules that found the same statement, so that they become evidence
// of one fact: the same object, affirmed or denied of the same subject, in the same words. With a verb that rules know,
// a fact of another type is another fact: somebody who loves their boat also has one. A verb that only the profile
// declares, and not for whatever a topic has no other for, is what its author wants.
func inWordsOf(rules, found []finding, subject entities.Party, p *trilith.Profile) []finding {
	verbs := extract.Verbs()
	for i := range found {
		f := &found[i]
		_, known := verbs[f.Verb]
		if !known && slices.ContainsFunc(p.Verbs, func(v trilith.ProfileVerb) bool { return v.Name == f.Verb }) &&
			!slices.ContainsFunc(p.Topics, func(t trilith.ProfileTopic) bool { return t.Verbs[len(t.Verbs)-1] == f.Verb }) {
			continue
		}
		at := slices.IndexFunc(rules, func(r finding) bool {
			return r.amendment == nil && r.Financial == nil && f.Financial == nil && r.episode.ID == f.episode.ID &&
				r.Start < f.End && f.Start < r.End && r.Ends == f.Ends && r.Polarity == f.Polarity &&
				r.subjectName(subject) == f.subjectName(subject) && reconcile.SameName(r.Node, f.Node) &&
				(r.Type == f.Type || !known && r.Type != trilith.FactEvent && f.Type != trilith.FactEvent)
		})
		if at < 0 || rules[at].Verb == f.Verb && rules[at].Node.Type == f.Node.Type {
			continue
		}
		same := rules[at].Found
		same.Start, same.End, same.Rule = f.Start, f.End, f.Rule
		f.Found, f.known = same, nil
	}
	return found
}

// subjectName returns the name of a finding's subject, in one form.
func (f *finding) subjectName(subject entities.Party) string {
	switch f.Subject {
	case extract.ProjectSubject:
		return ""
	case extract.PersonSubject:
		return strings.ToLower(f.Name)
	}
	return strings.ToLower(speakerOf(&f.episode, subject))
}

// changeReport changes the report of a job.
func (dv *Deriver) changeReport(ctx context.Context, s trilith.Scope, job trilith.ID,
	change func(*trilith.ExtractionReport)) error {
	return truth.Retry(ctx, func() (bool, error) {
		report, version, err := truth.ReadRecord[trilith.ExtractionReport](
			ctx, dv.truth, s, role.RecordExtraction, job)
		if err != nil {
			return false, err
		}
		change(&report)
		var b role.Batch
		if err = b.Replace(role.RecordExtraction, job, version, report); err == nil {
			_, err = dv.truth.Commit(ctx, s, b)
		}
		return true, err
	})
}

// AddReports adds the recorded reports to jobs.
func (dv *Deriver) AddReports(ctx context.Context, s trilith.Scope, jobs []trilith.Job) error {
	at := map[trilith.ID]*trilith.Job{}
	var ids []trilith.ID
	for i := range jobs {
		if jobs[i].Kind == JobDistil || jobs[i].Kind == JobExtract {
			at[jobs[i].ID] = &jobs[i]
			ids = append(ids, jobs[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rs, err := dv.truth.RecordsOf(ctx, s, role.RecordExtraction, ids...)
	if err != nil {
		return err
	}
	for _, r := range rs {
		report, err := truth.Decode[trilith.ExtractionReport](r)
		if err != nil {
			return err
		}
		at[r.ID].Report = &report
	}
	return nil
}

// profile returns a profile by its name.
func (dv *Deriver) profile(name string) (trilith.Profile, error) {
	all, err := dv.profiles()
	if err != nil {
		return trilith.Profile{}, err
	}
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return trilith.Profile{}, trilith.Errorf(trilith.Invalid, "profile: %.64q is not one of %s", name,
		strings.Join(names, ", "))
}
