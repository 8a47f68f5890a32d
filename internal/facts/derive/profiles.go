package derive

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/entities"
	"github.com/trilith-memory/trilith/internal/truth"
)

// maxWordBytes limits the name of a role or of a phase.
const maxWordBytes = 64

// byRole reports whether any profile is chosen for a role.
func (d *settings) byRole() bool {
	return slices.ContainsFunc(d.Choices, func(c trilith.ProfileChoice) bool { return c.Role != "" })
}

// reading holds the episodes of a job that are read with one profile.
type reading struct {
	profile  trilith.Profile
	episodes map[trilith.ID]bool
}

// readings groups the episodes of a job by profile, in order of first use.
func readings(ctx context.Context, dv *Deriver, s trilith.Scope, j ExtractJob, episodes []trilith.Memory,
	subject entities.Party) ([]reading, error) {
	var chosen settings
	if j.ByRole {
		of := episodes[0].Scope
		of.Tenant = s.Tenant
		var err error
		if chosen, err = dv.settingsOf(ctx, of); err != nil {
			return nil, err
		}
	}
	var out []reading
	roles := map[string]string{} // by speaker: there are few
	for i := range episodes {
		m, name := &episodes[i], j.Profile
		if j.ByRole {
			speaker := string(m.Role) + " " + m.Speaker
			role, known := roles[speaker]
			if !known {
				var err error
				if role, err = roleOf(ctx, dv.entities, s, m, subject); err != nil {
					return nil, err
				}
				roles[speaker] = role
			}
			if role != "" {
				name = chosen.nameFor(role, j.Phase)
			}
		}
		at := slices.IndexFunc(out, func(r reading) bool { return r.profile.Name == name })
		if at < 0 {
			p, err := dv.profile(name)
			if err != nil {
				return nil, err
			}
			at, out = len(out), append(out, reading{profile: p, episodes: map[trilith.ID]bool{}})
		}
		out[at].episodes[m.ID] = true
	}
	return out, nil
}

// roleOf returns the role of an episode's speaker, from the speaker's entity; "" if there is none.
func roleOf(ctx context.Context, es *entities.Entities, s trilith.Scope, m *trilith.Memory, subject entities.Party) (
	string, error) {
	if m.Role == trilith.RoleAssistant {
		return "", nil
	}
	if m.Speaker == "" || entities.SameName(&subject.Entity, m.Speaker) {
		return attribute(&subject.Entity, trilith.AttributeRole), nil
	}
	v, _, err := es.Resolver(s, nil).Known(
		ctx, entities.Within(m.Scope, trilith.Identifier{Type: "name", Value: m.Speaker}))
	return attribute(&v.Entity, trilith.AttributeRole), err
}

// UseProfile makes a profile the default of the scope's project, or of the tenant if the scope names none: for
// everything, or for a role, a phase or both. One for a project's phases creates the project's entity, which holds the
// phase.
func (dv *Deriver) UseProfile(ctx context.Context, s trilith.Scope, r trilith.ProfileRequest) (trilith.Profiles, error) {
	if err := dv.useProfile(ctx, s, r); err != nil {
		return trilith.Profiles{}, err
	}
	return dv.Profiles(ctx, s)
}

func (dv *Deriver) useProfile(ctx context.Context, s trilith.Scope, r trilith.ProfileRequest) error {
	if err := truth.CheckWhole(s); err != nil {
		return err
	}
	c := trilith.ProfileChoice{Name: r.Name, Role: word(r.Role), Phase: word(r.Phase), Project: s.Project}
	special := c.Role != "" || c.Phase != ""
	if max(len(c.Role), len(c.Phase)) > maxWordBytes {
		return trilith.Errorf(trilith.Invalid, "role, phase: each is a word of at most %d bytes", maxWordBytes)
	}
	if c.Name != "" || !special {
		if _, err := dv.profile(c.Name); err != nil {
			return err
		}
	}
	if err := dv.changeSettings(ctx, s, "profile.use",
		map[string]string{"profile": c.Name, "role": c.Role, "phase": c.Phase}, func(d *settings) error {
			if !special {
				d.Name = c.Name
				return nil
			}
			return d.put(c)
		}); err != nil || !special || s.Project == "" {
		return err
	}
	_, err := dv.entities.MakeEntity(ctx, truth.TenantOf(s), trilith.Identifier{Type: "project", Value: s.Project})
	return err
}

// Profiles returns the extraction profiles by name, and which is the default of the scope's project, or of the tenant.
func (dv *Deriver) Profiles(ctx context.Context, s trilith.Scope) (trilith.Profiles, error) {
	if err := truth.CheckScope(s); err != nil {
		return trilith.Profiles{}, err
	}
	all, err := dv.profiles()
	if err != nil {
		return trilith.Profiles{}, err
	}
	d, err := dv.settingsOf(ctx, s)
	if err != nil {
		return trilith.Profiles{}, err
	}
	phase, err := phaseOf(ctx, dv.entities, s)
	return trilith.Profiles{Items: slices.Clone(all), Default: d.nameFor("", phase), Choices: d.Choices,
		Phase: phase}, err
}

// phaseOf returns the current phase of the scope's project, from its entity; "" if there is none.
func phaseOf(ctx context.Context, es *entities.Entities, s trilith.Scope) (string, error) {
	if s.Project == "" {
		return "", nil
	}
	project, known, err := es.Resolver(truth.TenantOf(s), nil).Known(ctx,
		trilith.Identifier{Type: "project", Value: s.Project})
	if err != nil || !known {
		return "", err
	}
	return attribute(&project.Entity, trilith.AttributePhase), nil
}

// attribute is an attribute of an entity that is a role or a phase.
func attribute(v *trilith.Entity, name string) string {
	text, _ := v.Attributes[name].(string)
	return word(text)
}

// word returns the name of a role or of a phase in the form for comparison.
func word(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// nameFor returns the profile for a role's statements in a phase. A choice for both takes precedence over one for the
// role, that over one for the phase, and that over one without either; of equal ones the project's over the tenant's.
func (d *settings) nameFor(role, phase string) string {
	for _, of := range [][2]string{{role, phase}, {role, ""}, {"", phase}} {
		if of == [2]string{} {
			continue
		}
		at := slices.IndexFunc(d.Choices,
			func(c trilith.ProfileChoice) bool { return c.Role == of[0] && c.Phase == of[1] })
		if at >= 0 {
			return d.Choices[at].Name
		}
	}
	return d.Name
}

// put sets the choice for a role or a phase, replacing the one before.
func (d *settings) put(c trilith.ProfileChoice) error {
	rest := slices.DeleteFunc(slices.Clone(d.Choices),
		func(o trilith.ProfileChoice) bool { return o.Role == c.Role && o.Phase == c.Phase })
	if c.Name != "" {
		rest = append(rest, c)
	}
	if len(rest) > trilith.MaxProfileChoices {
		return trilith.Errorf(trilith.Exhausted, "role, phase: there are %d choices already; take one back",
			trilith.MaxProfileChoices)
	}
	slices.SortFunc(rest, func(a, b trilith.ProfileChoice) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Phase, b.Phase))
	})
	d.Choices = rest
	return nil
}
