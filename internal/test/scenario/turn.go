package scenario

import "strings"

// turn is a change of mind as people speak of it: a fact about somebody, and their later words. Each of its stories
// are the words of one person who also owns a kayak, a fact that no words end.
type turn struct {
	name  string   // kind/language.number
	said  []string // a day of 2025 and the words, in the order in which they were heard
	stale string   // words of the fact that holds no longer; empty: nothing ends
	now   string   // words of the fact that holds; empty: nothing takes the place
}

// turnRows are changes of mind by kind: what ends, is corrected, is reversed, or moves.
var turnRows = []turn{
	{"update/en.1", []string{"02-03 I live in Dundee.", "06-14 I've moved to Perth."}, "Dundee", "Perth"},
	{"ending/en.1", []string{"01-20 I work at Halden Shipping.", "05-02 I quit my job last week."}, "Halden", ""},
	{"ending/en.2", []string{"01-20 I have a small sailing boat.", "05-02 I finally sold the boat."},
		"sailing boat", ""},
	{"correction/en.1", []string{"02-01 I work at Brandt Optics.",
		"02-02 No, I meant Bauer Optics, not Brandt Optics."}, "Brandt", "Bauer Optics"},
	{"correction/en.2", []string{"02-01 I'm allergic to walnuts.", "02-02 Sorry, I meant hazelnuts, not walnuts."},
		"walnuts", "hazelnuts"},
	{"taste/en.1", []string{"02-01 I love olives.", "09-02 I can't stand olives any more."}, "Uta likes olives",
		"dislikes olives"},
	{"update/de.1", []string{"02-03 Ich wohne in Gera.", "06-14 Ich bin nach Jena gezogen."}, "Gera", "Jena"},
	{"correction/de.1", []string{"02-01 Ich arbeite bei Brandt Optik.",
		"02-02 Nein, ich meinte Bauer Optik, nicht Brandt Optik."}, "Brandt", "Bauer Optik"},
	{"correction/de.2", []string{"02-01 Ich bin allergisch gegen Walnüsse.",
		"02-02 Nein, ich meinte Haselnüsse, nicht Walnüsse."}, "Walnüsse", "Haselnüsse"},
	{"ending/en.6", []string{"01-20 I work as a nurse at Saint Olav.",
		"05-02 I got laid off in April, so I have time now."}, "Saint Olav", ""},
	{"ending/en.10", []string{"01-20 We have a rabbit named Pepper.", "09-02 Our rabbit Pepper passed away this morning."},
		"Pepper", ""},
	{"correction/en.3", []string{"02-01 My sister's name is Paula.", "02-01 Sorry, I meant Petra, not Paula."},
		"Paula", "Petra"},
	{"correction/en.4", []string{"02-01 I live in Bremem.", "02-02 Oops, I meant Bremen."}, "Bremem", "Bremen"},
	{"allergy/en.2", []string{"02-01 I'm allergic to strawberries.", "09-02 I've outgrown my strawberry allergy."},
		"is allergic to strawberries", ""},
	{"allergy/en.3", []string{"02-01 I'm a vegetarian.", "09-02 I'm not a vegetarian any more, doctor's orders."},
		"Uta is vegetarian", ""},
	{"taste/en.2", []string{"02-01 I hate running.", "09-02 Funny, I actually enjoy running now."}, "dislikes running",
		"Uta likes running"},
	{"ending/de.6", []string{"01-20 Ich arbeite als Koch bei Seeblick.",
		"05-02 Ich arbeite nicht mehr bei Seeblick."}, "Seeblick", ""},
	{"taste/de.2", []string{"02-01 Ich hasse Joggen.", "09-02 Inzwischen mag ich Joggen."}, "hasst Joggen",
		"mag Joggen"},
	{"ending/en.11", []string{"01-20 I work for Lindqvist Brothers.",
		"05-02 On Friday I left Lindqvist Brothers."}, "Lindqvist", ""},
	{"ending/en.14", []string{"01-20 Our dog Biscuit is ten.", "05-02 Our dog Biscuit died in the spring."}, "Biscuit", ""},
	{"ending/en.15", []string{"01-20 I'm vegan.", "05-02 I'm not vegan anymore."}, "Uta is vegan", ""},
	{"ending/en.16", []string{"01-20 I live in Cork.", "05-02 I don't live in Cork anymore."}, "lives in Cork", ""},
	{"correction/en.7", []string{"02-01 My boss is Harriet.", "02-02 Wait, I meant Henrietta, not Harriet."},
		"is Harriet", "Henrietta"},
	{"ending/de.11", []string{"01-20 Ich wohne in Worms.", "05-02 Ich wohne nicht mehr in Worms."},
		"wohnt in Worms", ""},
	{"ending/de.12", []string{"01-20 Unsere Katze heißt Lotte.", "05-02 Unsere Katze Lotte ist letzte Woche gestorben."}, "Lotte",
		""},
	{"ending/de.13", []string{"01-20 Ich bin Vegetarier.", "05-02 Ich bin kein Vegetarier mehr."},
		"vegetarisch", ""},
	{"allergy/de.3", []string{"02-01 Ich habe eine Nussallergie.",
		"09-02 Meine Nussallergie ist weg."}, "ist allergisch gegen Nuss", ""},
	{"taste/de.3", []string{"02-01 Ich mag Sushi.", "09-02 Sushi mag ich nicht mehr."}, "mag Sushi.", ""},
}

// turns are the stories of changes of mind.
func turns() []made {
	var out []made
	for _, r := range turnRows {
		var b strings.Builder
		line := func(parts ...string) { b.WriteString(strings.Join(parts, " ") + "\n") }
		kayak, twin := twinEnglish, twinEnglishFact
		if strings.Contains(r.name, "/de") {
			kayak, twin = twinGerman, twinGermanFact
		}
		line("assimilate user=uta at=2025-01-05 name:Uta", quoted(kayak))
		for i, said := range r.said {
			line("assimilate user=uta at=2025-"+said[:5], "name:Uta", quoted(said[6:]))
			if i == 0 && r.stale != "" { // a fact that was never known cannot end
				line("lookup user=uta name:Uta")
				line("expect has", quoted(r.stale))
			}
		}
		line("lookup user=uta name:Uta")
		line("expect has", quoted(twin))
		if r.stale != "" {
			line("expect never", quoted(r.stale), "but", quoted(twin))
		}
		if r.now != "" {
			line("expect has", quoted(r.now))
		}
		out = append(out, made{"turn/" + r.name, b.String()})
	}
	return out
}
