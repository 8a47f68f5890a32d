package indextest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/role"
)

// textWordCases test which words find a text.
var textWordCases = []textCase{
	{"Or", "a memory that holds any term of the query is a candidate, and more of them or rarer ones rank higher",
		testTextOr},
	{"Forms", "words are found in other forms, cases, accents and scripts", testTextForms},
	{"Languages", "words are found in the forms of their language, names in texts of every language, and texts in another language change no score", testTextLanguages},
	{"ChosenLanguages", "texts and questions are in the given languages, which changes no search of another tenant; an unknown language is refused, and nothing is stored", testTextChosenLanguages},
	{"StopWords", "stop words find nothing beside other words, and count only if the query has no others", testTextStopWords},
	{"Empty", "a query without a word finds nothing, has no terms and an Attainable of 0", testTextEmpty},
	{"EmptyText", "a text without a word is stored, is never found, and counts in the statistics", testTextEmptyText},
	{"Attainable", "a score is between 0 and Attainable, and a term that no text contains raises Attainable but no score",
		testTextAttainable},
	{"Exact", "an exact search finds exactly the memories that contain one of the identifiers, ignoring case", testTextExact},
	{"ExactScore", "the score of an exact search is the sum of the rarities of the identifiers found",
		testTextExactScore},
	{"Large", "a text of the greatest size is stored and found", testTextLarge},
}

func testTextOr(t *testing.T, x role.TextIndex) {
	putTexts(t, x,
		text("ana", 1, 1, "apple"),
		text("ana", 2, 1, "pear"),
		text("ana", 3, 1, "plum"),
		text("ana", 4, 1, "apple pear"),
		text("ana", 5, 1, "apple"),
		text("ana", 6, 1, "quince"))
	// Two terms before one; pear is in two texts of six, apple in three.
	wantTexts(t, x, ana, "apple pear", 4, 2, 1, 5)
	wantTexts(t, x, ana, "apple unknown", 1, 5, 4)
	wantTexts(t, x, ana, "unknown")
	wantTexts(t, x, ana, "pear pear pear", 2, 4)
}

func testTextForms(t *testing.T, x role.TextIndex) {
	texts := []string{
		1:  "She was running to the libraries",
		2:  "Die Kinder spielen mit den Hunden im Garten",
		3:  "Crème brûlée in São Paulo",
		4:  "Wir wohnen in der Langen Straße in München",
		5:  "我喜欢喝茶，也喜欢爬山",
		6:  "コーヒーを飲みます",
		7:  "커피를 마셔요",
		8:  "ฉันชอบภูเขา",
		9:  "Ёжик в тумане",
		10: "Ο Οδυσσεύς",
		11: "Ana's bicycle isn't here",
		12: "ＦＵＬＬ ｗｉｄｔｈ",
	}
	var ts []role.TextPoint
	for n, s := range texts[1:] {
		ts = append(ts, text("ana", n+1, 1, s))
	}
	putTexts(t, x, ts...)
	for _, c := range []struct {
		query string
		want  int
	}{
		{"library", 1}, {"Who runs?", 1}, {"RUNNING", 1},
		{"Hund", 2}, {"Wo spielen die Hunde?", 2}, {"Gärten", 2},
		{"creme", 3}, {"sao", 3}, {"BRÛLÉE", 3},
		{"strasse", 4}, {"Straßen", 4}, {"munchen", 4}, {"MÜNCHEN", 4},
		{"喝茶", 5}, {"爬山", 5},
		{"コーヒー", 6}, {"ｺｰﾋｰ", 6},
		{"커피", 7},
		{"ภูเขา", 8},
		{"ежик", 9}, {"ТУМАНЕ", 9},
		{"ΟΔΥΣΣΕΥΣ", 10},
		{"ana", 11}, {"Ana’s", 11}, {"bicycles", 11},
		{"full", 12},
	} {
		if got := searchText(t, x, ana, role.TextProbe{Text: c.query}); len(got.Candidates) == 0 ||
			got.Candidates[0].ID != pid(c.want) {
			t.Errorf("Search(%q) found %v, want first %q", c.query, got.Candidates, texts[c.want])
		}
	}
	wantTexts(t, x, ana, "紅茶")
}

