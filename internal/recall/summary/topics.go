package summary

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith/internal/lang/textproc"
)

// Topic is a group of texts that share terms.
type Topic struct {
	// Name is the words, up to three, that tell the texts of the topic from the others best.
	Name    string
	Members []int // numbers of texts, ascending
}

// alike is the least cosine of the terms of a text and a topic from which on the text belongs to it.
const alike = 0.12

// Topics groups texts by topic: each text joins the group that it is most like, or begins one. The largest group is
// first, equal ones by their first text. No two have one name.
func Topics(texts []string) []Topic {
	vectors, spelled := vectorsOf(texts)
	var groups []Topic
	var centres []map[string]float64
	for i, v := range vectors {
		best, most := -1, alike
		for g, c := range centres {
			if cos := cosine(v, c); cos > most {
				best, most = g, cos
			}
		}
		if best < 0 {
			best = len(groups)
			groups, centres = append(groups, Topic{}), append(centres, map[string]float64{})
		}
		groups[best].Members = append(groups[best].Members, i)
		for t, w := range v {
			centres[best][t] += w
		}
	}
	taken := map[string]bool{}
	for g := range groups {
		groups[g].Name = nameOf(centres[g], centres, spelled, taken)
	}
	slices.SortStableFunc(groups, func(a, b Topic) int { return cmp.Compare(len(b.Members), len(a.Members)) })
	return groups
}

// vectorsOf weighs the terms of texts, and says how a term is spelled.
func vectorsOf(texts []string) ([]map[string]float64, map[string]string) {
	var a textproc.Analyzer
	in, spelled := map[string]int{}, map[string]string{}
	out := make([]map[string]float64, len(texts))
	for i, text := range texts {
		v := map[string]float64{}
		for _, word := range strings.FieldsFunc(text, notWord) {
			if len(word) < 4 || digits(word) {
				continue
			}
			terms, _ := a.Terms(word)
			for _, t := range terms {
				if len(t) > 3 {
					v[t]++
					if s := strings.ToLower(word); spelled[t] == "" || len(s) < len(spelled[t]) {
						spelled[t] = s
					}
				}
			}
		}
		for t := range v {
			in[t]++
		}
		out[i] = v
	}
	for _, v := range out {
		norm := 0.0
		for t, n := range v {
			v[t] = (1 + math.Log(n)) * math.Log(1+float64(len(texts))/float64(in[t]))
			norm += v[t] * v[t]
		}
		for t := range v {
			v[t] /= math.Sqrt(norm)
		}
	}
	return out, spelled
}

// cosine sums in the order of terms: equal texts give equal groups.
func cosine(a, b map[string]float64) float64 {
	dot, na, nb := 0.0, 0.0, 0.0
	for _, t := range keys(a) {
		dot, na = dot+a[t]*b[t], na+a[t]*a[t]
	}
	for _, t := range keys(b) {
		nb += b[t] * b[t]
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return dot / math.Sqrt(na*nb)
}

func keys(m map[string]float64) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// nameOf returns the terms in which a centre stands out the most from all centres.
func nameOf(centre map[string]float64, all []map[string]float64, spelled map[string]string,
	taken map[string]bool) string {
	terms := keys(centre)
	share := func(t string) float64 {
		sum := 0.0
		for _, c := range all {
			sum += c[t]
		}
		return centre[t] * centre[t] / sum
	}
	slices.SortStableFunc(terms, func(a, b string) int { return cmp.Compare(share(b), share(a)) })
	for n := min(3, len(terms)); n <= len(terms); n++ {
		words := make([]string, n)
		for i, t := range terms[:n] {
			words[i] = spelled[t]
		}
		name := strings.Join(words, ", ")
		if !taken[name] && name != "" {
			taken[name] = true
			return name
		}
	}
	taken["other"] = true
	return "other " + strconv.Itoa(len(taken))
}
