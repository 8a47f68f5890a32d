package extract

var (
	// Where the thing is that an amount is for, before the amount and behind it.
	itemBefore = []pattern{
		compiled(`(?i)\b(?:budget|quote|estimate|offer|invoice|bid|price|payment|deposit|change order)\s+for\s+(?:the\s+|our\s+|a\s+)?([\pL-]+)`),
		compiled(`(?i)(?:^|\s)(?:budget|angebot|rechnung|schätzung|preis|kostenvoranschlag)\s+für(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
		compiled(`(?i)\b(?:quote|offer|invoice|bid|change order)\s[^.;:,]{1,40}?\sfor\s+(?:the|our)\s+([\pL-]+)`),
		compiled(`(?i)(?:^|\s)(?:angebot|[\pL]*rechnung|nachtrag|kostenvoranschlag)\s[^.;:,]{1,40}?\sfür(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
		compiled(`(?i)^für(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
		compiled(`(?i)\bfor the ([\pL-]+) (?:alone )?$`),
		compiled(`(?i)\b(?:the|a|my)\s+(deposit|rent|fee|fine)\s+of\s+$`),
		compiled(`(?i)^(?:the|my|our|a|der|die|das|unser|unsere|meine?)\s+([\pL-]+)\s+(?:costs?|kostet|is priced)\b`),
		compiled(`(?i)^(?:\pL+ing\s+)(?:the|our|all)\s+([\pL-]+)\s+(?:will|costs?|should)\b`),
		compiled(`(?i)^([\pL-]{4,})\s+(?:will cost|is going to cost|costs|kostet|wird\s[^.;!?]*kosten|dürfte\s[^.;!?]*kosten)\b`),
		compiled(`(?i)\b(?:invoice|rechnung|quote|angebot)\W+(?:no\.?\s*|nr\.?\s*)?([A-Z]{1,6}-?\d[\w-]*)\b`),
	}
	itemOfParty = compiled(`^([\pL-]{3,})\s(?:from|by|von|bei)\s\p{Lu}`) // "Küche von Holzwerk Nord: …"
	itemAfter   = []pattern{
		compiled(`(?i)^(?:\s(?:extra|more|on top))?\s+(?:on|for)\s+(?:the|our|my)\s+([\pL-]+)`),
		compiled(`(?i)^\s+(?:is |are |as )?(?:the )?(?:budget|estimate|quote) for (?:the |our )?([\pL-]+)`),
		compiled(`(?i)^\s+(?:das |als |ist |sind )*(?:budget|angebot) für(?:s| (?:die|den|das|unsere?n?)) ([\pL-]+)`),
		compiled(`(?i)^\s+for\s+(?:the|our|my)\s+([\pL-]+)`),
		compiled(`(?i)^\s+für(?:s|\s+(?:die|den|das|unsere?n?))\s+([\pL-]+)`),
	}
)

// notItems follow "for the" and tell a time or a number.
var notItems = wordSet("corrected revised updated final new old total whole overall current monthly korrigierte neue alte gesamte one two three four five six seven eight nine ten first next last whole same week month year day hour rest time ersten nächsten letzten ganzen woche monat jahr tag rest")

func itemOf(before, after string) string {
	for _, re := range itemBefore {
		if m := re.FindStringSubmatch(before); m != nil && !notItems[lower(m[1])] {
			return m[1]
		}
	}
	if m := itemOfPaper.FindStringSubmatch(before); m != nil && !notItems[lower(m[1])] && !paperSorts[lower(m[1])] {
		return m[1]
	}
	for _, re := range itemAfter {
		if m := re.FindStringSubmatch(after); m != nil && !notItems[lower(m[1])] {
			return m[1]
		}
	}
	if what := compoundItem(before); what != "" {
		return what
	}
	if m := itemOfParty.FindStringSubmatch(before); m != nil && !notItems[lower(m[1])] && !paperSorts[lower(m[1])] &&
		!headings[lower(m[1])] {
		return m[1]
	}
	m := itemAnywhere.FindStringSubmatch(before)
	if m == nil || notItems[lower(m[1])] {
		return ""
	}
	return m[1]
}

// itemOfPaper is what a paper is called by, if that is no sort of paper.
var (
	itemOfPaper = compiled(`(?i)(?:\bthe|['’]s)\s+([\pL-]+)\s+(?:budget|quote|estimate|invoice|bid|offer)\b`)
	paperSorts  = wordSet("deposit advance balance second third interim progress official written formal own last late")
)

// headings begin a note and are nothing that is ordered.
var headings = wordSet("update news note info fyi done reminder question invoice bill quote offer estimate bid payment deposit refund " +
	"also ok okay erledigt notiz nachtrag angebot rechnung gutschrift zahlung anzahlung frage stand neu neues money cash budget")

// itemAnywhere is what something is for, anywhere before the amount.
var itemAnywhere = compiled(`(?i)^.*\s(?:for\s+(?:the|our)|für(?:s|\s+(?:die|den|das|unsere?n?)))\s+([\pL-]+)`)
