package textproc

import "testing"

// TestLanguage: a whole text is in one language, by its words or by its letters.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		codes []string
		want  Lang
	}{
		{"Where did she go with the dog?", nil, English},
		{"Wo ist sie mit dem Hund?", nil, German},
		{"Dog food, 12 kg", nil, English},
		{"Hundefutter", []string{"de"}, German},
		{"We met at the café", nil, English},
		{"Вчера было холодно", nil, Russian},
		{"The word вчера is Russian", nil, English},
		{"Вчера", []string{"en"}, Unknown},
		{"昨日は寒かった", nil, Unknown},
		{"Wczoraj byłem w kinie", nil, Unknown},
		{"Wczoraj byłem w kinie", []string{"en"}, English},
		{"2024-05-01", nil, English},
		{"", nil, English},
	} {
		a, err := NewAnalyzer(c.codes...)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Language(c.text); got != c.want {
			t.Errorf("NewAnalyzer(%q).Language(%q) = %s, want %s", c.codes, c.text, got, c.want)
		}
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	if English.Code() != "en" || German.Code() != "de" || Unknown.Code() != "" {
		t.Errorf("codes are %q, %q, %q, want en, de and none", English.Code(), German.Code(), Unknown.Code())
	}
}
