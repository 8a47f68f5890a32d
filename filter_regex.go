package trilith

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// MaxFilterPattern is the longest pattern of [OpRegex] in bytes, and maxPatternSteps the number of steps that it may
// unfold to. Matching takes steps times text, so nested counted repetitions must not make every search slow.
const (
	MaxFilterPattern = 512
	maxPatternSteps  = 2000
)

// compilePattern makes the condition that a text, or a text of a list, matches a pattern.
func compilePattern(field string, ft ValueType, v any) (func(any) bool, error) {
	if ft == ValueTime || ft == ValueNumber || ft == ValueBool {
		return nil, Errorf(Invalid, "filter: %s: regex works on text and lists only", field)
	}
	pattern, ok := v.(string)
	switch {
	case !ok:
		return nil, Errorf(Invalid, "filter: %s: a regex must be text", field)
	case len(pattern) > MaxFilterPattern:
		return nil, Errorf(Invalid, "filter: %s: the regex is %d bytes long, at most %d are allowed", field,
			len(pattern), MaxFilterPattern)
	case !utf8.ValidString(pattern):
		return nil, Errorf(Invalid, "filter: %s: the regex is not valid UTF-8", field)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, Errorf(Invalid, "filter: %s: the regex %s", field, patternFault(err))
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, Errorf(Invalid, "filter: %s: the regex cannot be used: %w", field, err)
	}
	if len(prog.Inst) > maxPatternSteps {
		return nil, Errorf(Invalid,
			"filter: %s: the regex repeats too much: it unfolds to %d steps, at most %d are allowed", field,
			len(prog.Inst), maxPatternSteps)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, Errorf(Invalid, "filter: %s: the regex cannot be used: %w", field, err)
	}
	return func(v any) bool {
		switch v := v.(type) {
		case string:
			return re.MatchString(v)
		case []any:
			return slices.ContainsFunc(v, func(e any) bool {
				s, ok := e.(string)
				return ok && re.MatchString(s)
			})
		}
		return false
	}, nil
}

// patternFault says what is wrong with a pattern, and where.
func patternFault(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return "has a fault: " + e.Code.String() + " in `" + e.Expr + "`"
	}
	return err.Error()
}
