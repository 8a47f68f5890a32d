package distil_test

import (
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/facts/distil"
	"github.com/trilith-memory/trilith/internal/model/scripted"
)

// owned is a turn of somebody without a speaker's name, what a model claims of them, in its own sentence, and the words
// that it takes for those that name the owner.
type owned struct{ text, verb, object, quote, whose, sentence string }

// fares returns how a claim of the user u7 fares: believed, or why not.
func fares(t *testing.T, role trilith.Role, speaker, subject string, c owned) string {
	t.Helper()
	r := distil.Request{Profile: profileOf(t, "personal"), Subject: "u7", Person: true, Turns: []distil.Turn{
		{Role: trilith.RoleUser, Speaker: speaker, Text: "Mm.", Context: true, At: tuesday(9)},
		{Role: role, Text: c.text, At: tuesday(10)}}}
	if role == trilith.RoleUser {
		r.Turns[1].Speaker = speaker
	}
	res, _ := read(t, r, scripted.Entry{Answer: answer(item{}.with(item{"about": subject, "topic": c.verb,
		"value": c.object, "quote": c.quote, "whose_words": c.whose, "sentence": c.sentence, "time_words": nil}))})
	switch {
	case len(res.Refused) == 1:
		return "refused: " + res.Refused[0].Reason
	case len(res.Found) == 1 && res.Found[0].Doubt != "":
		return "candidate: " + res.Found[0].Doubt
	case len(res.Found) == 1:
		return "believed"
	}
	t.Fatalf("%q: %+v", c.text, res)
	return ""
}

