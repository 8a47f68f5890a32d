package operations

import (
	"github.com/trilith-memory/trilith/internal/door/op"
	"github.com/trilith-memory/trilith/internal/facts/derive"
	"github.com/trilith-memory/trilith/internal/operate"
)

// settingRows are the operations on the settings of a tenant or a project.
func settingRows() []*op.Op {
	asked := op.Project("Project whose default is asked for; that of the tenant if absent")
	return []*op.Op{
		op.Read("list-profiles", "GET /settings?of=profiles", op.Bare((*derive.Deriver).Profiles),
			"Extraction profiles: what a model looks for", op.Named("Profiles"), asked, op.Columns("name", "description")),
		op.Admin("use-profile", "PUT /settings?of=profile", (*derive.Deriver).UseProfile,
			"Choose what a model looks for where a request names no profile",
			op.Project("Project whose default it becomes; the tenant's if absent"), op.Repeatable),
		op.Read("extraction", "GET /settings?of=extraction", op.Bare((*derive.Deriver).Extraction),
			"How facts are derived from conversations and notes where a request does not say", op.Named("Extraction"), asked),
		op.Admin("use-extraction", "PUT /settings?of=extraction", (*derive.Deriver).UseExtraction,
			"Choose how facts are derived where a request does not say",
			op.Project("Project whose choice it becomes; the tenant's if absent"), op.Repeatable),
		op.Read("get-languages", "GET /settings?of=languages", op.Bare((*operate.Operator).Languages),
			"The languages that the tenant has chosen for its texts", op.Named("Languages"), op.Tenant),
		op.Admin("use-languages", "PUT /settings?of=languages", (*operate.Operator).UseLanguages,
			"Choose the languages of the tenant's texts, which are then indexed again", op.Tenant, op.Repeatable),
	}
}
