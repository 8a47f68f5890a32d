package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	reviewNote   = regexp.MustCompile(`^.*?##`)
	genitiveEnds = strings.NewReplacer(" n't", "n't", " 's", "'s")
)

// readZip reads archives of plain text: with a part of speech behind each word (masc_tagged), of reviews with notes
// before each sentence (product_reviews), or as it is.
func readZip(r *reading, fs files) {
	for name, data := range fs {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			continue
		}
		for _, f := range archive.File {
			if !strings.HasSuffix(f.Name, ".txt") || strings.Contains(strings.ToLower(f.Name), "readme") {
				continue
			}
			in, err := f.Open()
			if err != nil {
				continue
			}
			content, err := io.ReadAll(in)
			if err != nil {
				continue
			}
			var all []string
			for line := range strings.SplitSeq(latin1(content), "\n") {
				switch {
				case strings.Contains(name, "tagged"):
					words := strings.Fields(line)
					for i, w := range words {
						if at := strings.LastIndexByte(w, '_'); at >= 0 {
							words[i] = w[:at]
						}
					}
					all = append(all, genitiveEnds.Replace(strings.Join(words, " ")))
				case strings.Contains(name, "product_reviews"):
					if strings.Contains(line, "##") {
						all = append(all, reviewNote.ReplaceAllString(line, ""))
					}
				default:
					all = append(all, sentences(tidy(line))...)
				}
			}
			all = slices.DeleteFunc(all, func(l string) bool { return strings.Count(l, " ") < 3 })
			r.doc(all...)
			kind := strings.TrimSuffix(path.Base(name), ".zip") + "_next"
			for i := 0; i+1 < len(all); i += 2 {
				r.pair(kind, all[i], all[i+1])
			}
		}
	}
}

func latin1(data []byte) string {
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return string(runes)
}

// readLists reads lists of things of one sort, which belong to the name of their file.
func readLists(r *reading, fs files) {
	random := r.random()
	for name, data := range fs {
		var lists map[string]json.RawMessage
		if json.Unmarshal(data, &lists) != nil {
			continue
		}
		sort := strings.NewReplacer("_", " ", "-", " ", "data/", "", ".json", "", "/", " ").Replace(name)
		var keys []string
		for k := range lists {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			var mixed []any
			if json.Unmarshal(lists[k], &mixed) != nil {
				continue
			}
			var things []string
			for _, x := range mixed {
				if s, ok := x.(string); ok && strings.Count(s, " ") < 4 {
					things = append(things, s)
				}
			}
			random.Shuffle(len(things), func(i, j int) { things[i], things[j] = things[j], things[i] })
			for _, thing := range things[:min(300, len(things))] {
				r.pair("list", sort, thing)
			}
		}
	}
}

var (
	rogetComment = regexp.MustCompile(`(?s)<--.*?-->`)
	rogetHead    = regexp.MustCompile(`\n\s+#\d+[a-z]?\.`)
	rogetNoise   = regexp.MustCompile(`\[[^\]]*\]|&c\.?( *\([^)]*\))? *\d*[a-z]*\.?|\bobs\d`)
	rogetClass   = regexp.MustCompile(`\b(N|V|Adj|Adv|Phr|Int)\.`)
	fullStop     = regexp.MustCompile(`\.\s`)
	listed       = regexp.MustCompile(`[,;]`)
)

// readRoget reads Roget's thesaurus of 1911: heads, each with groups of words that mean about the same.
func readRoget(r *reading, fs files) {
	random := r.random()
	for _, data := range fs {
		s := rogetComment.ReplaceAllString(latin1(data), "")
		s = s[max(strings.Index(s, "#1."), 0):]
		for _, head := range rogetHead.Split(s, -1) {
			head = rogetClass.ReplaceAllString(rogetNoise.ReplaceAllString(head, " "), "\n")
			var groups [][]string
			var all []string
			for _, paragraph := range strings.Split(head, "\n") {
				for _, g := range fullStop.Split(tidy(paragraph), -1) {
					var group []string
					for _, w := range listed.Split(g, -1) {
						if w = strings.Trim(w, ` .-—"`); w != "" && strings.Count(w, " ") < 3 {
							group = append(group, w)
						}
					}
					if len(group) > 0 {
						groups = append(groups, group)
						all = append(all, group...)
					}
				}
			}
			if len(all) < 6 {
				continue
			}
			var said []string
			for _, g := range groups {
				said = append(said, strings.Join(g, ", "))
				r.neighbours("roget_synonym", g, 1)
			}
			r.doc(said...)
			for range min(60, len(all)/2) {
				r.pair("roget_head", all[random.IntN(len(all))], all[random.IntN(len(all))])
			}
		}
	}
}

