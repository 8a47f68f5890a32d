package textproc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want Lang
	}{
		{"", Unknown},
		{"Berlin", Unknown},
		{"hiking boots", Unknown},
		{"Where does Ana live?", English},
		{"When did the king die in the war?", English},
		{"Also, who is the man with the hat?", English},
		{"I took the car to Los Angeles", English},
		{"Wo wohnt Ana?", German},
		{"Ich mag Katzen", German},
		{"Was hat er über die Reise gesagt?", German},
		{"Wir haben das Meeting mit dem Team auf Montag verschoben", German},
		{"Quand Ana est-elle venue ?", French},
		{"J'ai oublié le parapluie", French},
		{"¿Dónde vive Ana?", Spanish},
		{"donde esta la llave", Spanish},
		{"Dove abita Ana?", Italian},
		{"Abito a Torino con mia sorella da tre anni", Italian},
		{"Onde mora a Ana?", Portuguese},
		{"Comprei um carro com o meu irmão", Portuguese},
		{"Waar woont Ana?", Dutch},
		{"Ik heb een hond", Dutch},
		{"Vad heter Anas katt?", Swedish},
		{"Jag har en hund och två katter", Swedish},
		{"Hvor bor du? Jeg bor hjemme hos mamma nå og har ikke noe annet", Norwegian},
		{"Hvad hedder din hund? Den er meget sød", Danish},
		{"Missä Ana asuu?", Finnish},
		{"Hol lakik Ana?", Hungarian},
		{"Unde locuiește Ana?", Romanian},
		{"señor", Unknown},
		{"Straße", Unknown},
		{"Где живёт Ана?", Russian},
		{"أين تسكن ليلى؟", Arabic},
		{"她住在哪里？", Chinese},
		{"私は猫が好きです", Japanese},
		{"어디에서 일하나요?", Korean},
	} {
		if got := Detect(c.in); got != c.want {
			t.Errorf("Detect(%q) = %v, want %v", c.in, got, c.want)
		}
	}
}

// Letters tell the language of a text whose words do not, and words do where letters are of several.
func TestLettersTell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Lang{
		"grüne Häuser":   German,
		"œufs brouillés": French,
		"señor":          Spanish,
		"pão com açúcar": Portuguese,
		"flyttade min tid till den 14 maj på kvällen": Swedish,
		"I met Ana in São Paulo":                      English,
		"the cafés of Orléans are mine":               English,
		"Berlin":                                      English,
	} {
		if _, got := (Analyzer{}).Terms(text); got != want {
			t.Errorf("Terms(%q) are %v, want %v", text, got, want)
		}
	}
}

func TestQueryTerms(t *testing.T) {
	t.Parallel()
	held := Set(0).With(English).With(German)
	for _, c := range []struct {
		name, in string
		held     Set
		want     [][]string
	}{
		{"empty", "  ?", held, nil},
		{"plainly English", "Where did Ana go running?", held,
			[][]string{{"ana", "ana/de"}, {"go", "go/de"}, {"run", "running/de"}}},
		{"of English texts", "Where did Ana go running?", Set(0).With(English), [][]string{{"ana"}, {"go"}, {"run"}}},
		{"of no texts", "Where did Ana go running?", 0, [][]string{{"ana"}, {"go"}, {"run"}}},
		{"only stop words", "who are you", Set(0), [][]string{{"who"}, {"are"}, {"you"}}},
		{"repeated", "the dogs and the dog", held, [][]string{{"dog", "dog/de"}}},
		{"either language", "Katzen", held, [][]string{{"katzen", "katz/de"}}},
		{"German", "Welche Katzen hat er?", held, [][]string{{"katz/de", "katzen"}}},
		{"forms that meet", "Welche Katze, welche Katzen?", held, [][]string{{"katz/de", "katz"}}},
		{"numbers are of no language", "am 14.5.2024", held, [][]string{{"14"}, {"5"}, {"2024"}}},
		{"a stop word of what it may be", "die Katze", held, [][]string{{"katz", "katz/de"}}},
		{"unspaced", "喝茶", held, [][]string{{"喝茶"}}},
		{"unspaced, without what asks", "她住在哪里？", held, [][]string{{"她住"}, {"住在"}}},
		{"script tells", "Где мои книги в Google?", held, [][]string{{"книг"}, {"googl", "googl/de"}}},
	} {
		if diff := cmp.Diff(c.want, Analyzer{}.QueryTerms(c.in, c.held)); diff != "" {
			t.Errorf("%s: QueryTerms(%q) (-want +got):\n%s", c.name, c.in, diff)
		}
	}
}

// A word of a query finds the word in a document, with any two languages of query and document.
func TestQueryFindsDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, document string }{
		{"running", "She runs every morning"},
		{"the library", "libraries"},
		{"Katzen", "Katzen"},
		{"Katzen", "Ich habe eine Katze"},
		{"Welche Katzen hat er?", "Katzen"},
		{"Häuser", "Das ist ein Haus"},
		{"strasse", "Wir wohnen in der Langen Straße"},
		{"MUNCHEN", "München"},
		{"Ana's address", "the addresses of Ana"},
		{"Who lives in Hannover?", "Wir wohnen in Hannover"},
		{"Who lives in Marseille?", "Nous sommes à Marseille"},
		{"¿Quién es Hannelore?", "Das ist meine Tante Hannelore"},
		{"gatos", "Mi gata es negra y la de mi tía es blanca"},
		{"donde vivio", "Ella vivió en Sevilla y yo no"},
		{"chevaux", "Elle monte à cheval avec moi"},
		{"Who knows Чайковский?", "Мне нравится Чайковский"},
		{"квартиры", "Моя квартира в центре"},
		{"في البيت", "بيت جدي قديم"},
		{"القطة", "عندي قطتان وكلب في قطة"},
		{"喝茶", "我喜欢喝茶。"},
		{"Flug LH 1234", "Mon vol est le 1234"},
		{"2025", "في عام ٢٠٢٥"},
	} {
		if !finds(Analyzer{}, c.query, c.document) {
			held := queryTerms(c.query)
			t.Errorf("QueryTerms(%q) = %q finds nothing in Terms(%q) = %q", c.query, held, c.document,
				terms(c.document))
		}
	}
}