// True facts in many languages stand, whichever of their own names a model gives the person, in the model's own sentence.
func TestOwnFactsStand(t *testing.T) {
	t.Parallel()
	for _, c := range []owned{
		{"J'adore la randonnée.", "likes", "la randonnée", "J'adore la randonnée", "J'", "L'utilisateur aime la randonnée."},
		{"Mon plat préféré est la raclette.", "favourite_dish", "la raclette", "Mon plat préféré est la raclette", "Mon",
			"Le plat préféré de u7 est la raclette."},
		{"Depuis mars, je travaille chez Michelin.", "works_at", "Michelin", "travaille chez Michelin", "je",
			"Elle travaille chez Michelin."},
		{"Abito a Lecce da due anni.", "lives_in", "Lecce", "Abito a Lecce", "", "L'utente abita a Lecce."},
		{"La mia bici è verde.", "owns", "bici", "La mia bici è verde", "mia", "Possiede una bici verde."},
		{"Ik hou van wandelen in de duinen.", "likes", "wandelen in de duinen", "Ik hou van wandelen in de duinen", "Ik",
			"De gebruiker houdt van wandelen in de duinen."},
		{"Min katt heter Sixten.", "has_pet", "Sixten", "Min katt heter Sixten", "Min", "Användaren har katten Sixten."},
		{"Pracuję w szpitalu w Gdyni.", "works_at", "szpital w Gdyni", "Pracuję w szpitalu w Gdyni", "",
			"Użytkownik pracuje w szpitalu w Gdyni."},
		{"Wczoraj mówiłem, że mój rower jest czerwony.", "owns", "rower", "mój rower jest czerwony", "mój",
			"Rower użytkownika jest czerwony."},
		{"Я живу в Самаре и работаю учителем.", "works_as", "учителем", "работаю учителем", "Я",
			"Пользователь работает учителем."},
		{"Мой любимый писатель — Чехов.", "favourite_writer", "Чехов", "Мой любимый писатель — Чехов", "Мой",
			"Любимый писатель пользователя — Чехов."},
		{"Fındığa alerjim var.", "allergic_to", "fındık", "Fındığa alerjim var", "alerjim", "Kullanıcının fındığa alerjisi var."},
		{"Tôi thích leo núi.", "likes", "leo núi", "Tôi thích leo núi", "Tôi", "Người dùng thích leo núi."},
		{"Món ăn yêu thích của tôi là phở.", "favourite_dish", "phở", "Món ăn yêu thích của tôi là phở", "của tôi",
			"Món ăn yêu thích của người dùng là phở."},
		{"Vivo en Cádiz.", "lives_in", "Cádiz", "Vivo en Cádiz", "", "Vive en Cádiz."},
		{"Eu sou alérgico a camarão.", "allergic_to", "camarão", "sou alérgico a camarão", "Eu",
			"Usuário é alérgico a camarão."},
		{"わたしはチェロを弾きます。", "plays", "チェロ", "チェロを弾きます", "わたし", "利用者はチェロを弾く。"},
		{"我对花生过敏。", "allergic_to", "花生", "对花生过敏", "我", "用户对花生过敏。"},
		{"저는 부산에 살아요.", "lives_in", "부산", "부산에 살아요", "저는", "사용자는 부산에 산다."},
		{"أنا أعيش في طنجة.", "lives_in", "طنجة", "أعيش في طنجة", "أنا", "يعيش المستخدم في طنجة."},
		{"मैं पुणे में रहती हूँ।", "lives_in", "पुणे", "पुणे में रहती हूँ", "मैं", "उपयोगकर्ता पुणे में रहती है।"},
		{"Jeg bor i Aarhus, og min bil er en Skoda.", "owns", "Skoda", "min bil er en Skoda", "min", "Bilen er en Skoda."},
		{"Είμαι αλλεργική στα φιστίκια.", "allergic_to", "φιστίκια", "Είμαι αλλεργική στα φιστίκια", "",
			"Χρήστρια με αλλεργία στα φιστίκια."},
		{"Last year I moved to Tampere.", "lives_in", "Tampere", "moved to Tampere", "I", "Moved to Tampere last year."},
		{"Je travaille avec Anna chez Siemens.", "works_at", "Siemens", "Je travaille avec Anna chez Siemens", "Je",
			"Travaille chez Siemens."},
		{"Seit Mai bin ich mit Anna in Graz.", "lives_in", "Graz", "bin ich mit Anna in Graz", "ich", "Lebt in Graz."},
		{"Raclette est mon plat préféré.", "likes", "Raclette", "Raclette est mon plat préféré", "mon", "Aime la raclette."},
		{"J'aime les pommes, les poires et le thé.", "likes", "les poires", "J'aime les pommes, les poires et le thé", "J'",
			"Aime les poires."},
		{"A mí me encanta el flamenco.", "likes", "flamenco", "me encanta el flamenco", "A mí", "Le encanta el flamenco."},
		{"Je m'appelle Zoé et je travaille chez Michelin.", "works_at", "Michelin", "je travaille chez Michelin", "je",
			"Zoé travaille chez Michelin."},
		{"Mieszkam w Krakowie.", "lives_in", "Kraków", "Mieszkam w Krakowie", "", "Mieszka w Krakowie."},
		{"У меня аллергия на кошек.", "allergic_to", "кошек", "аллергия на кошек", "У меня", "Аллергия на кошек."},
		{"Я живу в Москве.", "lives_in", "Москва", "Я живу в Москве", "Я", "Живёт в Москве."},
		{"Мені подобається джаз.", "likes", "джаз", "подобається джаз", "Мені", "Любить джаз."},
		{"妹はピアノ、わたしはチェロを弾きます。", "plays", "チェロ", "チェロを弾きます", "わたし", "チェロを弾く。"},
		{"Benim favori rengim mor.", "favourite_colour", "mor", "Benim favori rengim mor", "Benim", "Favori rengi mor."},
		{"Igår köpte jag en kajak.", "owns", "kajak", "köpte jag en kajak", "jag", "Köpte en kajak."},
		{"I sommer flyttede jeg til Odense.", "lives_in", "Odense", "flyttede jeg til Odense", "jeg", "Flyttede til Odense."},
		{"Minha filha chama-se Inês.", "has_daughter", "Inês", "Minha filha chama-se Inês", "Minha", "Filha: Inês."},
		{"Asun Oulussa.", "lives_in", "Oulu", "Asun Oulussa", "", "Asuu Oulussa."},
		{"Το αγαπημένο μου φαγητό είναι ο μουσακάς.", "favourite_food", "μουσακάς", "είναι ο μουσακάς", "μου", "Μουσακάς."},
		{"제가 제일 좋아하는 음식은 비빔밥이에요.", "favourite_food", "비빔밥", "제가 제일 좋아하는 음식은 비빔밥이에요", "제가",
			"가장 좋아하는 음식은 비빔밥이다."},
		{"אני גר בחיפה.", "lives_in", "חיפה", "גר בחיפה", "אני", "גר בחיפה."},
		{"ฉันชอบทุเรียน", "likes", "ทุเรียน", "ชอบทุเรียน", "ฉัน", "ชอบทุเรียน"},
		{"Sì, abito a Lecce.", "lives_in", "Lecce", "abito a Lecce", "", "Abita a Lecce."},
		{"Honestly I'm a nurse.", "works_as", "nurse", "a nurse", "I", "Works as a nurse."},
		{"On Sundays I play the organ in Turku.", "plays", "organ", "play the organ in Turku", "I", "Plays the organ."},
		{"Nächste Woche ziehe ich nach Jena.", "lives_in", "Jena", "ziehe ich nach Jena", "ich", "Zieht nach Jena."},
		{"Quick update: flat in Turku since May, no car any more.", "lives_in", "Turku", "flat in Turku", "", "A flat in Turku."},
		{"I have two hobbies: chess and rowing.", "likes", "rowing", "chess and rowing", "I", "Likes rowing."},
		{"I moved not to Oslo but to Bergen.", "lives_in", "Bergen", "Bergen", "I", "Lives in Bergen."},
		{"I live in Paris and work as a baker.", "works_as", "baker", "work as a baker", "I", "Works as a baker."},
		{"She and I run a bakery in Lyon.", "works_at", "bakery in Lyon", "run a bakery in Lyon", "I", "Runs a bakery in Lyon."},
		{"Ich bin Lehrerin und habe zwei Katzen.", "owns", "zwei Katzen", "habe zwei Katzen", "Ich", "Hat zwei Katzen."},
		{"I'd say my favourite band is Sigur Rós.", "favourite_band", "Sigur Rós", "my favourite band is Sigur Rós", "",
			"Favourite band: Sigur Rós."},
	} {
		for _, as := range [][2]string{{"", "u7"}, {"", "speaker"}, {"", "user"}, {"u7", "u7"}, {"Ada", "Ada"}, {"Ada", "u7"}} {
			if got := fares(t, trilith.RoleUser, as[0], as[1], c); got != "believed" {
				t.Errorf("%q, said by %q, of %q: %s %s is %s", c.text, as[0], as[1], c.verb, c.object, got)
			}
		}
	}
}

