package textproc

import "strings"

// stemGerman removes the endings of number and case from a folded German word, and then those of comparison. The rules
// are those published by J. Savoy, "Light Stemming Approaches for the French, Portuguese, German and Hungarian
// Languages" (SAC 2006). They are so few that they rarely conflate unrelated words.
func stemGerman(w string) string {
	return stripComparison(stripInflection(w))
}

// minStem is the least length of a word after any rule.
const minStem = 3

func stripInflection(w string) string {
	if s, ok := strip(w, "ern"); ok {
		return s
	}
	for _, ending := range []string{"em", "en", "er", "es"} {
		if s, ok := strip(w, ending); ok {
			return s
		}
	}
	if s, ok := strip(w, "e"); ok {
		return s
	}
	if s, ok := strip(w, "s"); ok && endsBeforeS(s) {
		return s
	}
	return w
}

func stripComparison(w string) string {
	for _, ending := range []string{"est", "er", "en"} {
		if s, ok := strip(w, ending); ok {
			return s
		}
	}
	if s, ok := strip(w, "st"); ok && endsBeforeS(s) {
		return s
	}
	return w
}

func strip(w, ending string) (string, bool) {
	s, ok := strings.CutSuffix(w, ending)
	return s, ok && len(s) >= minStem
}

// endsBeforeS reports whether w ends in a consonant after which s and st can be endings.
func endsBeforeS(w string) bool {
	return strings.IndexByte("bdfghklmnt", w[len(w)-1]) >= 0
}
