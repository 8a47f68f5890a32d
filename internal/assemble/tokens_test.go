package assemble

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Counts of real vocabularies: cl100k_base and o200k_base.
func TestTokensAgainstVocabularies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text    string
		cl100k, o200k int
	}{
		{"english", "Yesterday we moved from the old flat in Oslo to a bigger house near Bergen, and my sister Ida helped us carry all the boxes. The piano arrives on Friday at nine, so please remind me to call the movers before that.", 47, 46},
		{"german", "Gestern sind wir aus der alten Wohnung in Köln in ein größeres Haus bei München gezogen, und meine Schwester hat uns geholfen, die Umzugskartons zu tragen. Das Klavier kommt am Freitag; bitte erinnere mich daran, vorher die Spedition anzurufen.", 68, 57},
		{"german compounds", "Die Versicherungsbedingungen der Haftpflichtversicherung sehen Selbstbeteiligungen bei Wasserrohrbruchschäden vor; Rechtsschutzversicherungsgesellschaften prüfen Kostenübernahmeerklärungen grundsätzlich schriftlich.", 60, 39},
		{"french", "Hier nous avons déménagé de l'ancien appartement à Oslo dans une maison plus grande près de Bergen, et ma sœur nous a aidés à porter les cartons.", 39, 33},
		{"go", "func (p Policy) Check(role cairn.Role, trust cairn.Trust, text string) Verdict {\n\tswitch {\n\tcase role != \"\" && !p.Store[role]:\n\t\treturn refuse(cairn.ReasonRole, \"the policy does not store the role %.16q\", string(role))\n\t}\n}\n", 66, 63},
		{"python", "def tokens(s):\n    total = 0\n    for i, c in enumerate(s):\n        if c.isalpha():\n            total += len(c) // 4 + 1\n    return total\n", 42, 42},
		{"json", `{"id":"0197a3c2-7e11-7c31-9b2e-41111a1b1c1d","score":0.8312,"tags":["home","moving"],"time":"2025-06-30T15:04:05Z"}`, 62, 63},
		{"a line of ours", "- (id …3f2a9c1b, user_stated) [2025-06-30] Ana: We moved to Bergen.\n", 32, 32},
		{"chinese", "昨天我们从奥斯陆的旧公寓搬到了卑尔根附近的一所大房子,我妹妹帮我们搬了所有的箱子。钢琴星期五九点到,请提醒我提前打电话给搬家公司。", 85, 52},
		{"japanese", "昨日、オスロの古いアパートからベルゲン近くの大きな家に引っ越しました。妹が箱を全部運ぶのを手伝ってくれました。", 57, 44},
		{"korean", "어제 우리는 오슬로의 낡은 아파트에서 베르겐 근처의 더 큰 집으로 이사했고, 여동생이 상자를 모두 옮기는 것을 도와주었습니다.", 69, 44},
		{"russian", "Вчера мы переехали из старой квартиры в Осло в большой дом недалеко от Бергена, и моя сестра помогла нам перенести все коробки.", 57, 38},
		{"arabic", "انتقلنا أمس من الشقة القديمة في أوسلو إلى منزل أكبر بالقرب من بيرغن، وساعدتنا أختي في حمل جميع الصناديق.", 71, 35},
		{"hindi", "कल हम ओस्लो के पुराने फ्लैट से बर्गन के पास एक बड़े घर में चले गए, और मेरी बहन ने सभी बक्से ले जाने में हमारी मदद की।", 113, 40},
	} {
		got, want := Tokens(c.text), max(c.cl100k, c.o200k)
		if got < want || float64(got) > 1.9*float64(want) {
			t.Errorf("Tokens(%s) = %d, want between %d and %.0f", c.name, got, want, 1.9*float64(want))
		}
	}
}

func TestTokensNeverFalls(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("ab Z09 \n\t.,-äß日本😀\u200d\x00")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if sum := Tokens(a + b); sum < Tokens(a) || sum < Tokens(b) {
			t.Fatalf("Tokens(%q + %q) = %d, less than %d or %d", a, b, sum, Tokens(a), Tokens(b))
		}
		if whole, sum := Tokens(a+"\n"+b), Tokens(a+"\n")+Tokens(b); whole != sum {
			t.Fatalf("Tokens(%q) = %d, its lines have %d", a+"\n"+b, whole, sum)
		}
	})
}

func BenchmarkTokens_10000(b *testing.B) {
	text := strings.Repeat("We moved to Bergen in 2025, größer. ", 280)[:10_000]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Tokens(text)
	}
}