// What is a friend's, what the words do not show to be the person's, and what a model makes up about whose it is, is never
// believed of the person.
func TestOthersFactsAreNotMine(t *testing.T) {
	t.Parallel()
	for _, c := range []owned{
		{"My friend Sam is allergic to nuts.", "allergic_to", "nuts", "is allergic to nuts", "", "Allergic to nuts."},
		{"My friend Sam is allergic to nuts.", "allergic_to", "nuts", "My friend Sam is allergic to nuts", "My",
			"Allergic to nuts."},
		{"My friend Sam is allergic to nuts, and I love tea.", "allergic_to", "nuts",
			"My friend Sam is allergic to nuts, and I love tea", "I", "Allergic to nuts."},
		{"My friend Sam is allergic to nuts. I love tea.", "allergic_to", "nuts",
			"My friend Sam is allergic to nuts. I love tea", "I", "Allergic to nuts."},
		{"We hired Tom, who speaks Dutch.", "speaks", "Dutch", "speaks Dutch", "", "Speaks Dutch."},
		{"We hired Tom, who speaks Dutch.", "speaks", "Dutch", "speaks Dutch", "We", "Speaks Dutch."},
		{"My sister loves opera.", "likes", "opera", "loves opera", "My", "Loves opera."},
		{"Jonas hates football.", "dislikes", "football", "Jonas hates football", "", "Dislikes football."},
		{"Jonas hates football.", "dislikes", "football", "hates football", "", "Dislikes football."},
		{"Jonas hasst Fußball.", "dislikes", "Fußball", "Jonas hasst Fußball", "", "Mag Fußball nicht."},
		{"Mon amie Léa est allergique aux noix.", "allergic_to", "noix", "est allergique aux noix", "", "Allergie aux noix."},
		{"Mon amie Léa est allergique aux noix.", "allergic_to", "noix", "Mon amie Léa est allergique aux noix", "Mon amie Léa",
			"Allergie aux noix."},
		{"Mon amie Léa est allergique aux noix.", "allergic_to", "noix", "Mon amie Léa est allergique aux noix", "",
			"Allergie aux noix."},
		{"Mon amie Léa est allergique aux noix.", "allergic_to", "noix", "est allergique aux noix", "Mon",
			"Allergie aux noix."},
		{"Mon frère habite à Dijon.", "lives_in", "Dijon", "habite à Dijon", "Mon frère", "Habite à Dijon."},
		{"J'adore le thé, mon frère le café.", "likes", "café", "le café", "J'", "Aime le café."},
		{"Mia sorella lavora a Bari.", "works_at", "Bari", "lavora a Bari", "io", "Lavora a Bari."},
		{"Mijn vriend Bram houdt van schaatsen.", "likes", "schaatsen", "houdt van schaatsen", "Mijn", "Houdt van schaatsen."},
		{"Min vän Elsa är vegan.", "follows_diet", "vegan", "är vegan", "", "Är vegan."},
		{"Mój kolega Olek mieszka w Łodzi.", "lives_in", "Łodzi", "mieszka w Łodzi", "Mój kolega Olek", "Mieszka w Łodzi."},
		{"Мой друг Олег аллергик на орехи.", "allergic_to", "орехи", "аллергик на орехи", "Мой", "Аллергия на орехи."},
		{"Я люблю чай, а сестра не ест мясо.", "avoids", "мясо", "не ест мясо", "Я", "Не ест мясо."},
		{"Arkadaşım Efe fındık yemez.", "avoids", "fındık", "fındık yemez", "", "Fındık yemez."},
		{"Bạn tôi, Lan, sống ở Huế.", "lives_in", "Huế", "sống ở Huế", "tôi", "Sống ở Huế."},
		{"Mi amigo Iker es celíaco.", "has_condition", "celíaco", "es celíaco", "", "Es celíaco."},
		{"私はチェロを弾きます。弟はそばアレルギーです。", "allergic_to", "そば", "そばアレルギーです", "私", "そばアレルギーがある。"},
		{"弟はそばアレルギーです。", "allergic_to", "そば", "そばアレルギーです", "私", "そばアレルギーがある。"},
		{"我喜欢茶，我朋友小明对花生过敏。", "allergic_to", "花生", "对花生过敏", "我喜欢", "对花生过敏。"},
		{"我朋友小明对花生过敏。", "allergic_to", "花生", "对花生过敏", "", "对花生过敏。"},
		{"제 친구 지훈은 땅콩 알레르기가 있어요.", "allergic_to", "땅콩", "땅콩 알레르기가 있어요", "", "땅콩 알레르기가 있다."},
		{"صديقي سامي يعيش في فاس.", "lives_in", "فاس", "يعيش في فاس", "", "يعيش في فاس."},
		{"मेरा दोस्त रवि जयपुर में रहता है।", "lives_in", "जयपुर", "जयपुर में रहता है", "", "जयपुर में रहता है।"},
		{"Ma voisine, Odile, est allergique au pollen.", "allergic_to", "pollen", "est allergique au pollen", "Ma",
			"Allergie au pollen."},
		{"У Лены аллергия на кошек.", "allergic_to", "кошек", "аллергия на кошек", "У Лены", "Аллергия на кошек."},
		{"Conosco lavora Giulia, celiaca dalla nascita.", "has_condition", "celiaca", "celiaca dalla nascita", "",
			"Celiaca dalla nascita."},
		{"O João, meu colega, mora em Faro.", "lives_in", "Faro", "mora em Faro", "meu", "Mora em Faro."},
		{"We hired Tom, a vegan from Leeds.", "follows_diet", "vegan", "a vegan from Leeds", "", "Vegan."},
		{"Tom, our plumber, hates cats.", "dislikes", "cats", "hates cats", "our", "Dislikes cats."},
		{"Tom, unser Klempner, hasst Katzen.", "dislikes", "Katzen", "hasst Katzen", "unser", "Mag Katzen nicht."},
		{"Mi padre trabaja en Seat.", "works_at", "Seat", "Mi padre trabaja en Seat", "Mi padre", "Trabaja en Seat."},
		{"Yesterday went badly; the neighbours moved to Tampere.", "lives_in", "Tampere", "moved to Tampere", "", "In Tampere."},
		{"I told you about Ida. Works as a baker in Turku now.", "works_as", "baker", "a baker in Turku", "I", "A baker."},
	} {
		for _, as := range [][2]string{{"", "u7"}, {"", "speaker"}, {"", "user"}, {"u7", "u7"}, {"Ada", "Ada"}, {"Ada", "u7"}} {
			if got := fares(t, trilith.RoleUser, as[0], as[1], c); got == "believed" {
				t.Errorf("%q, said by %q, of %q: %s %s is believed on %q by %q", c.text, as[0], as[1], c.verb, c.object, c.quote,
					c.whose)
			}
		}
	}
}

