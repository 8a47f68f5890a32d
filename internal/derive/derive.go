package derive

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/profile"
	"github.com/cairn-memory/cairn/internal/truth"
)

// derivation is the body of a [cairn.RecordProfile]: how a project, or the tenant, derives facts if a request does not
// say.
type derivation struct {
	Project string           `json:"project,omitempty"`
	Name    string           `json:"name,omitempty"`    // of the profile
	Extract cairn.Extraction `json:"extract,omitempty"` // whether facts are derived at all, and how
	// Choices are profiles for a role, a phase or both.
	Choices []cairn.ProfileChoice `json:"choices,omitempty"`
}

func derivationID(project string) cairn.ID { return cairn.DeriveID("profile", project) }

// derivationOf returns the choices of the scope's project and its tenant, each for what the one before leaves open.
func (dv *Deriver) derivationOf(ctx context.Context, s cairn.Scope) (derivation, error) {
	ids := []cairn.ID{derivationID("")}
	if s.Project != "" {
		ids = append(ids, derivationID(s.Project))
	}
	rs, err := dv.truth.Store.Records(ctx, truth.TenantOf(s), cairn.RecordListing{Kind: cairn.RecordProfile, IDs: ids})
	if err != nil {
		return derivation{}, err
	}
	var project, tenant derivation
	for _, r := range rs {
		d, err := truth.Decode[derivation](r)
		if err != nil {
			return derivation{}, err
		}
		if d.Project == "" {
			tenant = d
		} else {
			project = d
		}
	}
	return derivation{Name: cmp.Or(project.Name, tenant.Name, profile.Default),
		Extract: cmp.Or(project.Extract, tenant.Extract, dv.extraction, cairn.ExtractNone),
		Choices: slices.Concat(project.Choices, tenant.Choices)}, nil
}

// Derives returns how facts are derived from a request: as it says; otherwise, for a conversation or a note, as chosen
// by its project, its tenant or the process. Records, documents and imports yield none unless requested.
func (dv *Deriver) Derives(ctx context.Context, s cairn.Scope, r *cairn.RememberRequest) (cairn.Extraction, error) {
	if r.Extract != "" || r.Imported || r.Entry != nil || r.Document != nil {
		return r.Extract, nil
	}
	d, err := dv.derivationOf(ctx, s)
	// chosen when there was a model; cairn reextract --missing makes up for it
	if d.Extract == cairn.ExtractLLM && dv.truth.Model == nil {
		d.Extract = cairn.ExtractNone
	}
	return d.Extract, err
}

// Extraction returns how facts are derived in the scope's project, or its tenant, if a request does not say.
func (dv *Deriver) Extraction(ctx context.Context, s cairn.Scope) (cairn.ExtractionChoice, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.ExtractionChoice{}, err
	}
	d, err := dv.derivationOf(ctx, s)
	return cairn.ExtractionChoice{Project: s.Project, Extract: d.Extract}, err
}

// UseExtraction sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty
// removes the choice.
func (dv *Deriver) UseExtraction(ctx context.Context, s cairn.Scope, mode cairn.Extraction) error {
	if err := truth.CheckWhole(s); err != nil {
		return err
	}
	if _, err := dv.CheckExtraction(mode, ""); err != nil {
		return err
	}
	return dv.choose(ctx, s, "extraction.use", map[string]string{"extract": string(mode)},
		func(d *derivation) error { d.Extract = mode; return nil })
}

// choose changes the choices of the scope's project, or its tenant.
func (dv *Deriver) choose(ctx context.Context, s cairn.Scope, action string, detail map[string]string,
	change func(*derivation) error) error {
	if s != (cairn.Scope{Tenant: s.Tenant, Project: s.Project, Actor: s.Actor}) {
		return cairn.Errorf(cairn.Invalid,
			"scope: this choice is made for a project or a tenant; leave the other values out")
	}
	id := derivationID(s.Project)
	return truth.Retry(ctx, func() (bool, error) {
		rs, err := dv.truth.Store.Records(
			ctx, truth.TenantOf(s), cairn.RecordListing{Kind: cairn.RecordProfile, IDs: []cairn.ID{id}})
		if err != nil {
			return false, err
		}
		d, version := derivation{Project: s.Project}, int64(0)
		if len(rs) == 1 {
			if d, err = truth.Decode[derivation](rs[0]); err != nil {
				return false, err
			}
			version = rs[0].Version
		}
		if err := change(&d); err != nil {
			return false, err
		}
		body, err := json.Marshal(d)
		if err != nil {
			return false, err
		}
		_, err = dv.truth.Commit(
			ctx, s, cairn.Batch{Expect: []cairn.Expect{{Kind: cairn.RecordProfile, ID: id, Version: version}},
				Records: []cairn.Record{{Kind: cairn.RecordProfile, ID: id, Body: body}},
				Audit:   dv.truth.Audit(s, action, id, detail)})
		return true, err
	})
}