func testTextLanguages(t *testing.T, x role.TextIndex) {
	texts := []string{
		1:  "She was in Hannover with her sisters",
		2:  "Wir wohnen mit den Kindern in Hannover",
		3:  "Nous avons acheté deux vélos avec les enfants",
		4:  "Ella vivió en una habitación con sus gatos",
		5:  "Abitiamo a Torino da tre anni e abbiamo un giardino",
		6:  "Nós moramos perto da estação com os nossos cães",
		7:  "Ik heb twee fietsen en een huis met een tuin",
		8:  "Jag har en katt och två flickor",
		9:  "Hän on asunut kaupungissa ja minä olen ollut kotona",
		10: "Мы купили красивую собаку",
		11: "أسكن في البيت القديم",
		12: "Hannover 96 gegen Köln",
	}
	var ts []role.TextPoint
	for n, s := range texts[1:10] {
		ts = append(ts, text("ana", n+1, 1, s))
	}
	putTexts(t, x, ts...)
	before := searchText(t, x, ana, role.TextProbe{Text: "Who was in Hannover?"})
	checkNumbers(t, "Search for a name in two languages", before, []int{1, 2})
	putTexts(t, x, text("ben", 10, 1, texts[10]), text("ben", 11, 1, texts[11]), text("ben", 12, 1, texts[12]),
		text("ben", 13, 1, "Hol van a kutya, és hol lakik Ana?"))
	if after := searchText(t, x, ana, role.TextProbe{Text: "Who was in Hannover?"}); !reflect.DeepEqual(
		before, after) {
		t.Errorf("Search = %+v, and %+v when another user has written in other languages", before, after)
	}
	putTexts(t, x, text("ana", 10, 1, texts[10]), text("ana", 11, 1, texts[11]))
	for _, c := range []struct {
		query string
		want  int
	}{
		{"Kinder", 2}, {"Wo wohnt das Kind?", 2},
		{"Quel vélo a-t-elle ?", 3}, {"qui achete les velos", 3}, {"enfant", 3},
		{"¿Quién vive en la habitación?", 4}, {"habitaciones", 4}, {"gata", 4},
		{"Dove abita?", 5}, {"giardini", 5},
		{"Onde mora o cão?", 6}, {"estacoes", 6},
		{"Heeft hij een fiets?", 7}, {"huizen", 7},
		{"Vad heter flickan?", 8}, {"katten", 8},
		{"kaupunki", 9},
		{"Какая собака красивая?", 10}, {"СОБАКИ", 10},
		{"أين بيت جدي؟", 11},
	} {
		if got := searchText(t, x, ana, role.TextProbe{Text: c.query}); len(got.Candidates) == 0 ||
			got.Candidates[0].ID != pid(c.want) {
			t.Errorf("Search(%q) found %v, want first %q", c.query, got.Candidates, texts[c.want])
		}
	}
}

func testTextChosenLanguages(t *testing.T, x role.TextIndex) {
	const said, asked = "Viajamos juntos", "viajar" // neither is recognisable as Spanish
	find := func(tenant string, codes ...string) role.TextResult {
		return searchText(t, x, trilith.Scope{Tenant: tenant}, role.TextProbe{Text: asked, Languages: codes})
	}
	in := func(p role.TextPoint, codes ...string) role.TextPoint {
		p.Languages = codes
		return p
	}
	putTexts(t, x, text("ana", 1, 1, said), text("ben", 1, 1, said), text("ben", 2, 1, "viajar"))
	before := find("ben")
	checkNumbers(t, "Search in no language of one's own", find("ana"), nil)
	putTexts(t, x, in(text("ana", 1, 1, said), "es", "de")) // the stored version
	checkNumbers(t, "Search in the languages of the texts", find("ana", "es", "de"), []int{1})
	if after := find("ben"); !reflect.DeepEqual(before, after) {
		t.Errorf("Search = %+v, and %+v when another tenant has chosen languages", before, after)
	}
	putTexts(t, x, text("ana", 1, 1, said))
	checkNumbers(t, "Search when the choice was taken back", find("ana"), nil)

	wantKind(t, "Apply in an unknown language",
		x.Apply(t.Context(), []role.TextPoint{text("ana", 2, 1, "apple"), in(text("ana", 3, 1, "pear"), "tlh")}),
		trilith.Invalid)
	wantTexts(t, x, ana, "apple")
	_, err := x.Search(t.Context(), ana, role.TextProbe{Text: "apple", K: 1, Languages: []string{"tlh"}})
	wantKind(t, "Search in an unknown language", err, trilith.Invalid)
}