// What an assistant says of itself is nobody's, whatever a model calls the person.
func TestAnAssistantIsNobody(t *testing.T) {
	t.Parallel()
	for _, c := range []owned{
		{"I'm Lumi, a girl from Tainan, and I love spicy noodles.", "comes_from", "Tainan", "a girl from Tainan", "",
			"u7 comes from Tainan."},
		{"I'm Lumi, a girl from Tainan, and I love spicy noodles.", "likes", "spicy noodles", "I love spicy noodles", "I",
			"u7 loves spicy noodles."},
		{"My home is the cloud.", "lives_in", "cloud", "My home is the cloud", "My", "u7 lives in the cloud."},
		{"Je m'appelle Lumi et j'habite à Nice.", "lives_in", "Nice", "j'habite à Nice", "j'", "u7 habite à Nice."},
		{"Ich komme aus Jena.", "comes_from", "Jena", "Ich komme aus Jena", "Ich", "u7 kommt aus Jena."},
		{"Soy de Tainan.", "comes_from", "Tainan", "Soy de Tainan", "", "u7 es de Tainan."},
		{"Я люблю острую лапшу.", "likes", "острую лапшу", "Я люблю острую лапшу", "Я", "u7 любит лапшу."},
		{"私は台南出身です。", "comes_from", "台南", "私は台南出身です", "私", "u7は台南出身。"},
		{"我来自台南。", "comes_from", "台南", "我来自台南", "我", "u7来自台南。"},
		{"Born in Tainan, raised on noodles.", "born_in", "Tainan", "Born in Tainan", "", "u7 was born in Tainan."},
	} {
		for _, as := range [][2]string{{"", "u7"}, {"", "speaker"}, {"", "user"}, {"", "project"}, {"", "assistant"}, {"u7", "u7"},
			{"Ada", "Ada"}, {"Ada", "user"}, {"Ada", "u7"}} {
			if got := fares(t, trilith.RoleAssistant, as[0], as[1], c); got == "believed" {
				t.Errorf("%q, told to %q, of %q: %s %s is believed on %q", c.text, as[0], as[1], c.verb, c.object, c.quote)
			}
		}
	}
}
