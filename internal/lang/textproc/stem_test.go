package textproc

import (
	"strings"
	"testing"
)

// Every line is one word in its forms, with and without accents: they have one stem.
var families = map[Lang]string{
	English: `run runs running
library libraries
marry married marries marrying`,
	German: `hund hunde hunden hundes
katze katzen
kind kinder kindern kindes
haus häuser hausern hause
schön schöne schöner schönste schönes
tag tage tagen tages`,
	French: `chat chats chatte chattes
manger mange manges mangé mangée mangeait mangent mangeons
acheter achète acheté achetée achetait achetent
cheval chevaux
loyer loyers
vélo vélos velo
ami amis amie amies
étudiant étudiants étudiante étudiantes
heureux heureuse heureuses
actif active actifs actives
premier première premiers premières
château châteaux chateau`,
	Spanish: `gato gatos gata gatas
vivir vivo vives vivimos vivió viví vivía viviendo vivido vivio
habitación habitaciones habitacion
canción canciones
feliz felices
alquiler alquileres
ciudad ciudades
rápido rápida rápidamente`,
	Italian: `gatto gatti gatta gatte
abitare abito abita abitiamo abitano abitato abitava
lungo lunghi lunga lunghe
stazione stazioni`,
	Portuguese: `morar moro mora moramos morou morei morava morando
pão pães
avião aviões aviao
animal animais
hotel hotéis hoteis
viagem viagens`,
	Dutch: `woon wonen woont
huis huizen
kind kinderen
vriendin vriendinnen
brief brieven
afspraak afspraken`,
	Swedish: `flicka flickan flickor flickorna
hus huset husen
köpa köper köpte köpt kopte`,
	Norwegian: `jente jenta jenter jentene
kjøpe kjøper kjøpte kjøpt
møte møter møtet møtene`,
	Danish: `pige pigen piger pigerne
købe køber købte købt
arbejde arbejder arbejdede arbejdet`,
	Finnish: `kaupunki kaupungin kaupungissa kaupungit
talo talon talossa talosta taloja
ystävä ystävän ystäviä ystava`,
	Hungarian: `város városok városban városból várost
könyv könyvek könyvet könyvben`,
	Romanian: `prieten prieteni prietenul prietenii prietenului
frumos frumoasă frumoși frumoase
carte cărți cartea cărții`,
	Russian: `кошка кошки кошку кошкой кошке
работать работаю работает работал работала
красивый красивая красивое красивые красивого
новый новая новое новые`,
	Arabic: `البيت بيت والبيت بيتها بالبيت
مدرسة المدرسة مدرسات مدرسه
سيارة سيارتين سيارات`,
}

func TestStem(t *testing.T) {
	t.Parallel()
	for l, lines := range families {
		for line := range strings.Lines(lines) {
			words := strings.Fields(line)
			want := stem(Fold(words[0]), l)
			for _, w := range words {
				if got := stem(Fold(w), l); got != want {
					t.Errorf("%v: the stem of %q is %q, that of %q is %q", l, w, got, words[0], want)
				}
			}
		}
	}
}

// Words that only look alike keep apart.
func TestStemKeepsApart(t *testing.T) {
	t.Parallel()
	for l, lines := range map[Lang]string{
		English: "marine Maria|new news|general generous",
		German:  "see seele|hand hunde|haus hase",
		French:  "maison mais|mois moi|poisson poison|bois bouche",
		Spanish: "casa caza|pelo pelota|cama camino",
		Italian: "casa cassa|cane canto|mare moro",
		Dutch:   "huis huid|kat kater|boek boer",
		Swedish: "bil bild|hus hud",
		Russian: "мир море|стол столица",
		Arabic:  "ولد بلد|كتاب كلب",
	} {
		for pair := range strings.SplitSeq(lines, "|") {
			a, b, _ := strings.Cut(pair, " ")
			if stem(Fold(a), l) == stem(Fold(b), l) {
				t.Errorf("%v: %q and %q have the stem %q both", l, a, b, stem(Fold(a), l))
			}
		}
	}
}

// For any letters, no stemmer panics, empties a word, or adds more than an e.
func FuzzStem(f *testing.F) {
	for _, lines := range families {
		for _, w := range strings.Fields(lines) {
			f.Add(w)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range terms(s) {
			for l := range Unknown {
				if got := stem(w, l); got == "" || len(got) > len(w)+1 {
					t.Errorf("%v: the stem of %q is %q", l, w, got)
				}
			}
		}
	})
}
