package gate

// card returns the length of the payment card number that begins at i, or 0: an issuer's range, its length, groups
// separated by single spaces or dashes, and the Luhn check digit of ISO/IEC 7812. A number inside a longer name (an
// order number, a UUID) does not count.
func card(text string, i int) int {
	if i > 0 && (text[i-1] == '.' || text[i-1] == '+' || text[i-1] == '#' || text[i-1] == '/') {
		return 0
	}
	var digits [19]byte
	n, end := 0, 0
	for k := i; k < len(text) && n < len(digits); k++ {
		if c := text[k]; !isDigit(c) {
			if c != ' ' && c != '-' || k+1 >= len(text) || !isDigit(text[k+1]) {
				break
			}
			continue
		}
		digits[n] = text[k] - '0'
		n++
		if next := k + 1; (next == len(text) || !isWord(text[next]) && text[next] != '-') && issued(digits[:n]) &&
			luhn(digits[:n]) {
			end = next
		}
	}
	return max(0, end-i)
}

// luhn reports whether the last digit is the check digit of the others.
func luhn(digits []byte) bool {
	sum := 0
	for k := range digits {
		d := int(digits[len(digits)-1-k])
		if k%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// issued reports whether the digits are in a range of Visa, Mastercard, American Express, Diners, Discover or JCB and
// have the length of that issuer.
func issued(d []byte) bool {
	if len(d) < 14 {
		return false
	}
	first4 := int(d[0])*1000 + int(d[1])*100 + int(d[2])*10 + int(d[3])
	switch first2 := first4 / 100; {
	case d[0] == 4:
		return len(d) == 16 || len(d) == 19
	case 51 <= first2 && first2 <= 55, 2221 <= first4 && first4 <= 2720:
		return len(d) == 16
	case first2 == 34, first2 == 37:
		return len(d) == 15
	case first2 == 36, first2 == 38:
		return len(d) == 14
	case first4 == 6011, first2 == 65, 3528 <= first4 && first4 <= 3589:
		return len(d) == 16
	}
	return false
}

// ibanLength is the number of characters of an IBAN by country, from the registry of ISO 13616.
var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
	"CH": 21, "CR": 22,
	"CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
	"GB": 22, "GE": 22,
	"GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
	"JO": 30, "KW": 30,
	"KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
	"MT": 31, "MU": 30,
	"NL": 18, "NO": 15, "PK": 24, "PL": 28, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24,
	"SI": 19, "SK": 24,
	"SM": 27, "TN": 24, "TR": 26, "UA": 29, "XK": 20,
}

// iban returns the length of the IBAN that s begins with, or 0: country, its length, and remainder 1 modulo 97. Groups
// of four may be separated by single spaces.
func iban(s string) int {
	if len(s) < 15 || !isDigit(s[2]) || !isDigit(s[3]) || isDigit(s[0]) || isDigit(s[1]) {
		return 0
	}
	want, ok := ibanLength[s[:2]]
	if !ok {
		return 0
	}
	var chars [34]byte
	n, i := 0, 0
	for ; i < len(s) && n < want; i++ {
		switch c := s[i]; {
		case isUpperOrDigit(c):
			chars[n] = c
			n++
		case c == ' ' && n%4 == 0 && s[i-1] != ' ':
		default:
			return 0
		}
	}
	if n < want || i < len(s) && isWord(s[i]) {
		return 0
	}
	rest := 0
	for k := range n {
		c := chars[(k+4)%n] // country and check digits are counted last
		if isDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	if rest != 1 {
		return 0
	}
	return i
}
