package derive

import (
	"cmp"
	"context"
	"slices"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/profile"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/truth"
)

// settings is the body of a [role.RecordProfile]: how a project, or the tenant, derives facts if a request does not
// say.
type settings struct {
	Project string             `json:"project,omitempty"`
	Name    string             `json:"name,omitempty"`    // of the profile
	Extract trilith.Extraction `json:"extract,omitempty"` // whether facts are derived at all, and how
	// Choices are profiles for a role, a phase or both.
	Choices []trilith.ProfileChoice `json:"choices,omitempty"`
}

// Mode returns how facts are derived from a request: as it says; otherwise, for a conversation or a note, as chosen
// by its project, its tenant or the process. Records, documents and imports yield none unless requested.
func (dv *Deriver) Mode(ctx context.Context, s trilith.Scope, r *trilith.RememberRequest) (trilith.Extraction, error) {
	if r.Extract != "" || r.Imported || r.Entry != nil || r.Document != nil {
		return r.Extract, nil
	}
	d, err := dv.settingsOf(ctx, s)
	// chosen when there was a model; trilith call reextract --missing makes up for it
	if d.Extract == trilith.ExtractLLM && dv.truth.Model == nil {
		d.Extract = trilith.ExtractNone
	}
	return d.Extract, err
}

// UseExtraction sets how facts are derived in the scope's project, or in its tenant, if a request does not say. Empty
// removes the choice.
func (dv *Deriver) UseExtraction(ctx context.Context, s trilith.Scope, r trilith.ExtractionRequest) (
	trilith.ExtractionChoice, error) {
	err := truth.CheckWhole(s)
	if err == nil {
		_, err = dv.CheckExtraction(r.Extract, "")
	}
	if err == nil {
		err = dv.changeSettings(ctx, s, "extraction.use", map[string]string{"extract": string(r.Extract)},
			func(d *settings) error { d.Extract = r.Extract; return nil })
	}
	if err != nil {
		return trilith.ExtractionChoice{}, err
	}
	return dv.Extraction(ctx, s)
}

// changeSettings changes the choices of the scope's project, or its tenant.
func (dv *Deriver) changeSettings(ctx context.Context, s trilith.Scope, action string, detail map[string]string,
	change func(*settings) error) error {
	if s.Bare() != (trilith.Scope{Tenant: s.Tenant, Project: s.Project}) {
		return trilith.Errorf(trilith.Invalid,
			"scope: this choice is made for a project or a tenant; leave the other values out")
	}
	id := settingsID(s.Project)
	return truth.Retry(ctx, func() (bool, error) {
		d, version, err := truth.ReadRecord[settings](ctx, dv.truth, s, role.RecordProfile, id)
		if err != nil {
			return false, err
		}
		d.Project = s.Project
		if err := change(&d); err != nil {
			return false, err
		}
		b := role.Batch{Audit: dv.truth.Audit(s, action, id, detail)}
		if err = b.Replace(role.RecordProfile, id, version, d); err == nil {
			_, err = dv.truth.Commit(ctx, s, b)
		}
		return true, err
	})
}

// Extraction returns how facts are derived in the scope's project, or its tenant, if a request does not say.
func (dv *Deriver) Extraction(ctx context.Context, s trilith.Scope) (trilith.ExtractionChoice, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.ExtractionChoice{}, err
	}
	d, err := dv.settingsOf(ctx, s)
	return trilith.ExtractionChoice{Project: s.Project, Extract: d.Extract}, err
}

// settingsOf returns the choices of the scope's project, and the tenant's where the project has none. Project is
// empty if the profile is not of the project's choice.
func (dv *Deriver) settingsOf(ctx context.Context, s trilith.Scope) (settings, error) {
	ids := []trilith.ID{settingsID("")}
	if s.Project != "" {
		ids = append(ids, settingsID(s.Project))
	}
	rs, err := dv.truth.RecordsOf(ctx, s, role.RecordProfile, ids...)
	if err != nil {
		return settings{}, err
	}
	var project, tenant settings
	for _, r := range rs {
		d, err := truth.Decode[settings](r)
		if err != nil {
			return settings{}, err
		}
		if d.Project == "" {
			tenant = d
		} else {
			project = d
		}
	}
	if project.Name == "" && len(project.Choices) == 0 {
		project.Project = "" // it chooses none
	}
	return settings{Project: project.Project, Name: cmp.Or(project.Name, tenant.Name, profile.Default),
		Extract: cmp.Or(project.Extract, tenant.Extract, dv.extraction, trilith.ExtractNone),
		Choices: slices.Concat(project.Choices, tenant.Choices)}, nil
}

func settingsID(project string) trilith.ID { return trilith.DeriveID("profile", project) }
