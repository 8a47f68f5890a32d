package trilith

// FilterText is the field of requests that tests the text of memories. Indexes hold no texts, so [Filter.Validate] does
// not know the field: the engine replaces its comparisons with the ids of the memories that meet them.
const FilterText = "text"

// TextTest is [Filter.Test] of a comparison of the text.
func (f Filter) TextTest() (func(value any) bool, error) { return f.test(ValueText) }

// Replace returns f with every comparison of a field replaced by the result of with.
func (f Filter) Replace(field string, with func(Filter) (Filter, error)) (Filter, error) {
	if f.Field == field {
		return with(f)
	}
	var err error
	each := func(fs []Filter) []Filter {
		if fs == nil {
			return nil
		}
		out := make([]Filter, len(fs))
		for i, g := range fs {
			if out[i], err = g.Replace(field, with); err != nil {
				return nil
			}
		}
		return out
	}
	if f.And = each(f.And); err == nil {
		f.Or = each(f.Or)
	}
	if f.Not != nil && err == nil {
		not, failed := f.Not.Replace(field, with)
		f.Not, err = &not, failed
	}
	return f, err
}

// validateRequest checks a filter as a request may have it: with comparisons of the text.
func (f Filter) validateRequest() error {
	plain, err := f.Replace(FilterText, func(g Filter) (Filter, error) {
		_, err := g.TextTest()
		return Where("id", OpNe, nil), err
	})
	if err == nil {
		err = plain.Validate()
	}
	return err
}
