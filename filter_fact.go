package cairn

import "strconv"

// factAccessor is accessor for the fields that only facts have.
func factAccessor(field string) func(*Facets) any {
	get, ok := factFields[field]
	if !ok {
		return func(*Facets) any { return nil } // compileField has refused unknown fields
	}
	return func(x *Facets) any {
		if x.Fact == nil {
			return nil
		}
		v := get(x.Fact)
		if v == "" {
			return nil
		}
		return v
	}
}

// factFields reads the fields of facts, in the types that accessor promises.
var factFields = map[string]func(*Fact) any{
	"entity_id":           func(f *Fact) any { return string(f.EntityID) },
	"verb":                func(f *Fact) any { return f.Verb },
	"fact_id":             func(f *Fact) any { return f.FactID },
	"entity_ref":          func(f *Fact) any { return string(f.Node.EntityRef) },
	"fact_type":           func(f *Fact) any { return string(f.Type) },
	"polarity":            func(f *Fact) any { return string(f.Polarity) },
	"certainty":           func(f *Fact) any { return string(f.Certainty) },
	"author_role":         func(f *Fact) any { return string(f.AuthorRole) },
	"priority":            func(f *Fact) any { return string(f.Priority) },
	"verification_status": func(f *Fact) any { return string(f.Verification.Status) },
	"evidence": func(f *Fact) any {
		if len(f.Evidence) == 0 {
			return nil
		}
		vs := make([]any, 0, len(f.Evidence))
		for i := range f.Evidence {
			e := &f.Evidence[i]
			vs = append(vs, string(e.EpisodeID))
			for k := range e.Premises {
				vs = append(vs, string(e.Premises[k].EpisodeID))
			}
		}
		return vs
	},
	"confidence":      func(f *Fact) any { return f.Confidence },
	"requires_action": func(f *Fact) any { return f.RequiresAction },
	"action_deadline": func(f *Fact) any {
		if f.ActionDeadline == nil {
			return nil
		}
		return *f.ActionDeadline
	},
	"currency":           financial(func(m *Financial) any { return m.Currency }),
	"financial_type":     financial(func(m *Financial) any { return m.Type }),
	"financial_category": financial(func(m *Financial) any { return m.Category }),
	"financial_amount": financial(func(m *Financial) any {
		amount, err := strconv.ParseFloat(m.Amount, 64) // exact enough to compare with a threshold
		if err != nil {
			return nil
		}
		return amount
	}),
}

func financial(get func(*Financial) any) func(*Fact) any {
	return func(f *Fact) any {
		if f.Financial == nil {
			return nil
		}
		return get(f.Financial)
	}
}