// underived reports whether a source without derived facts could have some.
func underived(src *cairn.Source) bool {
	return src.Extraction == nil && (src.Kind == "messages" || src.Kind == "text" || src.Kind == "note")
}

// jobsPerCommit is after how many jobs Reextract commits.
const jobsPerCommit = 200

// Reextract derives the facts of sources in the scope again, in the background: of sources that facts were derived
// from, or with missing of conversations and notes without any, in the way that is chosen now. Known facts stay; better
// rules or another model add to them. A model uses at most the daily budget.
func (dv *Deriver) Reextract(ctx context.Context, s cairn.Scope, missing bool) (cairn.Reextraction, error) {
	if err := truth.CheckScope(s); err != nil {
		return cairn.Reextraction{}, err
	}
	var out cairn.Reextraction
	var b cairn.Batch
	flush := func() error {
		if len(b.Jobs) == 0 {
			return nil
		}
		b.Audit = dv.truth.Audit(s, "reextract", "", map[string]string{"sources": strconv.Itoa(len(b.Jobs))})
		_, err := dv.truth.Store.Commit(ctx, truth.TenantOf(s), truth.OfRequest(ctx, b))
		b = cairn.Batch{}
		return err
	}
	for r, err := range dv.truth.Records(ctx, truth.TenantOf(s), cairn.RecordSource) {
		if err != nil {
			return out, err
		}
		src, err := truth.Decode[cairn.Source](r)
		if err != nil {
			return out, err
		}
		if !s.Covers(truth.WithTenant(src.Scope, s.Tenant)) || missing != underived(&src) || !missing &&
			src.Extraction == nil {
			continue
		}
		if missing {
			if err := dv.startDeriving(ctx, s, &b, src, r.Version); err != nil {
				return out, err
			}
		} else {
			js, err := dv.ExtractionJobs(*src.Extraction, src.Fixed, src.MemoryIDs)
			if err != nil {
				return out, err
			}
			b.Jobs = append(b.Jobs, js...)
		}
		out.Sources++
		if len(b.Jobs) >= jobsPerCommit {
			if err := flush(); err != nil {
				return out, err
			}
		}
	}
	return out, flush()
}

// startDeriving adds to a batch the jobs that derive facts from a source without any, even if deriving is not chosen
// for it.
func (dv *Deriver) startDeriving(ctx context.Context, s cairn.Scope, b *cairn.Batch, src cairn.Source,
	version int64) error {
	of := truth.WithTenant(src.Scope, s.Tenant)
	of.Actor, of.Fixed = s.Actor, src.Fixed
	mode, err := dv.Derives(ctx, of, &cairn.RememberRequest{})
	if err != nil {
		return err
	}
	if mode == cairn.ExtractNone {
		mode = cairn.ExtractAuto
	}
	about, err := dv.Subject(ctx, of)
	if err != nil {
		return err
	}
	how, err := dv.HowTo(ctx, of, about.Of, mode, "")
	if err != nil {
		return err
	}
	src.Extraction = &how
	body, err := json.Marshal(src)
	if err != nil {
		return err
	}
	b.Records = append(b.Records, cairn.Record{Kind: cairn.RecordSource, ID: src.ID, Body: body})
	b.Expect = append(b.Expect, cairn.Expect{Kind: cairn.RecordSource, ID: src.ID, Version: version})
	jobs, err := dv.ExtractionJobs(how, src.Fixed, src.MemoryIDs)
	b.Jobs = append(b.Jobs, jobs...)
	return err
}

// CountUnderived counts the sources of a tenant that could have derived facts, and those without any.
func (dv *Deriver) CountUnderived(ctx context.Context, tenant string) (missing, of int, err error) {
	for r, err := range dv.truth.Records(ctx, cairn.Scope{Tenant: tenant}, cairn.RecordSource) {
		if err != nil {
			return 0, 0, err
		}
		src, err := truth.Decode[cairn.Source](r)
		if err != nil {
			return 0, 0, err
		}
		if underived(&src) {
			missing++
		}
		if underived(&src) || src.Extraction != nil {
			of++
		}
	}
	return missing, of, nil
}
