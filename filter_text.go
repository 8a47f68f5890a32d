package trilith

import "time"

// FilterText is the field of requests that tests the text of memories. Indexes hold no texts, so [Filter.Validate] does
// not know the field: the engine replaces its comparisons with the ids of the memories that meet them.
const FilterText = "text"

// TextTest is [Filter.Test] of a comparison of the text.
func (f Filter) TextTest() (func(value any) bool, error) { return f.test(ValueText) }

// Replace returns f with every comparison of a field replaced by the result of with.
func (f Filter) Replace(field string, with func(Filter) (Filter, error)) (Filter, error) {
	return f.each(func(c Filter) (Filter, error) {
		if c.Field != field {
			return c, nil
		}
		return with(c)
	})
}

// InZone returns f with the times that it writes without an offset read in a zone.
func (f Filter) InZone(zone *time.Location) Filter {
	read := func(v any) any {
		if text, ok := v.(string); ok {
			if t, err := ParseTimeIn(text, zone); err == nil {
				return Time(t)
			}
		}
		return v // an invalid one is refused by [Filter.Validate]
	}
	f, _ = f.each(func(c Filter) (Filter, error) {
		if field, ok := FieldNamed(c.Field); !ok || field.Type != ValueTime {
			return c, nil
		}
		if vs, ok := c.Value.([]any); ok {
			times := make([]any, len(vs))
			for i, v := range vs {
				times[i] = read(v)
			}
			c.Value = times
			return c, nil
		}
		c.Value = read(c.Value)
		return c, nil
	})
	return f
}

// each returns f with every comparison replaced by the result of with.
func (f Filter) each(with func(Filter) (Filter, error)) (Filter, error) {
	if f.Field != "" {
		return with(f)
	}
	var err error
	each := func(fs []Filter) []Filter {
		if fs == nil {
			return nil
		}
		out := make([]Filter, len(fs))
		for i, g := range fs {
			if out[i], err = g.each(with); err != nil {
				return nil
			}
		}
		return out
	}
	if f.And = each(f.And); err == nil {
		f.Or = each(f.Or)
	}
	if f.Not != nil && err == nil {
		not, failed := f.Not.each(with)
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
