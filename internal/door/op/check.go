package op

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

func (f *Field) checkLength(n int, at string, errs *Errors) bool {
	if n < f.MinItems {
		errs.add(at, "expected array length >= %d", f.MinItems)
	} else if f.MaxItems > 0 && n > f.MaxItems {
		errs.add(at, "expected array length <= %d; send the rest in another request", f.MaxItems)
		return false
	}
	return true
}

// checkOne checks a value that is there, even if it is zero.
func (f *Field) checkOne(v reflect.Value, at string, errs *Errors) {
	switch v.Kind() {
	case reflect.String:
		f.checkText(v.String(), at, errs)
	case reflect.Int, reflect.Int64:
		f.checkNumber(float64(v.Int()), at, errs)
	case reflect.Float64:
		f.checkNumber(v.Float(), at, errs)
	}
}

func (f *Field) checkText(s, at string, errs *Errors) {
	switch n := utf8.RuneCountInString(s); {
	case !utf8.ValidString(s):
		errs.add(at, "is not valid UTF-8")
	case n < f.MinLength:
		errs.add(at, "expected length >= %d", f.MinLength)
	case f.MaxLength > 0 && n > f.MaxLength:
		errs.add(at, "expected length <= %d", f.MaxLength)
	case f.Enum != nil && !slices.Contains(f.Enum, s):
		errs.add(at, `expected value to be one of "%s"`, strings.Join(f.Enum, ", "))
	case f.Pattern != nil && !f.Pattern.MatchString(s):
		errs.add(at, "expected string to be %s", f.PatternDoc)
	}
}

func (f *Field) checkNumber(n float64, at string, errs *Errors) {
	if f.Min != nil && !(n >= *f.Min) {
		errs.add(at, "expected number >= %v", *f.Min)
	}
	if f.Max != nil && !(n <= *f.Max) {
		errs.add(at, "expected number <= %v", *f.Max)
	}
}
