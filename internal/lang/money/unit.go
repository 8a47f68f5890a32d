package money

// Unit is what a quantity counts or a rate is for, in one spelling: hour, m3, piece. Units that are not known are as
// the text has them, in small letters.
type Unit string

// Piece is the unit of a rate for each one of anything.
const Piece Unit = "piece"

// units in the singular, SI symbols where there is one, with their spellings in both languages.
var units = map[Unit]string{
	"minute":  "min mins minute minutes minuten",
	"hour":    "h hr hrs hour hours hourly stunde stunden std stündlich",
	"day":     "d day days daily tag tage tagen täglich manntag manntage personentag personentage pt",
	"night":   "night nights nacht nächte",
	"week":    "wk week weeks weekly woche wochen wöchentlich",
	"month":   "mo mon mth month months monthly monat monate monaten monatlich",
	"quarter": "quarter quarterly quartal",
	"year":    "y yr yrs year years yearly annum annually jahr jahre jahren jährlich",
	"mm":      "mm", "cm": "cm", "km": "km kilometer kilometers kilometre kilometres kilometern",
	"m":   "m meter meters metre metres metern lfm",
	"ft":  "ft foot feet lf fuß",
	"yd":  "yd yds yard yards",
	"mi":  "mi mile miles meile meilen",
	"m2":  "m² qm sqm quadratmeter quadratmetern",
	"m3":  "m³ cbm kubikmeter kubikmetern festmeter",
	"ft2": "sf sqft ft²", "ft3": "cf cuft ft³", "yd2": "sy yd²", "yd3": "cy cuyd yd³", "km2": "km²",
	"acre": "acre acres", "ha": "ha hectare hectares hektar",
	"kg": "kg kilo kilos kilogram kilograms kilogramm", "g": "g gram grams gramm", "lb": "lb lbs",
	"oz":    "oz ounce ounces",
	"tonne": "t tonne tonnes tonnen", "ton": "ton tons",
	"l": "l liter liters litre litres litern", "ml": "ml", "gal": "gal gallon gallons",
	"kWh":    "kwh kilowattstunde kilowattstunden",
	"piece":  "pc pcs piece pieces stück stücke stk st ea item items unit units einheit einheiten exemplar",
	"person": "person persons people personen kopf head capita",
	"user":   "user users nutzer benutzer", "seat": "seat seats", "page": "page pages seite seiten",
}

// raised is a length with a modifier in front.
var raised = map[Unit][2]Unit{
	"m": {"m2", "m3"}, "ft": {"ft2", "ft3"}, "yd": {"yd2", "yd3"}, "km": {"km2", "km3"}, "mi": {"mi2", "mi3"},
	"cm": {"cm2", "cm3"},
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

// rate reads what the amount that ends before token i is for: per hour, /cy, a month, each. It returns "" for an amount
// that stands for itself.
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
