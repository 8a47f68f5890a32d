package interview_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/talk/interview"
)

// answersDomains are domains that no rule was written for.
var answersDomains = map[string]string{
	"library": `
id: library
title: Stadtbücherei
language: de
fields:
  - {id: angebote, label: Angebote, question: Welche Angebote habt ihr?, type: list}
  - {id: personal, label: Personal, question: Wie viele Leute arbeiten hier?, type: number, aliases: [Angestellte]}
  - {id: bestand, label: Bestand, question: Wie viele Bücher habt ihr?, type: number, aliases: [Bücher, Medien]}
  - {id: eroeffnung, label: Eröffnung, question: Seit wann gibt es die Bücherei?, type: date, aliases: [eröffnet]}
  - {id: katalog, label: Katalog, question: Wie führt ihr den Katalog?, type: text}
  - {id: ausleihe, label: Ausleihe, question: Ist die Ausleihe kostenlos?, type: choice, choices: [ja, nein]}
`,
	"farm": `
id: farm
title: Farm
language: en
fields:
  - {id: crops, label: Crops, question: What do you grow?, type: list}
  - {id: cows, label: Cows, question: How many cows do you keep?, type: number, aliases: [cattle]}
  - {id: hands, label: Farm hands, question: How many people work on the farm?, type: number, aliases: [workers]}
  - {id: since, label: In the family since, question: When did your family get the farm?, type: date, aliases: [bought]}
  - {id: hay, label: Hay store, question: Where is the hay stored?, type: text}
  - {id: milking, label: Milking, question: "Who milks, a robot or a person?", type: choice, choices: [robot, person]}
  - {id: length, label: Length of the fence, question: How long is the fence?, type: number, aliases: [fence]}
`,
	"harbour": `
id: harbour
title: Harbour
language: en
fields:
  - {id: berths, label: Berths, question: How many berths are there?, type: number, aliases: [moorings]}
  - {id: depth, label: Depth, question: How deep is the basin?, type: number}
  - {id: boats, label: Boats, question: Which boats come here?, type: list}
  - {id: crane, label: Crane, question: Do you have a crane?, type: choice, choices: ["yes", "no"]}
  - {id: built, label: Year of building, question: When was the pier built?, type: date, aliases: [built]}
  - {id: master, label: Harbour master, question: Who is the harbour master?, type: text}
`,
	"choir": `
id: choir
title: Chor
language: de
fields:
  - {id: saenger, label: Sänger, question: Wie viele Sänger habt ihr?, type: number, aliases: [Mitglieder, Stimmen]}
  - {id: lieder, label: Lieder, question: Was singt ihr?, type: list}
  - {id: konzerte, label: Konzerte, question: Wie viele Konzerte gebt ihr im Jahr?, type: number, aliases: [Auftritte]}
  - {id: gruendung, label: Gründung, question: Wann wurde der Chor gegründet?, type: date, aliases: [gegründet]}
  - {id: raum, label: Probenraum, question: Wo probt ihr?, type: text}
  - {id: beitrag, label: Beitrag, question: Zahlt man einen Beitrag?, type: choice, choices: [ja, nein]}
`,
	"boulangerie": `
id: boulangerie
title: Boulangerie
language: fr
fields:
  - {id: produits, label: Produits, question: Que fabriquez-vous ?, type: list}
  - {id: employes, label: Employés, question: Combien de personnes travaillent ici ?, type: number, aliases: [salariés]}
  - {id: ouverture, label: Ouverture, question: Depuis quand existe la maison ?, type: date}
  - {id: farine, label: Farine, question: "D'où vient la farine ?", type: text}
`,
}

