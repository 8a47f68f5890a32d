package textproc

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// stem returns the stem of a folded word; in a language without a stemmer, the word itself.
//
// Words are folded before stemming, because people leave accents out, and a question without them must find a text with
// them. The algorithms of the Snowball project expect accents. Where they miss common endings for that reason, the
// ending is rewritten before, or its remainder removed afterwards.
func stem(w string, l Lang) string {
	switch l {
	case English:
		return snowball(w, english.Stem)
	case German:
		return stemGerman(w)
	case French:
		return stemFrench(w)
	case Spanish:
		return stemSpanish(w)
	case Italian:
		return snowball(w, italian.Stem)
	case Portuguese:
		return stemPortuguese(w)
	case Dutch:
		return stemDutch(w)
	case Swedish:
		return cut(stemNorse(w, swedish.Stem), 3, "an", "et")
	case Norwegian:
		return stemNorse(w, norwegian.Stem)
	case Danish:
		return single(cut(stemNorse(w, danish.Stem), 4, "ed"))
	case Finnish:
		return stemFinnish(w)
	case Hungarian:
		return snowball(cut(w, 3, "bol", "rol", "tol"), hungarian.Stem)
	case Romanian:
		return stemRomanian(w)
	case Russian:
		return snowball(w, russian.Stem)
	case Arabic:
		return stemArabic(w)
	}
	return w
}

// stemFrench: -ée and -ère have lost their accents, and the algorithm does not remove -ons, -ent and the s after i, o
// and u.
func stemFrench(w string) string {
	w = swap(w, 3, "ees", "e", "ee", "e")
	w = swap(w, 3, "eres", "er", "ere", "er", "ers", "er")
	w = snowball(w, french.Stem)
	w = cut(w, 4, "eon", "ent")
	w = cut(w, 5, "on")
	if n := len(w); n > 3 && w[n-1] == 's' && vowel(w[n-2]) && w[n-2] != 'e' && !vowel(w[n-3]) {
		w = w[:n-1] // velos, but not bois
	}
	return swap(single(w), 2, "if", "iv", "euf", "euv")
}

// stemSpanish: -ción, -ió and -ía have lost their accents, and c replaces the z of the singular.
func stemSpanish(w string) string {
	w = cut(w, 4, "mente")
	w = swap(w, 2, "ciones", "cion", "siones", "sion", "dades", "dad", "ces", "z", "anes", "an", "eres", "er", "ores",
		"or", "ares", "ar")
	return cut(snowball(w, spanish.Stem), 3, "i")
}

// stemPortuguese: -ões, -ães, -ais, -éis and -ens are plurals of -ão, -al, -el and -em.
func stemPortuguese(w string) string {
	w = cut(w, 4, "mente")
	w = swap(w, 3, "oes", "ao", "ais", "al", "eis", "el", "ens", "em")
	return snowball(swap(w, 1, "aes", "ao"), portuguese.Stem)
}

// stemDutch: the algorithm does not remove -t of verbs, and does not unify z with s, v with f, and double consonants
// with single ones.
func stemDutch(w string) string {
	w = swap(w, 0, "kinderen", "kind", "steden", "stad")
	w = snowball(w, dutch.Stem)
	if n := len(w); n > 3 && !vowel(w[n-2]) && (w[n-1] == 't' || w[n-1] == 's') {
		w = w[:n-1]
	}
	if n := len(w); n > 3 && !vowel(w[n-1]) && w[n-2] == w[n-3] && vowel(w[n-2]) && w[n-2] != 'i' {
		w = w[:n-2] + w[n-1:] // woon, from woont
	}
	return swap(single(w), 2, "z", "s", "v", "f")
}

// single removes one of two equal consonants at the end.
func single(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !vowel(w[n-1]) {
		return w[:n-1]
	}
	return w
}

func vowel(c byte) bool { return strings.IndexByte("aeiouy", c) >= 0 }

// stemNorse is for Swedish, Norwegian and Danish, whose algorithms do not remove the t of köpt, kjøpt and købt.
func stemNorse(w string, algorithm func(*snowballstem.Env) bool) string {
	return swap(snowball(w, algorithm), 2, "pt", "p", "kt", "k", "bt", "b", "rt", "r", "ist", "is", "jst", "js")
}

// stemFinnish: consonants inside a word weaken before some endings: kaupunki, kaupungissa.
func stemFinnish(w string) string {
	w = snowball(w, finnish.Stem)
	return swap(w, 2, "nk", "ng", "nt", "nn", "mp", "mm", "lt", "ll", "rt", "rr", "kk", "k", "pp", "p", "tt",
		"t", "ks", "s")
}

// stemRomanian: verbs in -ează and -iesc, adjectives in -oasă, and an e that the algorithm does not remove.
func stemRomanian(w string) string {
	w = swap(w, 3, "eaza", "a", "iesc", "i", "ieste", "i", "oasa", "os", "oase", "os")
	return cut(snowball(w, romanian.Stem), 3, "e")
}

// swap replaces the first of the endings that the word has, if at least least bytes remain. pairs alternates endings
// and replacements.
func swap(w string, least int, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if s, ok := strings.CutSuffix(w, pairs[i]); ok && len(s) >= least {
			return s + pairs[i+1]
		}
	}
	return w
}

// cut removes the first of the endings that the word has, if at least least bytes remain.
func cut(w string, least int, endings ...string) string {
	for _, e := range endings {
		if s, ok := strings.CutSuffix(w, e); ok && len(s) >= least {
			return s
		}
	}
	return w
}

// snowball runs an algorithm of the Snowball project. An empty result is ignored.
func snowball(w string, algorithm func(*snowballstem.Env) bool) string {
	env := snowballstem.NewEnv(w)
	algorithm(env)
	if s := env.Current(); s != "" {
		return s
	}
	return w
}

// stemArabic removes the article with its prefixes, then the endings of number, gender and possession. The affixes are
// those of the light stemmers of L. Larkey et al., "Improving Stemming for Arabic Information Retrieval" (SIGIR 2002).
func stemArabic(w string) string {
	const letter = 2 // bytes
	if s, ok := strings.CutPrefix(w, "و"); ok && len(s) >= 3*letter {
		w = s
	}
	for _, p := range []string{"ال", "بال", "كال", "فال", "لل"} {
		if s, ok := strings.CutPrefix(w, p); ok && len(s) >= 2*letter {
			w = s
			break
		}
	}
	for _, ending := range []string{"ها", "تين", "تان", "ان", "ات", "ون", "ين", "يه", "ه", "ي"} {
		if s, ok := strings.CutSuffix(w, ending); ok && len(s) >= 2*letter {
			w = s
		}
	}
	return w
}
