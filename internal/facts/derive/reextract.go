package derive

import (
	"context"
	"strconv"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// jobsPerCommit is after how many jobs Reextract commits.
const jobsPerCommit = 200

// Reextract derives the facts of sources in the scope again, in the background: of sources that facts were derived
// from, or with Missing of conversations and notes without any, in the way that is chosen now. Better
// rules or another model add to known facts. What rules would no longer find is removed, unless a person has decided
// about it. A model uses at most the daily budget.
func (dv *Deriver) Reextract(ctx context.Context, s trilith.Scope, r trilith.ReextractRequest) (trilith.Reextraction, error) {
	missing := r.Missing
	if err := truth.CheckScope(s); err != nil {
		return trilith.Reextraction{}, err
	}
	failed, err := failures(ctx, dv, truth.TenantOf(s))
	if err != nil {
		return trilith.Reextraction{}, err
	}
	var out trilith.Reextraction
	var b role.Batch
	flush := func() error {
		if len(b.Jobs) == 0 {
			return nil
		}
		b.Audit = dv.truth.Audit(s, "reextract", "", map[string]string{"sources": strconv.Itoa(len(b.Jobs))})
		_, err := dv.truth.Commit(ctx, s, b)
		b = role.Batch{}
		return err
	}
	for r, err := range dv.truth.Records(ctx, s, role.RecordSource) {
		if err != nil {
			return out, err
		}
		src, err := truth.Decode[trilith.Source](r)
		if err != nil {
			return out, err
		}
		if !s.Covers(truth.WithTenant(src.Scope, s.Tenant)) || missing != lacksFacts(&src) || !missing &&
			src.Extraction == nil {
			continue
		}
		if missing {
			if err := dv.startDeriving(ctx, s, &b, src, r.Version); err != nil {
				return out, err
			}
		} else {
			js, err := dv.ExtractionJobs(readingOf(&src, true))
			if err != nil {
				return out, err
			}
			b.Jobs = append(b.Jobs, js...)
			if err := readAgain(&b, failed, &src); err != nil {
				return out, err
			}
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

// readingOf returns the reading of a source, which says how it is read.
func readingOf(src *trilith.Source, again bool) Reading {
	return Reading{How: *src.Extraction, Scope: truth.WithFixed(src.Scope, src.Fixed), Episodes: src.MemoryIDs,
		Turns: src.Kind == "messages" || src.Kind == "text", Again: again}
}

// startDeriving adds to a batch the jobs that derive facts from a source without any, even if deriving is not chosen
// for it.
func (dv *Deriver) startDeriving(ctx context.Context, s trilith.Scope, b *role.Batch, src trilith.Source,
	version int64) error {
	of := truth.WithTenant(src.Scope, s.Tenant)
	of.Actor, of.Fixed = s.Actor, src.Fixed
	mode, err := dv.Mode(ctx, of, &trilith.RememberRequest{})
	if err != nil {
		return err
	}
	if mode == trilith.ExtractNone {
		mode = trilith.ExtractAuto
	}
	about, err := Subject(ctx, dv.entities.Resolver(of, nil))
	if err != nil {
		return err
	}
	how, err := dv.Method(ctx, of, about.Of, mode, "", "")
	if err != nil {
		return err
	}
	src.Extraction = &how
	if err := b.Replace(role.RecordSource, src.ID, version, src); err != nil {
		return err
	}
	jobs, err := dv.ExtractionJobs(readingOf(&src, false))
	b.Jobs = append(b.Jobs, jobs...)
	return err
}

// CountUnderived counts the sources of a tenant that could have derived facts, and those without any.
func (dv *Deriver) CountUnderived(ctx context.Context, tenant string) (missing, of int, err error) {
	for r, err := range dv.truth.Records(ctx, trilith.Scope{Tenant: tenant}, role.RecordSource) {
		if err != nil {
			return 0, 0, err
		}
		src, err := truth.Decode[trilith.Source](r)
		if err != nil {
			return 0, 0, err
		}
		if lacksFacts(&src) {
			missing++
		}
		if lacksFacts(&src) || src.Extraction != nil {
			of++
		}
	}
	return missing, of, nil
}

// lacksFacts reports whether facts could be derived from a source, and none were asked for.
func lacksFacts(src *trilith.Source) bool {
	return src.Extraction == nil && (src.Kind == "messages" || src.Kind == "text" || src.Kind == "note")
}