// TestAnswersGoWhereTheyBelong: a value goes to the field that its label, its unit or its type names, and never to the
// requested one because that was requested. What belongs to none is kept in its own words, if it tells something.
func TestAnswersGoWhereTheyBelong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ domain, asked, answer, want string }{
		{"library", "angebote", "Wir haben vier Angestellte.", "personal=4"},
		{"library", "angebote", "Lesekreis, Vorlesestunde und Lesenachhilfe.",
			"angebote=Lesekreis, Vorlesestunde, Lesenachhilfe"},
		{"library", "angebote", "Hier arbeiten elf Leute, und wir haben Führungen.", "personal=11 angebote=Führungen"},
		{"library", "angebote", "Die Frau des Bürgermeisters hat uns letzten Winter eine alte Standuhr geschenkt.",
			"free=Die Frau des Bürgermeisters hat uns letzten Winter eine alte Standuhr geschenkt"},
		{"library", "ausleihe", "Wir haben vier Angestellte, und die Leiterin heißt Anna Brandt.",
			"personal=4 free=die Leiterin heißt Anna Brandt"},
		{"library", "personal", "Einundzwanzig.", "personal=21"},
		{"library", "personal", "Wir haben dreitausend Bücher.", "bestand=3000"},
		{"library", "personal", "Der alte Bürgermeister hat seine Briefmarken im Keller vergessen.",
			"free=Der alte Bürgermeister hat seine Briefmarken im Keller vergessen"},
		{"library", "personal", "Unsere Angestellten machen zwei Pausen am Tag.",
			"free=Unsere Angestellten machen zwei Pausen am Tag"},
		{"library", "personal", "Wir sind eine kleine Bücherei mit sechs Leuten.", "personal=6"},
		{"library", "bestand", "Ungefähr zweitausendfünfhundert.", "bestand=2500?"},
		{"library", "katalog", "Eröffnet wurde sie 1956.", "eroeffnung=1956"},
		{"library", "katalog", "Mit Karteikarten aus Holzkästen.", "katalog=Mit Karteikarten aus Holzkästen"},
		{"library", "eroeffnung", "Die Leiterin hat den Schlüssel zum Turm.", "free=Die Leiterin hat den Schlüssel zum Turm"},
		{"library", "eroeffnung", "Das geht Sie nichts an.", ""},
		{"library", "eroeffnung", "Der Blitz hat 1950 die Kirche nebenan getroffen.",
			"free=Der Blitz hat 1950 die Kirche nebenan getroffen"},
		{"library", "ausleihe", "Ja.", "ausleihe=ja"},
		{"library", "ausleihe", "Im Lesesaal spukt der Gründer Anton Weiß.", "free=Im Lesesaal spukt der Gründer Anton Weiß"},
		{"farm", "crops", "We keep forty cows.", "cows=40"},
		{"farm", "crops", "Barley and rye.", "crops=Barley, rye"},
		{"farm", "crops", "My uncle drowned in the pond behind the mill when he was young.",
			"free=My uncle drowned in the pond behind the mill when he was young"},
		{"farm", "cows", "There are three workers, all brothers.", "hands=3"},
		{"farm", "cows", "About sixty-five.", "cows=65?"},
		{"farm", "cows", "We have 12 tractors.", "free=We have 12 tractors"},
		{"farm", "cows", "My grandfather lost an arm in the old thresher.",
			"free=My grandfather lost an arm in the old thresher"},
		{"farm", "hands", "Two hundred and fifty cows, and a dog.", "cows=250"},
		{"farm", "hands", "The fence is 900 metres long.", "length=900"},
		{"farm", "hands", "Nice weather today, isn't it?", ""},
		{"farm", "hands", "I would rather not go into that.", ""},
		{"farm", "since", "It was bought in 1911.", "since=1911"},
		{"farm", "length", "About 12.5 miles.", "length=12.5?"},
		{"farm", "milking", "A robot does.", "milking=robot"},
		{"farm", "milking", "The cattle are afraid of the neighbour's dog.",
			"free=The cattle are afraid of the neighbour's dog"},
		{"boulangerie", "produits", "Nous avons 7 salariés.", "employes=7"},
		{"boulangerie", "produits", "Du pain de seigle, des brioches.", "produits=Du pain de seigle, des brioches"},
		{"boulangerie", "employes", "Le fondateur a caché la recette dans la cave.",
			"free=Le fondateur a caché la recette dans la cave"},
		{"boulangerie", "employes", "Je ne sais pas.", ""},
		{"harbour", "berths", "We have eighty-four berths.", "berths=84"},
		{"harbour", "boats", "There are eighty-four moorings.", "berths=84"},
		{"harbour", "depth", "-3", "depth=-3"},
		{"harbour", "depth", "Six metres at low tide.", "depth=6"},
		{"harbour", "depth", "We get about two hundred boats a year.", "free=We get about two hundred boats a year?"},
		{"harbour", "boats", "Trawlers, yachts and the odd ferry.", "boats=Trawlers, yachts, the odd ferry"},
		{"harbour", "crane", "Yes, a small one.", "crane=yes"},
		{"harbour", "crane", "The pilot's wife painted the lighthouse red.",
			"free=The pilot's wife painted the lighthouse red"},
		{"harbour", "built", "In 1888, after the great storm.", "built=1888"},
		{"harbour", "built", "Old Henrik sank his own trawler for the insurance in 1974.",
			"free=Old Henrik sank his own trawler for the insurance in 1974"},
		{"harbour", "built", "Let me think about it.", ""},
		{"harbour", "built", "That is confidential.", ""},
		{"harbour", "master", "Henrik Olsen.", "master=Henrik Olsen"},
		{"harbour", "master", "It was built in 1888.", "built=1888"},
		{"harbour", "berths", "Henrik Olsen is the harbour master.", "free=Henrik Olsen is the harbour master"},
		{"harbour", "berths", "None.", "berths=0"},
		{"harbour", "berths", "The basin is six metres deep.", "free=The basin is six metres deep"},
		{"harbour", "boats", "The seals steal the fishermen's catch every single morning in spring.",
			"free=The seals steal the fishermen's catch every single morning in spring"},
		{"choir", "lieder", "Wir haben dreiundzwanzig Mitglieder.", "saenger=23"},
		{"choir", "saenger", "Wir geben vier Konzerte im Jahr.", "konzerte=4"},
		{"choir", "saenger", "Zwanzig, davon sechs Bässe.", "saenger=20"},
		{"choir", "saenger", "Wir sind zu viert.", ""},
		{"choir", "konzerte", "Im Advent zwei, sonst keine.", "konzerte=2"},
		{"choir", "konzerte", "Der Dirigent hat sein Klavier selbst gebaut.",
			"free=Der Dirigent hat sein Klavier selbst gebaut"},
		{"choir", "lieder", "Volkslieder und Bachkantaten.", "lieder=Volkslieder, Bachkantaten"},
		{"choir", "gruendung", "Gegründet haben ihn zwölf Bauern im Jahr 1921.", "gruendung=1921"},
		{"choir", "gruendung", "Im Sturm von 1962 ist unser ganzes Notenarchiv verbrannt.",
			"free=Im Sturm von 1962 ist unser ganzes Notenarchiv verbrannt"},
		{"choir", "raum", "Im Pfarrhaus.", "raum=Im Pfarrhaus"},
		{"choir", "raum", "Wir haben dreißig Sänger.", "saenger=30"},
		{"choir", "beitrag", "Nein.", "beitrag=nein"},
		{"choir", "beitrag", "Die Altistin Greta Lund hat früher an der Oper gesungen.",
			"free=Die Altistin Greta Lund hat früher an der Oper gesungen"},
		{"choir", "beitrag", "Schönes Wetter heute.", ""},
		{"boulangerie", "farine", "Du moulin de Saint-Paul.", "farine=Du moulin de Saint-Paul"},
	} {
		d, err := interview.Parse(c.domain, []byte(answersDomains[c.domain]))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range interview.StructureByRules(&d, interview.FieldOf(&d, c.asked), c.answer, noon) {
			one := "free=" + f.Content
			if f.Field.ID != "" {
				one = f.Field.ID + "=" + interview.Text(f.Value)
			}
			if f.Confidence <= 0.5 {
				one += "?"
			}
			got = append(got, one)
			if !strings.Contains(c.answer, f.Quote) || f.Quote == "" {
				t.Errorf("%s: the quote %q is not in %q", c.domain, f.Quote, c.answer)
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s, asked for %s: %q (-want +got):\n%s", c.domain, c.asked, c.answer, diff)
		}
	}
}

// A long answer full of numbers takes no longer than a person waits.
func BenchmarkStructureByRules(b *testing.B) {
	d, err := interview.Parse("farm", []byte(answersDomains["farm"]))
	if err != nil {
		b.Fatal(err)
	}
	for range trilith.MaxDomainFields - len(d.Fields) {
		d.Fields = append(d.Fields, d.Fields[1])
	}
	answer := strings.Repeat("We have 12 ducks, ", trilith.MaxAnswerBytes/18)
	for b.Loop() {
		interview.StructureByRules(&d, &d.Fields[0], answer, noon)
		interview.StructureByRules(&d, &d.Fields[1], answer, noon)
	}
}