// finds reports whether a document holds a term of the query, as an index that holds nothing else would see it.
func finds(a Analyzer, query, document string) bool {
	terms, l := a.Terms(document)
	held := map[string]bool{}
	for _, term := range terms {
		held[term] = true
	}
	for _, forms := range a.QueryTerms(query, Set(0).With(l)) {
		for _, form := range forms {
			if held[form] {
				return true
			}
		}
	}
	return false
}

// For any text and any analyzer, a query that repeats the text finds it with all of its terms.
func TestSentenceFindsItself(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom(
		strings.Fields("the and is die der und ist le la est et el los es il che è o um não de het een en och att det og ja on az és și la с и на في من " +
			"Hannover Katzen chevaux vivió gatti avião huizen flickor jenter kaupungissa városból mașina кошки المدرسة 喝茶 です カメラ 커피를 2025 abc123 Ана's don't"))
	sentences := rapid.Map(rapid.SliceOfN(words, 1, 9), func(ws []string) string { return strings.Join(ws, " ") })
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SampledFrom([]string{"", "de", "fr es", "ru en", "ja", "ar zh ko"}).Draw(t, "languages")
		a, err := NewAnalyzer(strings.Fields(codes)...)
		if err != nil {
			t.Fatal(err)
		}
		s := rapid.OneOf(sentences, rapid.String()).Draw(t, "sentence")
		terms, l := a.Terms(s)
		held := map[string]bool{}
		for _, term := range terms {
			held[term] = true
		}
		query := a.QueryTerms(s, Set(0).With(l))
		for _, forms := range query {
			if !held[forms[0]] {
				t.Fatalf("%v: QueryTerms(%q) = %q, of which Terms = %q lacks %q", a, s, query, terms, forms[0])
			}
		}
		if len(terms) > 0 && len(query) == 0 {
			t.Fatalf("%v: Terms(%q) = %q, but the query has none", a, s, terms)
		}
	})
}

// Which languages a store holds decides which forms are looked for, and never how many words a query has.
func TestHeldLanguagesAddFormsOnly(t *testing.T) {
	t.Parallel()
	for _, q := range []string{"Where are the cats of Hannelore?", "gatos y gatas", "Katzen Katze", "книги и cats"} {
		few, all := Analyzer{}.QueryTerms(q, 0), Analyzer{}.QueryTerms(q, All)
		if len(few) != len(all) {
			t.Fatalf("QueryTerms(%q) has %d words for no language and %d for all", q, len(few), len(all))
		}
		for i := range few {
			if few[i][0] != all[i][0] || len(few[i]) > len(all[i]) || len(all[i]) > int(latinLangs) {
				t.Errorf("QueryTerms(%q) = %q for no language, %q for all", q, few, all)
			}
		}
	}
}

func TestNewAnalyzer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ codes, document, want string }{
		{"", "gatos negros", "gato negro"},
		{"es", "gatos negros", "gat/es negr/es"},
		{"de es", "gatos negros", "gatos/de negros/de"},
		{"de es", "los gatos y las casas", "los/es gat/es y/es las/es cas/es"},
		{"de", "the cats", "the/de cat/de"},
		{"DE en", "where are the cats", "where are the cat"},
		{"ja", "the cats", "the cat"},
		{"ja", "мои кошки", "мои кошки"},
		{"ja ru", "мои кошки", "мо кошк"},
	} {
		a, err := NewAnalyzer(strings.Fields(c.codes)...)
		if err != nil {
			t.Fatal(err)
		}
		terms, _ := a.Terms(c.document)
		if got := strings.Join(terms, " "); got != c.want {
			t.Errorf("for %q: Terms(%q) = %q, want %q", c.codes, c.document, got, c.want)
		}
	}
	if a, err := NewAnalyzer("de", "xx"); err == nil || !strings.Contains(err.Error(), `"xx"`) ||
		!strings.Contains(err.Error(), "de, fr") {
		t.Errorf("NewAnalyzer(xx) = %v, %v; want an error that names the wrong one and those there are", a, err)
	}
	names := map[string]bool{}
	for _, codes := range []string{"", "de", "de en", "en de"} {
		a, _ := NewAnalyzer(strings.Fields(codes)...)
		names[a.String()] = true
	}
	if len(names) != 4 {
		t.Errorf("analyzers that give other terms have the names %v, want one for each", names)
	}
}

// Every language has a list of stop words, and common stop words are in several lists.
func TestStopWords(t *testing.T) {
	t.Parallel()
	for l := range Unknown {
		words := wordList("stop_" + languages[l].code)
		if len(words) < 50 {
			t.Errorf("%v has %d stop words, want 50 at least", l, len(words))
		}
		for _, w := range words {
			if !sayings()[w][stops].Has(l) {
				t.Errorf("%v: %q stands in the list and is no stop word", l, w)
			}
		}
	}
	for _, w := range wordList("shared") {
		if sayings()[w][stops] == 0 {
			t.Errorf("shared: %q stands in no list of stop words", w)
		}
	}
}