func testTextStopWords(t *testing.T, x role.TextIndex) {
	putTexts(t, x, text("ana", 1, 1, "where is it that you are"), text("ana", 2, 1, "a lighthouse"))
	wantTexts(t, x, ana, "Where is the lighthouse?", 2)
	wantTexts(t, x, ana, "where are you", 1)
}

func testTextEmpty(t *testing.T, x role.TextIndex) {
	putTexts(t, x, text("ana", 1, 1, "apple"), text("ana", 2, 1, ""))
	for _, exact := range []bool{false, true} {
		for _, query := range []string{"", "  \n", "?!…", "→", "\xff\xfe"} {
			if r := searchText(t, x, ana, role.TextProbe{Text: query, Exact: exact}); len(r.Candidates) != 0 ||
				len(r.Terms) != 0 || r.Attainable != 0 {
				t.Errorf("Search(%q, exact %v) = %+v, want nothing", query, exact, r)
			}
		}
	}
	if r := searchText(t, x, ana, role.TextProbe{Text: "just apples", Exact: true}); len(r.Candidates) != 0 ||
		r.Attainable != 0 {
		t.Errorf("exact Search of a text without identifiers = %+v, want nothing", r)
	}
}

func testTextEmptyText(t *testing.T, x role.TextIndex) {
	putTexts(t, x, text("ana", 1, 1, "apple"), text("ana", 2, 1, "apple"))
	before := searchText(t, x, ana, role.TextProbe{Text: "apple"})
	putTexts(t, x, text("ana", 3, 1, ""), text("ana", 4, 1, "…"))
	after := searchText(t, x, ana, role.TextProbe{Text: "apple"})
	checkNumbers(t, "Search beside texts without words", after, []int{1, 2})
	if after.Attainable <= before.Attainable {
		t.Errorf("Attainable is %v beside texts without the word, %v without them: the word has become rarer",
			after.Attainable, before.Attainable)
	}
}

func testTextAttainable(t *testing.T, x role.TextIndex) {
	for n := range 30 {
		putTexts(t, x, text("ana", n, 1, strings.Repeat("apple ", n)+strings.Repeat("pear ", 30-n)+
			fmt.Sprintf("word%d", n%7)))
	}
	for _, query := range []string{"apple", "pear apple", "apple apple", "word3 pear unknown",
		"Äpfel Birnen", "unknown"} {
		r := searchText(t, x, ana, role.TextProbe{Text: query})
		for i, c := range r.Candidates {
			if c.Score <= 0 || c.Score > r.Attainable*(1+1e-9) {
				t.Errorf("Search(%q): score %v of %s is not above 0 and at most %v", query, c.Score, c.ID, r.Attainable)
			}
			if i > 0 && c.Score > r.Candidates[i-1].Score {
				t.Errorf("Search(%q): score %v at rank %d after %v", query, c.Score, i+1, r.Candidates[i-1].Score)
			}
		}
		if len(r.Terms) == 0 || r.Attainable <= 0 {
			t.Errorf("Search(%q) has terms %q and attainable %v, want some", query, r.Terms, r.Attainable)
		}
	}
	known, unknown := searchText(t, x, ana, role.TextProbe{Text: "where is the apple"}),
		searchText(t, x, ana, role.TextProbe{Text: "where is the unknown apple"})
	if unknown.Attainable <= known.Attainable {
		t.Errorf("an unknown word changes Attainable from %v to %v, want more", known.Attainable, unknown.Attainable)
	}
	if unknown.Candidates[0] != known.Candidates[0] {
		t.Errorf("with an unknown word the best is %v, without %v", unknown.Candidates[0], known.Candidates[0])
	}
}

