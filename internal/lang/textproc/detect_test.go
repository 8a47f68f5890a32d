package textproc

import (
	"slices"
	"strings"
	"testing"
)

// The language of a long text is that of its first words, which alone are read; special letters count wherever they are.
func TestLanguageOfLongTexts(t *testing.T) {
	t.Parallel()
	same := func(a, b *word) bool { return a.text == b.text }
	english, german, chinese := "the weather was good and we had fun ", "das Wetter war gut und wir hatten Spaß ", "我们上个月搬到了上海。"
	for _, text := range []string{english, german, chinese, strings.Repeat(english, 100), strings.Repeat(german, 100),
		strings.Repeat(english, 60) + strings.Repeat(german, 200), strings.Repeat(german, 60) + strings.Repeat(english, 200),
		strings.Repeat(chinese, 100) + english, strings.Repeat("x1 ", 500) + "größer"} {
		short := segmenter{most: detectWords}
		short.segment(text)
		var whole segmenter
		whole.segment(text)
		n := min(len(whole.words), detectWords)
		if len(short.words) < n || !slices.EqualFunc(short.words[:n], whole.words[:n], same) || short.looks != whole.looks {
			t.Errorf("of %.20q… %d words are read, and others than the first of %d", text, len(short.words), len(whole.words))
		}
	}
}
