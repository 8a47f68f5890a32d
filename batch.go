package cairn

import "encoding/json"

// Validate refuses a batch that a commit to the tenant cannot carry: Invalid if it is malformed, Exhausted if it is over
// [MaxBatch]. What depends on the store, such as expectations, it does not look at.
func (b *Batch) Validate(tenant string) error {
	if len(b.Memories) > MaxBatch {
		return Errorf(Exhausted, "memories: %d are more than the %d that one batch carries; commit them in parts", len(b.Memories), MaxBatch)
	}
	named := make(map[Ref]struct{}, len(b.Memories)+len(b.Records)+len(b.Delete))
	once := func(what string, r Ref) error {
		if r.ID == "" {
			return Errorf(Invalid, "%s: an id is missing", what)
		}
		if _, ok := named[r]; ok {
			return Errorf(Invalid, "%s: %s is named twice in one batch", what, r.ID)
		}
		named[r] = struct{}{}
		return nil
	}
	for i := range b.Memories {
		m := &b.Memories[i]
		if m.Scope.Tenant != tenant {
			return Errorf(Invalid, "memories: %s is of another tenant than the commit", m.ID)
		}
		if err := m.ID.Validate(); err != nil {
			return err
		}
		if err := once("memories", Ref{ID: m.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Records {
		if r.Kind == "" {
			return Errorf(Invalid, "records: the kind of %s is missing", r.ID)
		}
		if !json.Valid(r.Body) {
			return Errorf(Invalid, "records: the body of %s %s is not JSON", r.Kind, r.ID)
		}
		if err := once("records", Ref{Kind: r.Kind, ID: r.ID}); err != nil {
			return err
		}
	}
	for _, r := range b.Delete {
		if err := once("delete", r); err != nil {
			return err
		}
	}
	for _, c := range b.Claims {
		if c.Key.Space == "" || c.Owner == "" {
			return Errorf(Invalid, "claims: a claim needs a space and an owner")
		}
	}
	jobs := make(map[ID]struct{}, len(b.Jobs))
	for _, j := range b.Jobs {
		if err := j.validate(tenant); err != nil {
			return err
		}
		if _, ok := jobs[j.ID]; ok {
			return Errorf(Invalid, "jobs: %s is named twice in one batch", j.ID)
		}
		jobs[j.ID] = struct{}{}
	}
	return nil
}

func (j *Job) validate(tenant string) error {
	switch {
	case j.ID == "":
		return Errorf(Invalid, "jobs: an id is missing")
	case j.Kind == "":
		return Errorf(Invalid, "jobs: the kind of %s is missing", j.ID)
	case j.Tenant != "" && j.Tenant != tenant:
		return Errorf(Invalid, "jobs: %s is of another tenant than the commit", j.ID)
	case len(j.Payload) > 0 && !json.Valid(j.Payload):
		return Errorf(Invalid, "jobs: the payload of %s is not JSON", j.ID)
	}
	return nil
}
