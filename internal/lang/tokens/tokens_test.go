package tokens

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Counts of the vocabularies as their makers publish them.
func TestCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text    string
		cl100k, o200k int
	}{
		{"nothing", "", 0, 0},
		{"english", "Yesterday we moved from the old flat in Oslo to a bigger house near Bergen, and my sister Ida helped us carry all the boxes. The piano arrives on Friday at nine, so please remind me to call the movers before that.", 47, 46},
		{"german", "Gestern sind wir aus der alten Wohnung in Köln in ein größeres Haus bei München gezogen, und meine Schwester hat uns geholfen, die Umzugskartons zu tragen. Das Klavier kommt am Freitag; bitte erinnere mich daran, vorher die Spedition anzurufen.", 68, 57},
		{"german compounds", "Die Versicherungsbedingungen der Haftpflichtversicherung sehen Selbstbeteiligungen bei Wasserrohrbruchschäden vor; Rechtsschutzversicherungsgesellschaften prüfen Kostenübernahmeerklärungen grundsätzlich schriftlich.", 60, 39},
		{"go", "func (p Policy) Check(role trilith.Role, trust trilith.Trust, text string) Verdict {\n\tswitch {\n\tcase role != \"\" && !p.Store[role]:\n\t\treturn refuse(trilith.ReasonRole, \"the policy does not store the role %.16q\", string(role))\n\t}\n}\n", 66, 63},
		{"json", `{"id":"0197a3c2-7e11-7c31-9b2e-41111a1b1c1d","score":0.8312,"tags":["home","moving"],"time":"2025-06-30T15:04:05Z"}`, 62, 63},
		{"chinese", "昨天我们从奥斯陆的旧公寓搬到了卑尔根附近的一所大房子,我妹妹帮我们搬了所有的箱子。钢琴星期五九点到,请提醒我提前打电话给搬家公司。", 85, 52},
		{"russian", "Вчера мы переехали из старой квартиры в Осло в большой дом недалеко от Бергена, и моя сестра помогла нам перенести все коробки.", 57, 38},
		{"hindi", "कल हम ओस्लो के पुराने फ्लैट से बर्गन के पास एक बड़े घर में चले गए, और मेरी बहन ने सभी बक्से ले जाने में हमारी मदद की।", 113, 40},
	} {
		for name, want := range map[string]int{"cl100k": c.cl100k, "o200k": c.o200k, Estimate: max(c.cl100k, c.o200k)} {
			if got := Named(name)(c.text); got != want {
				t.Errorf("%s of %s = %d, want %d", name, c.name, got, want)
			}
		}
	}
	if Named("poem") != nil {
		t.Error(`Named("poem") counts, want nil`)
	}
}

// anything is made of what the patterns of vocabularies treat apart.
func anything() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringOf(
		rapid.SampledFrom([]rune("aZé 09 \n\r\t.,'s/-ßǅ日本ー\u0301\u00a0\u3000😀\u200d\x00"))), rapid.String(),
		rapid.Just("We're at Anna's place, it'll be 12345 km / 7 miles (or so) … "))
}

func TestCountIsThatOfTheWholeText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := anything().Draw(t, "a") + anything().Draw(t, "b")
		for _, v := range vocabularies {
			got := v.Count(text)
			if want, err := v.codec.Count(text); err != nil || got != want {
				t.Fatalf("%s counts %d tokens in %q, the vocabulary %d (%v)", v.name, got, text, want, err)
			}
		}
	})
}

func TestLinesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Map(anything(),
			func(s string) string { return "- " + strings.NewReplacer("\n", "", "\r", "").Replace(s) + "\n" })
		a, b := line.Draw(t, "a"), line.Draw(t, "b")
		for _, v := range vocabularies {
			name := v.name
			if count := Named(name); count(a+b) != count(a)+count(b) {
				t.Fatalf("%s: %q and %q have %d and %d tokens, together %d", name, a, b, count(a), count(b), count(a+b))
			}
		}
	})
}

func TestWordsAreForgotten(t *testing.T) {
	t.Parallel()
	v := &Vocabulary{load: vocabularies[1].load, known: map[string]int{}}
	for i := range maxKnown + 10 {
		if v.Count("w"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+string(rune(0x4e00+i%20000))+
			string(rune('0'+i%10))) == 0 {
			t.Fatal("a word has no tokens")
		}
	}
	if len(v.known) > maxKnown {
		t.Errorf("%d words are remembered, want at most %d", len(v.known), maxKnown)
	}
}

func BenchmarkCount_10000(b *testing.B) {
	text := strings.Repeat("We moved to Bergen in 2025, größer, and Ida helped us to carry boxes. ", 150)[:10_000]
	count := Named(Default)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		count(text)
	}
}
