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

// iban returns the length of the IBAN that s begins with, or 0: country, its length, and remainder 1 modulo 97. Groups
// of four may be separated by single spaces.
func iban(s string) int {
	if len(s) < 15 || !isDigit(s[2]) || !isDigit(s[3]) || isDigit(s[0]) || isDigit(s[1]) {
		return 0
	}
	want, ok := secrets.ibans[s[:2]]
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
