package textproc

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Hello, World", "hello, world"},
		{"Straße STRASSE", "strasse strasse"},
		{"Ärger Öl Über", "arger ol uber"},
		{"ΟΔΥΣΣΕΥΣ Οδυσσεύς", "οδυσσευσ οδυσσευσ"},
		{"Ёлка", "елка"},
		{"Мой чай, сто\u0301рож", "мой чай, сторож"},
		{"Їжак Ќе Ўсё", "їжак ќе ўсе"},
		{"Žluťoučký kůň Łąka Người Việt", "zlutoucky kun laka nguoi viet"},
		{"Ægir Łódź Đorđe smørrebrød", "aegir lodz dorde smorrebrod"},
		{"İstanbul ISPARTA ılık", "istanbul isparta ilik"},
		{"ﬁne ｆｕｌｌ １２ m²", "fine full 12 m2"},
		{"مُحَمَّد", "محمد"},
		{"أحمد إلى آخر مؤتمر", "احمد الي اخر موتمر"},
		{"مدرسة مستشفى کتاب ســلام", "مدرسه مستشفي كتاب سلام"},
		{"٢٠٢٥ ۱۴ १४ １４", "2025 14 14 14"},
		{"שָׁלוֹם", "שלום"},
		{"한국어", "한국어"},
		{"ガラス", "ガラス"},
		{"हिन्दी", "हिन्दी"},
		{"co\u00adoperate zero\u200bwidth a\u200db", "cooperate zero width ab"},
		{"it\u2019s", "it's"},
		{"bad\xffbyte", "bad\ufffdbyte"},
	} {
		if got := Fold(c.in); got != c.want {
			t.Errorf("Fold(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// terms are those of a document for an analyzer of all languages.
func terms(text string) []string {
	terms, _ := Analyzer{}.Terms(text)
	return terms
}

func queryTerms(text string) [][]string { return Analyzer{}.QueryTerms(text, All) }

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"no words", " …!? → € \xff", ""},
		{"emoji", "ok👍🏽 ❤️‍🔥 👩‍🚀🇳🇴 ⏰", "ok 👍 ❤ 🔥 👩 🚀 🇳 🇴 ⏰"},
		{"names with signs", "C# or c++, F#; C++17 and Disney+ (A+)", "c c# or c c++ f f# c c++ 17 and disney disney+ a a+"},
		{"signs that join or number", "issue#12 a+b 50+ 3#, # + ++ ctrl+c", "issu 12 a b 50 3 ctrl c"},
		{"English", "The runners were running to the libraries", "the runner were run to the librari"},
		{"apostrophes", "Ana's dog doesn't like I'm o'clock dogs' it’s DON'T",
			"ana dog doesn like i m o clock dog it don"},
		{"not an ending", "'s 't that'sx n'tx", "s t that sx n tx"},
		{"digits and hyphens", "state-of-the-art v1.2.3 covid19", "state of the art v1 2 3 covid19"},
		{"German", "Die Häuser und die Straßen sind nicht groß",
			"die/de haus/de und/de die/de strass/de sind/de nicht/de gross/de"},
		{"German plurals", "Der Hund jagt keine Katze, und die Katzen mögen den Hunden nichts tun",
			"der/de hund/de jagt/de kein/de katz/de und/de die/de katz/de mog/de den/de hund/de nicht/de tun/de"},
		{"accents", "Crème brûlée à São Paulo", "creme brule a sao paulo"},
		{"Cyrillic", "Ёжик в тумане", "ежик в туман"},
		{"Cyrillic that is not Russian", "Їжак у тумані", "їжак у тумані"},
		{"Greek", "ΟΔΟΣ", "οδοσ"},
		{"Arabic", "اللغة العربية", "لغ عرب"},
		{"Hebrew", "שלום עולם", "שלום עולם"},
		{"Devanagari", "नमस्ते दुनिया", "नमस्ते दुनिया"},
		{"Chinese", "我喜欢喝茶。", "我喜 喜欢 欢喝 喝茶"},
		{"one character", "茶 a 茶", "茶 a 茶"},
		{"Japanese", "コーヒーを飲む", "コー ーヒ ヒー ーを を飲 飲む"},
		{"Korean", "커피를 마셔요", "커피 피를 마셔 셔요"},
		{"half width", "ｶﾞﾗｽ", "ガラ ラス"},
		{"Thai", "ภูเขา", "ภูเ เข ขา"},
		{"Lao", "ພາສາ", "ພາ າສ ສາ"},
		{"mixed scripts", "iPhone15を買った", "iphone15 を買 買っ った"},
		{"emoji between", "tea🍵time", "tea 🍵 time"},
	} {
		if got := strings.Join(terms(c.in), " "); got != c.want {
			t.Errorf("%s: terms(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestTermsAreCut(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "я", "अ"} {
		terms := terms(strings.Repeat(letter, 1000))
		if len(terms) != 1 || len(terms[0]) > maxTerm || !utf8.ValidString(terms[0]) {
			t.Errorf("Terms of a word of 1000 %q = %q, want one valid term of at most %d bytes", letter, terms, maxTerm)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Nothing here is one, e.g. at 10.30 p.m. on 12/05/2024, and/or 3.14 of H2 or mp3!", ""},
		{"I saw ABC-123 and abc-123.", "abc-123"},
		{"id 6BA7B810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"failed with E1234: ERR_FOO_BAR (0x80070005)", "e1234 err_foo_bar 0x80070005"},
		{"see main.go, /etc/hosts and internal/search/vec/scan.go:", "main.go /etc/hosts internal/search/vec/scan.go scan.go"},
		{`C:\Users\ana\notes.txt ~/x ../y .env`, `c:\users\ana\notes.txt notes.txt ~/x ../y .env`},
		{"Mail <Ana.B+tag@Example.co.uk>!", "ana.b+tag@example.co.uk"},
		{"https://example.com/a?b=C#d. http://x", "https://example.com/a?b=c#d http://x"},
		{"upgrade v1.2 to 1.2.3-rc.1, fixes #123 (#x)", "v1.2 1.2.3-rc.1 #123"},
		{"call getUserName() of HttpServer or snake_case", "getusername httpserver snake_case"},
		{"NASA USA I'm OK", ""},
		{"commit 8Fae23c by 1234567", "8fae23c"},
		{"请看main.go文件，“utils.py”—übung.txt", "main.go utils.py übung.txt"},
		{"a\xffb.go", "b.go"},
	} {
		if got := strings.Join(Identifiers(c.in), " "); got != c.want {
			t.Errorf("Identifiers(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				text := fmt.Sprintf("word%d running %d", i, g)
				if got := terms(text); len(got) != 3 || got[1] != "run" {
					t.Errorf("terms(%q) = %q", text, got)
				}
			}
		})
	}
	wg.Wait()
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	for i := range 3 * cacheShards * shardWords / 2 {
		terms(fmt.Sprintf("w%dx", i))
	}
	for i := range cache {
		cache[i].mu.RLock()
		if n := len(cache[i].words); n > shardWords {
			t.Errorf("shard %d holds %d words, at most %d are allowed", i, n, shardWords)
		}
		cache[i].mu.RUnlock()
	}
}

var seeds = []string{"", "Ana's dog doesn't", "Straße ΟΔΟΣ İı ŉ ǆ ﬃ", "我喜欢喝茶 ภูเขา ｶﾞ", "\xff\xc0a\x80",
	"A\u0300\u0301\u200d\u200b'", "see a/b.go #12 x@y.zz", "'s n't'", "ᾳͅ Ω K Å ꭰ Ꭰ", "กั\u0300์", "\u0344\u1e9e\u03d4"}

func FuzzFold(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Fold(s)
		if !utf8.ValidString(once) {
			t.Errorf("Fold(%q) = %q is not valid UTF-8", s, once)
		}
		if twice := Fold(once); twice != once {
			t.Errorf("Fold(%q) = %q, folded again %q", s, once, twice)
		}
	})
}

func FuzzTerms(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, term := range terms(s) {
			if term == "" || !utf8.ValidString(term) || len(term) > maxTerm+len("/de") {
				t.Errorf("terms(%q) holds %q", s, term)
			}
		}
		seen := map[string]bool{}
		for _, forms := range queryTerms(s) {
			if len(forms) == 0 {
				t.Errorf("queryTerms(%q) holds a word without a form", s)
			}
			for _, form := range forms {
				if form == "" || seen[form] {
					t.Errorf("queryTerms(%q) holds %q twice or empty", s, form)
				}
				seen[form] = true
			}
		}
		if (len(terms(s)) == 0) != (len(queryTerms(s)) == 0) {
			t.Errorf("terms(%q) = %q, but QueryTerms = %q", s, terms(s), queryTerms(s))
		}
		for _, id := range Identifiers(s) {
			if id == "" || !utf8.ValidString(id) {
				t.Errorf("Identifiers(%q) holds %q", s, id)
			}
		}
	})
}

const turn = "I moved to Bergen last summer because Ana's company offered me a better job; we've been hiking nearly every weekend since then."

func BenchmarkTerms(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii_130B", turn},
		{"curly_130B", strings.ReplaceAll(turn, "'", "’")},
		{"german_110B", "Ich bin letzten Sommer nach Bergen gezogen, weil mir Anas Firma eine bessere Stelle für die nächsten Jahre bot."},
		{"chinese_90B", "去年夏天我搬到了卑尔根，因为那家公司给了我更好的工作。"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				terms(c.text)
			}
		})
	}
}

func BenchmarkQueryTerms(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Analyzer{}.QueryTerms("Where did Ana go hiking last summer?", Set(0).With(English))
	}
}

func BenchmarkIdentifiers(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"none_130B", turn},
		{"some_100B", "The build of internal/search/vec/scan.go fails with E1234 since v1.2.3, see #123 or ask ana@example.com about it"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Identifiers(c.text)
			}
		})
	}
}
