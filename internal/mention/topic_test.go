package mention

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ verb, said, turn, want string }{
		{"lives_in", "I live in Bristol.", "Hi! Back home in Leeds since Sunday, for good this time.",
			"Back home in Leeds since Sunday, for good this time."},
		{"lives_in", "Ich bin nach Erfurt gezogen.", "Seit Montag bin ich wieder in Jena daheim.",
			"Seit Montag bin ich wieder in Jena daheim."},
		{"lives_in", "Ich wohne in Kiel.", "Wir sind im Mai umgezogen.", "Wir sind im Mai umgezogen."},
		{"works_at", "I work at Lidl.", "I was made redundant in May.", "I was made redundant in May."},
		{"works_at", "Ich arbeite bei Bosch.", "Ich habe gekündigt.", "Ich habe gekündigt."},
		{"studies", "Ich studiere Biologie.", "Studium hingeworfen.", "Studium hingeworfen."},
		{"has_wife", "My wife is Ida and I adore her.", "We got divorced last year.", "We got divorced last year."},
		{"follows_diet", "I'm vegetarian.", "I had a steak yesterday.", "I had a steak yesterday."},
		{"has_rent", "My rent is 900 euros.", "The landlord raised the rent to 980.",
			"The landlord raised the rent to 980."},
		{"has_rent", "Meine Miete beträgt 800 Euro.", "Die Miete wurde auf 870 Euro erhöht.",
			"Die Miete wurde auf 870 Euro erhöht."},
		{"has_invoice", "The invoice is 900 euros.", "We still have to pay the rent.", ""},
		{"has_marital_status", "I'm single.", "I met someone and we are together.", "I met someone and we are together."},
		{"has_marital_status", "Ich bin Single.", "Wir sind jetzt verlobt.", "Wir sind jetzt verlobt."},
		{"has_marital_status", "I'm single.", "We cooked together.", ""},
		{"avoids", "I don't drink alcohol.", "We shared a bottle of wine.", "We shared a bottle of wine."},
		{"avoids", "Ich trinke keinen Alkohol.", "Ab und zu trinke ich ein Glas Wein.",
			"Ab und zu trinke ich ein Glas Wein."},
		{"intolerant_to", "I can't have dairy.", "Had two cheese toasties today.", "Had two cheese toasties today."},
		{"allergic_to", "I'm allergic to nuts.", "I ate a whole bag of almonds!", "I ate a whole bag of almonds!"},

		{"avoids", "I avoid gluten.", "We shared a bottle of wine.", ""},
		{"likes", "I like alcohol.", "We shared a bottle of wine.", ""},
		{"owns", "I own a boat.", "We moved to Leeds in May.", ""},
		{"lives_in", "Ben lives in Bristol.", "We moved to Leeds in May.", ""},
		{"lives_in", "I live in Bristol.", "My sister moved to Leeds in May.", ""},
		{"lives_in", "I live in Bristol.", "Should I have moved to Leeds?", ""},
		{"lives_in", "I live in Bristol.", "He is back in Leeds.", ""},
		{"works_at", "I work at Lidl.", "Ben was made redundant in May.", ""},
	} {
		turn := Read(c.turn)
		got, ok := turn.Of(TopicKeys(c.verb, c.said))
		quote := c.turn[got.Start:got.End]
		if !ok {
			quote = ""
		}
		if quote != c.want || got.Asks {
			t.Errorf("what %s is about (%q) is spoken of in %q = %q, asks %v; want %q and no question", c.verb, c.said,
				c.turn, quote, got.Asks, c.want)
		}
	}
}

// TestTopicsOfOtherMatters: of a hundred turns that are about other things at most one speaks of a topic.
func TestTopicsOfOtherMatters(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../extract/testdata/gold/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob() = %v, %v, want files of sentences", files, err)
	}
	turns := map[string]bool{}
	related := map[string]map[string]bool{} // by topic
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			cells := strings.Split(strings.TrimSpace(line), "\t")
			if len(cells) != 3 {
				continue
			}
			turns[cells[2]] = true
			for _, topic := range topics {
				for _, verb := range topic.verbs {
					if strings.Contains(cells[1], verb) || cells[0] == verb {
						if related[topic.name] == nil {
							related[topic.name] = map[string]bool{}
						}
						related[topic.name][cells[2]] = true
					}
				}
			}
		}
	}
	for _, topic := range topics {
		met, all := []string{}, 0
		for text := range turns {
			if related[topic.name][text] {
				continue
			}
			all++
			if topic.words.MatchString(text) &&
				!slices.ContainsFunc(topic.stems,
					func(stem string) bool { return strings.Contains(strings.ToLower(text), stem) }) {
				t.Errorf("%q speaks of %q and holds none of its stems", text, topic.verbs)
			}
			if len(Read(text).words[topic.name]) > 0 {
				met = append(met, text)
			}
		}
		if all < 1000 || 100*len(met) > all {
			t.Errorf("%q is met in %d of %d turns about other things, want at most 1 %%: %q", topic.verbs,
				len(met), all, met)
		}
	}
}
