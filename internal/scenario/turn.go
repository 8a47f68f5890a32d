package scenario

import "strings"

// turn is a change of mind as people speak of it: what is known of somebody, and what they say later. Each of its
// stories are the words of one person who also owns a kayak, which nothing that is said ends.
type turn struct {
	name  string   // kind/language.number
	said  []string // a day of 2025 and what was said, in the order in which it was heard
	stale string   // words of what holds no longer; empty: nothing ends
	now   string   // words of what holds; empty: nothing takes the place
}

// turnRows are changes of mind by kind: what ends, is corrected, is reversed, is done, moves, or was never meant.
var turnRows = []turn{
	{"update/en.1", []string{"02-03 I live in Dundee.", "06-14 I've moved to Perth."}, "Dundee", "Perth"},
	{"ending/en.1", []string{"01-20 I work at Halden Shipping.", "05-02 I quit my job last week."}, "Halden", ""},
	{"ending/en.2", []string{"01-20 I have a small sailing boat.", "05-02 I finally sold the boat."},
		"sailing boat", ""},
	{"ending/en.3", []string{"02-11 My girlfriend Rosalind is allergic to bees.", "08-09 Rosalind and I broke up."},
		"girlfriend is Rosalind", ""},
	{"ending/en.4", []string{"01-20 My cat is called Minka.", "05-02 Sadly our cat Minka died on Sunday."}, "Minka", ""},
	{"ending/en.5", []string{"02-01 I study marine biology.", "07-02 I dropped out of marine biology."},
		"marine biology", ""},
	{"plan/en.1", []string{"02-01 We're going to Lisbon in October.", "03-02 The trip to Lisbon is cancelled."},
		"Lisbon", ""},
	{"correction/en.1", []string{"02-01 I work at Brandt Optics.",
		"02-02 No, I meant Bauer Optics, not Brandt Optics."}, "Brandt", "Bauer Optics"},
	{"correction/en.2", []string{"02-01 I'm allergic to walnuts.", "02-02 Sorry, I meant hazelnuts, not walnuts."},
		"walnuts", "hazelnuts"},
	{"allergy/en.1", []string{"02-01 I'm allergic to shellfish.",
		"09-02 The test came back: I'm not allergic to shellfish after all."}, "is allergic to shellfish", ""},
	{"taste/en.1", []string{"02-01 I love olives.", "09-02 I can't stand olives any more."}, "Uta likes olives",
		"dislikes olives"},
	{"decision/en.1", []string{"02-01 We decided to use slate for the roof.",
		"03-02 We've changed our minds about the slate."}, "Decided: use slate", ""},
	{"task/en.1", []string{"02-01 I need to renew my passport.", "03-02 I've renewed my passport."},
		"Task: renew my passport", ""},
	{"deadline/en.1", []string{"02-01 The grant application is due on 15 April 2025.",
		"03-02 The deadline for the grant application has been moved to 6 May 2025."}, "2025-04-15", "2025-05-06"},
	{"amount/en.1", []string{"02-01 The budget for the kitchen is 12,000 EUR.",
		"03-02 Sorry, typo: the kitchen budget is 21,000 EUR."}, "12000 EUR", "21000 EUR for kitchen"},
	{"update/de.1", []string{"02-03 Ich wohne in Gera.", "06-14 Ich bin nach Jena gezogen."}, "Gera", "Jena"},
	{"ending/de.1", []string{"01-20 Ich arbeite bei Falkenwerk.", "05-02 Ich habe gekündigt."}, "Falkenwerk", ""},
	{"ending/de.2", []string{"01-20 Ich habe ein kleines Segelboot.", "05-02 Das Boot habe ich verkauft."},
		"Segelboot", ""},
	{"ending/de.3", []string{"02-11 Meine Freundin heißt Swantje.", "08-09 Swantje und ich haben uns getrennt."},
		"Swantje", ""},
	{"ending/de.4", []string{"01-20 Mein Hund heißt Bruno.", "05-02 Wir mussten Bruno einschläfern lassen."},
		"Bruno", ""},
	{"ending/de.5", []string{"02-01 Ich studiere Chemie.", "07-02 Ich habe das Chemiestudium abgebrochen."},
		"studiert Chemie", ""},
	{"plan/de.1", []string{"02-01 Wir fliegen im Oktober nach Lissabon.",
		"03-02 Wir fliegen doch nicht nach Lissabon."}, "Lissabon", ""},
	{"correction/de.1", []string{"02-01 Ich arbeite bei Brandt Optik.",
		"02-02 Nein, ich meinte Bauer Optik, nicht Brandt Optik."}, "Brandt", "Bauer Optik"},
	{"correction/de.2", []string{"02-01 Ich bin allergisch gegen Walnüsse.",
		"02-02 Nein, ich meinte Haselnüsse, nicht Walnüsse."}, "Walnüsse", "Haselnüsse"},
	{"allergy/de.1", []string{"02-01 Ich bin allergisch gegen Milben.",
		"09-02 Der Test war negativ, ich bin doch nicht allergisch gegen Milben."}, "ist allergisch gegen Milben", ""},
	{"taste/de.1", []string{"02-01 Ich mag Oliven.", "09-02 Ich kann Oliven nicht mehr ausstehen."}, "mag Oliven",
		"hasst Oliven"},
	{"decision/de.1", []string{"02-01 Wir haben uns für das Schieferdach entschieden.",
		"03-02 Das Schieferdach nehmen wir doch nicht."}, "Entschieden: das Schieferdach", ""},
	{"task/de.1", []string{"02-01 Ich muss den Reisepass verlängern.", "03-02 Den Reisepass habe ich verlängert."},
		"Aufgabe: den Reisepass verlängern", ""},
	{"deadline/de.1", []string{"02-01 Die Frist für den Antrag ist am 15. April 2025.",
		"03-02 Die Frist für den Antrag wurde auf den 6. Mai 2025 verschoben."}, "2025-04-15", "2025-05-06"},
	{"amount/de.1", []string{"02-01 Das Budget für die Küche beträgt 12.000 Euro.",
		"03-02 Das Küchenbudget liegt jetzt bei 14.000 Euro."}, "12000 EUR", "14000 EUR"},
	{"ending/en.6", []string{"01-20 I work as a nurse at Saint Olav.",
		"05-02 I got laid off in April, so I have time now."}, "Saint Olav", ""},
	{"ending/en.7", []string{"01-20 My husband is called Torben.", "05-02 Torben and I got divorced last month."},
		"husband is Torben", ""},
	{"ending/en.8", []string{"01-20 I'm studying philosophy.", "09-02 I gave up philosophy, it wasn't for me."},
		"studies philosophy", ""},
	{"ending/en.9", []string{"01-20 We bought a caravan.", "09-02 Our caravan has been sold, by the way."},
		"caravan", ""},
	{"ending/en.10", []string{"01-20 We have a rabbit named Pepper.", "09-02 Our rabbit Pepper passed away this morning."},
		"Pepper", ""},
	{"plan/en.2", []string{"02-01 I'm planning to run the Bergen half marathon.",
		"03-02 I won't be running the half marathon after all."}, "half marathon", ""},
	{"plan/en.3", []string{"02-01 I have an interview on 12 March 2099.", "03-02 I cancelled the interview."},
		"interview", ""},
	{"correction/en.3", []string{"02-01 My sister's name is Paula.", "02-01 Sorry, I meant Petra, not Paula."},
		"Paula", "Petra"},
	{"correction/en.4", []string{"02-01 I live in Bremem.", "02-02 Oops, I meant Bremen."}, "Bremem", "Bremen"},
	{"correction/en.5", []string{"02-01 The invoice is 4,300 EUR for the windows.",
		"02-01 Sorry, I meant 3,400, not 4,300."}, "4300 EUR", "3400 EUR for windows"},
	{"allergy/en.2", []string{"02-01 I'm allergic to strawberries.", "09-02 I've outgrown my strawberry allergy."},
		"is allergic to strawberries", ""},
	{"allergy/en.3", []string{"02-01 I'm a vegetarian.", "09-02 I'm not a vegetarian any more, doctor's orders."},
		"Uta is vegetarian", ""},
	{"taste/en.2", []string{"02-01 I hate running.", "09-02 Funny, I actually enjoy running now."}, "dislikes running",
		"Uta likes running"},
	{"decision/en.2", []string{"02-01 We decided to hire the architect from Lund.",
		"03-02 We're not hiring the architect from Lund after all."}, "Decided: hire", ""},
	{"decision/en.3", []string{"02-01 We agreed on weekly meetings.", "03-02 We've changed our minds about the weekly meetings."},
		"weekly meetings", ""},
	{"task/en.2", []string{"02-01 I have to pay the electricity bill.", "03-02 I've paid the electricity bill."},
		"Task: pay", ""},
	{"task/en.3", []string{"02-01 Remind me to call the plumber about the sink.",
		"03-02 I finally called the plumber."}, "Task: call", ""},
	{"deadline/en.2", []string{"02-01 The tax return is due on 31 July 2099.",
		"03-02 We got an extension for the tax return until 30 September 2099."}, "2099-07-31", "2099-09-30"},
	{"amount/en.2", []string{"02-01 Our budget is 8,000 EUR.", "03-02 The budget has been raised to 9,500 EUR."},
		"8000 EUR", "9500 EUR"},
	{"ending/de.6", []string{"01-20 Ich arbeite als Koch bei Seeblick.",
		"05-02 Ich arbeite nicht mehr bei Seeblick."}, "Seeblick", ""},
	{"ending/de.7", []string{"01-20 Meine Frau heißt Annegret.", "05-02 Annegret und ich sind inzwischen geschieden."},
		"Annegret", ""},
	{"ending/de.8", []string{"01-20 Ich spiele gern Schach.", "05-02 Ich habe mit dem Schachspielen aufgehört."},
		"mag Schach", ""},
	{"ending/de.9", []string{"01-20 Wir haben ein Wohnmobil.", "05-02 Unser Wohnmobil ist verkauft."}, "Wohnmobil", ""},
	{"plan/de.2", []string{"02-01 Wir ziehen im Sommer nach Kassel um.",
		"03-02 Aus dem Umzug nach Kassel wird leider nichts."}, "Kassel", ""},
	{"correction/de.3", []string{"02-01 Mein Bruder heißt Jonas.", "02-01 Quatsch, ich meinte Jonathan, nicht Jonas."},
		"Jonas", "Jonathan"},
	{"allergy/de.2", []string{"02-01 Ich bin allergisch gegen Erdbeeren.", "09-02 Ich kann wieder Erdbeeren essen."},
		"ist allergisch gegen Erdbeeren", ""},
	{"taste/de.2", []string{"02-01 Ich hasse Joggen.", "09-02 Inzwischen mag ich Joggen."}, "hasst Joggen",
		"mag Joggen"},
	{"decision/de.2", []string{"02-01 Wir haben beschlossen, die Küche weiß zu streichen.",
		"03-02 Die Küche streichen wir doch nicht weiß."}, "Entschieden: die Küche", ""},
	{"task/de.2", []string{"02-01 Ich muss noch die Versicherung kündigen.", "03-02 Ich habe die Versicherung gekündigt."},
		"Aufgabe:", ""},
	{"task/de.3", []string{"02-01 Bitte erinnere mich daran, den Klempner anzurufen.",
		"03-02 Ich habe den Klempner heute angerufen."}, "Aufgabe:", ""},
	{"deadline/de.2", []string{"02-01 Die Steuererklärung ist am 31. Juli 2099 fällig.",
		"03-02 Für die Steuererklärung haben wir Aufschub bis zum 30. September 2099 bekommen."}, "2099-07-31",
		"2099-09-30"},
	{"amount/de.2", []string{"02-01 Unser Budget beträgt 8.000 Euro.", "03-02 Das Budget wurde auf 9.500 Euro erhöht."},
		"8000 EUR", "9500 EUR"},
	{"ending/en.11", []string{"01-20 I work for Lindqvist Brothers.",
		"05-02 On Friday I left Lindqvist Brothers."}, "Lindqvist", ""},
	{"ending/en.12", []string{"01-20 I'm married to Femke.",
		"05-02 Femke and I are getting divorced. She left me in March."}, "spouse is Femke", ""},
	{"ending/en.13", []string{"01-20 I own a motorbike.", "05-02 I gave my motorbike to my nephew."}, "motorbike", ""},
	{"ending/en.14", []string{"01-20 Our dog Biscuit is ten.", "05-02 Our dog Biscuit died in the spring."}, "Biscuit", ""},
	{"ending/en.15", []string{"01-20 I'm vegan.", "05-02 I'm not vegan anymore."}, "Uta is vegan", ""},
	{"ending/en.16", []string{"01-20 I live in Cork.", "05-02 I don't live in Cork anymore."}, "lives in Cork", ""},
	{"plan/en.4", []string{"02-01 I'm flying to Nairobi on 3 November 2099.",
		"03-02 I've cancelled the flight to Nairobi."}, "Nairobi", ""},
	{"correction/en.6", []string{"02-01 I'm allergic to penicillin.",
		"02-02 I wrote penicillin, but I meant ibuprofen."}, "penicillin", "ibuprofen"},
	{"correction/en.7", []string{"02-01 My boss is Harriet.", "02-02 Wait, I meant Henrietta, not Harriet."},
		"is Harriet", "Henrietta"},
	{"allergy/en.4", []string{"02-01 I'm allergic to eggs.",
		"09-02 Turns out I am not allergic to eggs, it was a false positive."}, "is allergic to eggs", ""},
	{"taste/en.3", []string{"02-01 I love sushi.", "09-02 I've gone off sushi completely."}, "Uta likes sushi", ""},
	{"decision/en.4", []string{"02-01 We decided to rent the hall in Malvern.",
		"03-02 We decided against the hall in Malvern."}, "Decided: rent", ""},
	{"decision/en.5", []string{"02-01 We've decided to go with the blue tiles.",
		"03-02 We've decided against the blue tiles, we'll go with the grey tiles."}, "Decided: go with the blue tiles",
		"grey tiles"},
	{"task/en.4", []string{"02-01 I need to book the ferry tickets.", "03-02 I've booked the ferry tickets!"},
		"Task: book", ""},
	{"task/en.5", []string{"02-01 Please order the new filters.", "03-02 I've already ordered the filters."},
		"Task: order", ""},
	{"deadline/en.3", []string{"02-01 The thesis is due on 1 June 2099.",
		"03-02 My supervisor moved the thesis deadline to 15 June 2099."}, "2099-06-01", "2099-06-15"},
	{"ending/de.10", []string{"01-20 Ich arbeite bei Kranz & Söhne.",
		"05-02 Ich bin seit April nicht mehr bei Kranz & Söhne."}, "Kranz", ""},
	{"ending/de.11", []string{"01-20 Ich wohne in Worms.", "05-02 Ich wohne nicht mehr in Worms."},
		"wohnt in Worms", ""},
	{"ending/de.12", []string{"01-20 Unsere Katze heißt Lotte.", "05-02 Unsere Katze Lotte ist letzte Woche gestorben."}, "Lotte",
		""},
	{"ending/de.13", []string{"01-20 Ich bin Vegetarier.", "05-02 Ich bin kein Vegetarier mehr."},
		"vegetarisch", ""},
	{"ending/de.14", []string{"01-20 Ich habe ein Motorrad.", "05-02 Mein Motorrad habe ich meinem Neffen geschenkt."},
		"Motorrad", ""},
	{"plan/de.3", []string{"02-01 Am 3. November 2099 fliege ich nach Nairobi.",
		"03-02 Den Flug nach Nairobi habe ich storniert."}, "Nairobi", ""},
	{"correction/de.4", []string{"02-01 Ich wohne in Bremem.", "02-02 Tippfehler: Ich meinte Bremen."},
		"Bremem", "Bremen"},
	{"correction/de.5", []string{"02-01 Mein Chef heißt Harald.",
		"02-02 Ich habe mich vertippt: Es ist Harold, nicht Harald."}, "Harald", "Harold"},
	{"allergy/de.3", []string{"02-01 Ich habe eine Nussallergie.",
		"09-02 Meine Nussallergie ist weg."}, "ist allergisch gegen Nuss", ""},
	{"taste/de.3", []string{"02-01 Ich mag Sushi.", "09-02 Sushi mag ich nicht mehr."}, "mag Sushi.", ""},
	{"decision/de.3", []string{"02-01 Wir haben uns auf blaue Fliesen geeinigt.",
		"03-02 Wir haben uns gegen die blauen Fliesen entschieden, wir nehmen graue Fliesen."}, "blaue Fliesen", ""},
	{"task/de.4", []string{"02-01 Wir müssen die Fährtickets buchen.", "03-02 Wir haben die Fährtickets gebucht!"},
		"Aufgabe:", ""},
	{"deadline/de.3", []string{"02-01 Die Masterarbeit ist am 1. Juni 2099 fällig.",
		"03-02 Die Abgabe der Masterarbeit wurde auf den 15. Juni 2099 verschoben."}, "2099-06-01", "2099-06-15"},
	{"amount/de.3", []string{"02-01 Das Angebot für das Dach liegt bei 18.400 Euro.",
		"02-02 Korrektur: Ich meinte 14.800 Euro, nicht 18.400 Euro."}, "18400", "14800 EUR"},
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
		for _, said := range r.said {
			line("assimilate user=uta at=2025-"+said[:5], "name:Uta", quoted(said[6:]))
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