// synset is a meaning of WordNet with the words that have it.
type synset struct {
	members, definition, example []string
	relations                    map[string][]string // ids of other synsets
}

// readWordNet reads the files of synsets of Open English WordNet, whose YAML has lists of plain texts and nothing
// deeper.
func readWordNet(r *reading, fs files) {
	random := r.random()
	var ids []string
	synsets := map[string]*synset{}
	for _, data := range fs {
		var s *synset
		var key string
		var last *string // of a list, which the next line may go on with
		for line := range strings.SplitSeq(string(data), "\n") {
			switch trimmed := strings.TrimSpace(line); {
			case trimmed == "":
			case line[0] != ' ':
				id := strings.TrimSuffix(line, ":")
				s = &synset{relations: map[string][]string{}}
				synsets[id] = s
				ids = append(ids, id)
			case strings.HasPrefix(line, "  ") && line[2] != ' ' && line[2] != '-':
				key, _, _ = strings.Cut(trimmed, ":")
				last = nil
			case strings.HasPrefix(line, "  - "):
				last = s.add(key, strings.TrimPrefix(trimmed, "- "))
			case last != nil:
				*last += " " + trimmed
			}
		}
	}
	for _, s := range synsets {
		for _, texts := range [][]string{s.members, s.definition, s.example} {
			for i := range texts {
				texts[i] = unquote(texts[i])
			}
		}
	}
	for _, id := range ids {
		s := synsets[id]
		if len(s.members) == 0 || len(s.definition) == 0 {
			continue
		}
		means := strings.Join(s.definition, "; ")
		words := strings.Join(s.members, ", ")
		r.doc(append([]string{words + ": " + means}, s.example...)...)
		r.pair("wordnet_meaning", words, means)
		for _, e := range s.example[:min(2, len(s.example))] {
			r.pair("wordnet_example", means, e)
		}
		r.neighbours("wordnet_synonym", s.members, 1)
		first := s.members[0]
		for _, up := range s.relations["hypernym"] {
			if above := synsets[up]; above != nil && len(above.members) > 0 {
				r.pair("wordnet_kind", first, above.members[0])
			}
		}
		if strings.HasSuffix(id, "-n") {
			above := s.above(synsets)
			if len(above) > 0 {
				r.pair("wordnet_meanings", first+" "+means, above[0].members[0]+" "+
					strings.Join(above[0].definition, "; "))
			}
			for level := 2; level <= 4; level++ {
				var next []*synset
				for _, a := range above {
					next = append(next, a.above(synsets)...)
				}
				if above = next; len(above) > 0 {
					from := above[0].members
					r.pair("wordnet_kind"+string(rune('0'+level)), first, from[random.IntN(len(from))])
				}
			}
		}
		for _, relation := range []string{"similar", "entails", "causes", "mero_part", "mero_member", "mero_substance",
			"domain_topic", "also"} {
			for _, other := range s.relations[relation] {
				if o := synsets[other]; o != nil && len(o.members) > 0 {
					r.pair("wordnet_related", first, o.members[0])
				}
			}
		}
	}
}

// add adds a text to a list of the synset and returns where it is.
func (s *synset) add(key, text string) *string {
	list := &s.members
	switch key {
	case "members":
	case "definition":
		list = &s.definition
	case "example":
		list = &s.example
	default:
		s.relations[key] = append(s.relations[key], text)
		return nil
	}
	*list = append(*list, text)
	return &(*list)[len(*list)-1]
}

// above returns the synsets of the more general meanings that have words.
func (s *synset) above(synsets map[string]*synset) (all []*synset) {
	for _, id := range s.relations["hypernym"] {
		if a := synsets[id]; a != nil && len(a.members) > 0 && len(a.definition) > 0 {
			all = append(all, a)
		}
	}
	return all
}

// unquote takes the quotes of YAML off.
func unquote(s string) string {
	if len(s) > 1 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.NewReplacer(`\"`, `"`, `\ `, " ", `\`, "").Replace(s[1 : len(s)-1])
	}
	return s
}