// identifierTexts hold one identifier each, by the number of the text.
var identifierTexts = []string{
	1: "ticket ABC-123 is done", 2: "it fails with E1234 again", 3: "ERR_FOO_BAR came up",
	4: "code 0x80070005 on start",
	5: "look into internal/search/vec/scan.go please", 6: "edit /etc/hosts as root", 7: "write to Ana.Berg@example.com soon",
	8: "see https://example.org/a?b=c for more", 9: "since v1.2.3 it works", 10: "fixed by #4711, I think",
	11: "call getUserName first", 12: "id 6ba7b810-9dad-11d1-80b4-00c04fd430c8 here",
}

func testTextExact(t *testing.T, x role.TextIndex) {
	var ts []role.TextPoint
	for n, s := range identifierTexts[1:] {
		ts = append(ts, text("ana", n+1, 1, s))
	}
	ts = append(ts, text("ana", 50, 1, "abc 123 E 1234 scan go etc hosts v1 2 3"))
	putTexts(t, x, ts...)
	for _, c := range []struct {
		query string
		want  []int
	}{
		{"what about ABC-123?", []int{1}}, {"abc-123", []int{1}}, {"ABC-12", nil}, {"ABC-1234", nil},
		{"E1234", []int{2}}, {"e1234", []int{2}}, {"err_foo_bar", []int{3}}, {"0X80070005", []int{4}},
		{"internal/search/vec/scan.go", []int{5}}, {"what is in scan.go?", []int{5}}, {"/etc/hosts", []int{6}},
		{"<ana.berg@EXAMPLE.com>", []int{7}}, {"(https://example.org/a?b=c)", []int{8}}, {"v1.2.3", []int{9}},
		{"#4711", []int{10}}, {"getUserName()", []int{11}}, {"6BA7B810-9DAD-11D1-80B4-00C04FD430C8", []int{12}},
		{"just words", nil}, {"E1234 and ABC-123", []int{1, 2}},
	} {
		got := idsOf(searchText(t, x, ana, role.TextProbe{Text: c.query, Exact: true}))
		slices.Sort(got)
		var want []trilith.ID
		for _, n := range c.want {
			want = append(want, pid(n))
		}
		if !slices.Equal(got, want) {
			t.Errorf("exact Search(%q) found %v, want %v", c.query, got, want)
		}
	}
}

func testTextExactScore(t *testing.T, x role.TextIndex) {
	putTexts(t, x,
		text("ana", 1, 1, "E1001"),
		text("ana", 2, 1, "E1001 E1001 E1001 and a long tail of words about nothing"),
		text("ana", 3, 1, "E1001 E1002"),
		text("ana", 4, 1, "nothing"))
	r := searchText(t, x, ana, role.TextProbe{Text: "E1001 E1002", Exact: true})
	checkNumbers(t, "exact Search of two identifiers", r, []int{3, 1, 2}) // neither repetition nor length count
	if len(r.Candidates) == 3 &&
		(r.Candidates[1].Score != r.Candidates[2].Score || r.Candidates[0].Score > r.Attainable*(1+1e-9)) {
		t.Errorf("exact Search of two identifiers = %+v, want equal scores of the last two and none over Attainable", r)
	}
}

func testTextLarge(t *testing.T, x role.TextIndex) {
	large := strings.Repeat("Ana spoke at length about ABC-123. ", trilith.MaxTextBytes/35)
	putTexts(t, x, text("ana", 1, 1, large+" xylophone"), text("ana", 2, 1, strings.Repeat("x", trilith.MaxTextBytes)))
	wantTexts(t, x, ana, "xylophone", 1)
	checkNumbers(t, "exact Search in a large text",
		searchText(t, x, ana, role.TextProbe{Text: "abc-123", Exact: true}), []int{1})
}
