package textproc

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Skeleton is a text as a reader, or a normalising tokenizer, may perceive it: small letters, without compatibility
// forms such as full width, marks and invisible characters, and with ASCII characters for look-alikes of Latin letters,
// brackets, slashes and bars. Texts with equal skeletons need not be equal.
type Skeleton struct {
	Text string
	at   []int32 // for each byte of Text, and for its end, its offset in the original; nil if offsets are equal
	to   []int32 // for each byte of Text, the end of its character in the original
}

// NewSkeleton makes the skeleton of a text of valid UTF-8.
func NewSkeleton(text string) Skeleton {
	if isASCII(text) {
		return Skeleton{Text: strings.ToLower(text)}
	}
	var b strings.Builder
	b.Grow(len(text))
	at, to := make([]int32, 0, len(text)+1), make([]int32, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		forms := text[i : i+size]
		if r >= utf8.RuneSelf {
			if d := norm.NFKD.PropertiesString(text[i:]).Decomposition(); d != nil {
				forms = string(d)
			}
		}
		for _, r := range forms {
			if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Variation_Selector,
				unicode.Other_Default_Ignorable_Code_Point) {
				continue
			}
			n, _ := b.WriteRune(Lookalike(unicode.ToLower(r)))
			for range n {
				at, to = append(at, int32(i)), append(to, int32(i+size))
			}
		}
		i += size
	}
	return Skeleton{Text: b.String(), at: append(at, int32(len(text))), to: to}
}

// Span returns the bytes of the original for the bytes from start to end of the skeleton.
func (s *Skeleton) Span(start, end int) (from, until int) {
	if s.at == nil {
		return start, end
	}
	if start == end {
		return int(s.at[start]), int(s.at[start])
	}
	return int(s.at[start]), int(s.to[end-1])
}

// Lookalike returns the ASCII character that a small letter or a sign of another script looks like; otherwise r itself.
func Lookalike(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	if plain, ok := lookalikes[r]; ok {
		return plain
	}
	return r
}

var lookalikes = func() map[rune]rune {
	m := map[rune]rune{}
	for plain, others := range map[rune]string{
		'a': "аɑαᴀꭺ⍺ａ", 'b': "ьʙᏼ", 'c': "сϲᴄⲥꮯꓚ", 'd': "ԁᴅꮷ", 'e': "еєёҽᴇℯꬲ", 'f': "ꜰſꬵ", 'g': "ɡցɢ", 'h': "һհʜꮋ",
		'i': "іїıιɩɪӏⲓꙇ", 'j': "јϳᴊ",
		'k': "кκᴋⲕ", 'l': "ʟⅼ", 'm': "мᴍꮇⲙ", 'n': "ոռпɴηⲛ", 'o': "оοօσᴏⲟⲟ", 'p': "рρᴘⲣ", 'q': "ԛզ", 'r': "гᴦʀⲅꭇꭈ",
		's': "ѕꜱꮪ", 't': "тτᴛⲧ", 'u': "ս∪υʋꭎꭒᴜ",
		'v': "ѵνᴠ∨", 'w': "ԝɯᴡա", 'x': "хχ×ⲭ", 'y': "уγүʏყ", 'z': "ᴢꮓ",
		'<': "‹«〈⟨《⟪❮❬❰ᐸᚲ˂⧼⦑⦓⋖≺⊰≪⋘⪡⫷⪻◁◀◂⏴𝈶⸤", '>': "›»〉⟩》⟫❯❭❱ᐳ˃⧽⦒⦔⋗≻⊱≫⋙⪢⫸⪼▷▶▸⏵𝈷⸥",
		'|': "ǀ∣❘❙❚⏐│┃⎮ⵏ¦‖", '/': "⁄∕╱⟋⧸Ⳇ〳", '[': "〔【⟦⁅❲〚⟬", ']': "〕】⟧⁆❳〛⟭", '(': "❨❪⸨⦅", ')': "❩❫⸩⦆",
		':': "։׃∶꞉⁝︓", '#': "♯⌗",
		'_': "▁", '-': "‐‑‒–—―−⁃",
	} {
		for _, r := range others {
			m[r] = plain
		}
	}
	return m
}()
