package money

// Unit is the unit of a quantity or of a rate, in one spelling: hour, m3, piece. Units that are not known are as the
// text has them, in small letters.
type Unit string

// Piece is the unit of a rate for each one of anything.
const Piece Unit = "piece"

// raised is a length with a modifier in front.
var raised = map[Unit][2]Unit{
	"m": {"m2", "m3"}, "ft": {"ft2", "ft3"}, "yd": {"yd2", "yd3"}, "km": {"km2", "km3"}, "mi": {"mi2", "mi3"},
	"cm": {"cm2", "cm3"},
}

// rate reads the unit of the amount that ends before token i: per hour, /cy, a month, each. It returns "" for an
// amount that stands for itself.
func (r *reader) rate(i int) Unit {
	switch {
	case i >= len(r.tokens) || r.tokens[i].newline:
		return ""
	case r.char(i) == '/':
		return r.denominator(i + 1)
	case r.char(i) == '-' && r.glued(i, other) && r.has(i+1, article): // a $500-a-month flat
		u, _ := r.unit(i + 3)
		return u
	case !r.is(i, word):
		return ""
	}
	e := r.tokens[i].entry
	switch {
	case e.is(per):
		if u := r.denominator(i + 1); u != "" || r.lower(i) != "je" {
			return u
		}
		return Piece
	case e.is(each):
		return Piece
	case e.is(article):
		u, _ := r.unit(i + 1)
		return u
	case e.is(regularly):
		return e.unit
	}
	return ""
}

// denominator reads a unit, or else takes the word, or the number and its word, for one.
func (r *reader) denominator(i int) Unit {
	if u, next := r.unit(i); next > i {
		return u
	}
	switch {
	case r.is(i, word) && !r.tokens[i].newline:
		return Unit(r.lower(i))
	case r.is(i, number) && r.is(i+1, word) && !r.tokens[i+1].newline:
		return Unit(r.lower(i) + " " + r.lower(i+1))
	}
	return ""
}

// unit reads a unit that begins at token i and returns the token after it; i itself if there is none.
func (r *reader) unit(i int) (Unit, int) {
	if !r.is(i, word) {
		return "", i
	}
	e := r.tokens[i].entry
	if e.modifier != "" {
		next := r.skipPoint(i + 1)
		if r.is(next, word) {
			if powers, ok := raised[r.tokens[next].entry.unit]; ok {
				return powers[e.modifier[0]-'2'], r.skipPoint(next + 1)
			}
		}
		return "", i
	}
	if e.unit == "" {
		return "", i
	}
	if powers, ok := raised[e.unit]; ok && r.glued(i+1, number) && len(r.text(i)) <= 2 { // m2
		switch r.text(i + 1) {
		case "2":
			return powers[0], i + 2
		case "3":
			return powers[1], i + 2
		}
	}
	return e.unit, i + 1
}

// skipPoint steps over the point of an abbreviation.
func (r *reader) skipPoint(i int) int {
	if r.char(i) == '.' && r.tokens[i].glued && i+1 < len(r.tokens) && !r.tokens[i+1].newline {
		return i + 1
	}
	return i
}
