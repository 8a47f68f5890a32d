package extract

import (
	"slices"
	"strings"

	"github.com/trilith-memory/trilith/internal/money"
)

// kindIn is the kind of an amount by the words of its whole sentence, where the nearest word tells another or none.
func kindIn(kind money.Kind, before, after string, isApproximate bool) money.Kind {
	around := before + amountMark + after
	isBill := kind == money.Invoice || kind == money.Payment
	switch {
	case crediting.MatchString(before) && (isBill || kind == ""), forgiving.MatchString(after):
		return money.CreditNote // the invoice is the one that it is about
	case isBill && refunding.MatchString(before), returning.MatchString(after):
		return money.Refund
	case (kind == "" || kind == money.Payment) && addingTo.MatchString(before),
		kind == "" && summing.MatchString(before) && onTop.MatchString(after),
		(kind == "" || kind == money.Quote) && wanting.MatchString(before) && additional.MatchString(after):
		return money.ChangeOrder
	case kind == "" && pricing.MatchString(before):
		return money.Quote
	case kind == "" && (sending.MatchString(before) || goneOut.MatchString(after) || doing.MatchString(around)):
		return money.Payment
	case kind == "" && contracted.MatchString(around):
		return money.HardCost
	case kind == "" && (demanding.MatchString(before) || charges.MatchString(around) ||
		offering.MatchString(before)):
		return money.Quote
	case kind == "" && giving.MatchString(around):
		return money.Budget
	case kind == "" && billedBy.MatchString(around):
		return money.Invoice
	case kind == "" && isApproximate && willCost.MatchString(before):
		return money.Estimate
	}
	return kind
}

// isMeant reports whether a word that mostly wishes says what is so of an amount: an estimate is no more than a wish, a
// budget is what somebody would like to spend, what others want more is what they ask for, and in a project what a
// party would take is its price.
func isMeant(kind money.Kind, wish, sentence string, inProject bool) bool {
	switch kind {
	case money.Estimate, money.Budget:
		return true
	case money.ChangeOrder, money.Quote:
		return (strings.HasPrefix(wish, "möchte") || inProject && othersWould[wish]) &&
			!ourWish.MatchString(sentence)
	}
	return false
}

// isElsewhere reports whether an amount is none of the project: somebody else's, another project's, denied,
// supposed, or how far two others are apart.
func isElsewhere(sentence, before, after string) bool {
	holds := func(s string, of ...pattern) bool {
		return slices.ContainsFunc(of, func(p pattern) bool { return p.MatchString(s) })
	}
	return holds(before, formerly, staying, endingUp) || holds(after, comparing, deniedAfter) ||
		holds(sentence, verbFirst, elsewhere, othersPay)
}

// amountMark stands for the amount in its sentence; patterns below call it \x01.
const amountMark = "\x01"

var (
	crediting  = compiled(`(?i)(?:\bcredit (?:notes?|of|for)\b|\bcredited\b|gutschrift|\bnachlass\b)`)
	forgiving  = compiled(`(?i)^\s+(?:ab(?:[.,;!]|$)|credit\b|rebate|discount|nachlass|nachgelassen|erlassen|rabatt|off\b|gut(?:[.,;!]|$)|gutgeschrieben)`) // schreibt uns 380 € gut
	refunding  = compiled(`(?i)(?:\brefund(?:s|ed)?\b|\b(?:returned|gave back|sent back|given back|handed back)\s(?:us\s)?(?:our|the|my)\s(?:deposit|money|down payment|advance)\b|erstattung|erstattet\b|\bzurückgezahlt\b)`)
	returning  = compiled(`(?i)^\s+(?:back\b|zurück\b|zurück(?:bekommen|erhalten|gezahlt|überwiesen|erstattet)|(?:wieder)?erstattet)`)
	addingTo   = compiled(`(?i)(?:\bneeds?|\bwants?|\basks?(?: for)?|\bcharges?|\bbraucht|\bbrauchen|\bverlangt|\bmöchten?|\bwollen|\bwill|\bfor|\bhaben)\s+(?:an\s+)?(?:extra|another|additional|further|noch(?:mal)?|weitere|zusätzlich)\s+$`)
	demanding  = compiled(`(?:^|[\s,])(?i:wants?|asks?(?: for)?|asked for|(?:is|are) asking(?: for)?|verlangt|verlangen|wollen|will|möchten?|needs?|braucht|brauchen)\s+(?i:(?:us to pay|jetzt|now|an|noch)\s+)*$`)
	wanting    = compiled(`(?i)(?:^|[\s,])(?:wants?|asks?|needs?|requires?|verlangt|verlangen|wollen|will|möchten?|braucht|brauchen|bräuchten?|fordert|fordern)\s`)
	summing    = compiled(`(?i)\b(?:that['’]s|that is|adds?|makes|das sind|das macht|macht|kommen)\s+(?:another\s+|noch\s+)?$`)
	onTop      = compiled(`(?i)^\s+(?:on top|extra|zusätzlich|obendrauf|dazu)\b(?:[^?]*$)`)
	contracted = compiled(`(?i)\b(?:costs?|kostet|kosten|for|für|price)\b[^;!?]*\x01[^;!?]*\b(?:signed|booked|gebucht|unterschrieben)\b`)
	charges    = compiled(`(?i)\b(?:nimmt|nehmen|takes?)\s\x01|\bruf(?:t|en)\s\x01[^.;!?]*\sauf\b`)
	additional = compiled(`(?i)^\s+(?:extra|more|on top|in addition|zusätzlich|mehr)\b`)
	offering   = compiled(`(?i)(?:(?:^|[\s:,])(?:is|are|lies?|stands?) at|(?:^|\s)(?:liegt|liegen|kommt|kommen)(?:\s\pL+){0,2} (?:bei|auf)|(?:^|\s)came back (?:at|with))\s+$`)
	pricing    = compiled(`(?i)(?:^|\s)(?:gave|given|named)(?: us| me)? (?:a|the|their|his|her) (?:price|figure) of\s+$`)
	sending    = compiled(`(?i)(?:^|[\s,;:])(?:sent|wired|gave|handed|wire) (?:it to )?(?:them|him|her|\p{Lu}[\pL&.’'-]*(?: (?:& )?\p{Lu}[\pL&.’'-]*)*) (?:the |their |another |our )?$|(?:^|[\s,;:])(?:sent|wired|gave) (?:the )?$|(?:^|\s)(?:remaining|outstanding|last) $|(?:^|[\s,])(?:raus|weg)(?: ging(?:en)?)?:?\s+$`)
	goneOut    = compiled(`(?i)^,? (?:is|are) on (?:its|their|the) way\b|^\s+(?:(?:for|to|an|für) (?:the |die |den )?(?-i:\p{Lu})[\pL&.’' -]{1,30} )?(?:sent\b|(?:sind|ist) (?:\pL+ ){0,2}(?:raus|weg|unterwegs|bei (?:ihnen|ihm|ihr)|auf dem konto)\b|(?:went|has gone|have gone|is|are) (?:out|off|to)\b|(?:has |have )?left (?:our|the|my) (?:account|bank)\b|(?:wurden?|ist|sind) (?:\pL+ ){0,2}(?:abgebucht|abgegangen|raus|rausgegangen|angewiesen)\b|(?:cash|in bar|bar)\b)`)
	doing      = compiled(`(?i)^(?:(?:erledigt|done|sent|ok|okay|so|also|raus)[,:!]? )+\x01\s+(?:to|an)\s|\x01\s+(?:to|an)\s[^.;!?]{2,50}(?:,\s|\s[–-]\s)(?:done|erledigt|gesendet|sent|raus)\b|\x01\s+(?:to|an)\s\p{Lu}[^.;!?,]{1,40}\s(?:today|yesterday|this (?:morning|week|afternoon)|on \pL+day|heute|gestern|am \pL+tag)\b|\b(?:sind|ist|gehen|gingen|ging)\s\x01\s(?:raus|weg|unterwegs|rausgegangen|(?:an|to)\s\p{Lu})|\b(?:hat|haben) (?:sein|ihr|das) geld\b[^;.!?]{0,12}\x01`)
	giving     = compiled(`(?i)\b(?:keep|reserve|put aside|gives? us|gave us|granted us|get|gets)\s+\x01\s+(?:of (?:it|that|this)|for)\b|\bof (?:it|that|this),? (?:I'd|we|we'd|I) (?:keep|reserve)\b[^.;!?]*\x01\s+for\b|\b(?:gives?|gave|granted) us \x01|\b(?:can|may|könn(?:en)?|dürfen) (?:wir )?(?:spend )?\x01[^.;!?]*\b(?:overall|in total|on the|altogether|ausgeben)\b|\bapproved \x01 for\b|\b(?:have|have got|['’]ve got|got|haben)\s\x01\s(?:in total|overall|altogether|insgesamt)\b|\bhave \x01 (?:to spend|available|for (?:the|this) (?:whole|entire|project|\pL+ move))|\b(?:möchten?|will|wollen|sollten|sollen) (?:ich|wir) \x01[^.;!?]*\b(?:reservieren|einplanen|zurücklegen)\b|\bstehen (?:uns )?\x01 zur verfügung`)
	billedBy   = compiled(`(?i)\x01[^.;!?]*[(,]\s*(?:no\.?\s|nr\.?\s)?(?-i:RE|RG|INV|Re)[ .-]{0,2}\d|\b(?-i:RE|RG|INV)[ .-]{0,2}\d[\d/-]*\)?[^.;!?\d]*\x01|\b[Aa]bschlag(?:srechnung)?\b[^.;!?]*\x01`)
	willCost   = compiled(`(?i)\b(?:(?:will |should )?sets? (?:us|me) back|(?:is|are) (?:probably |likely )?going to (?:be|cost|run)|will (?:probably |likely |maybe )?(?:be|cost|land|come|run)|will (?:cost|run)(?: us| me)?|should (?:cost|run us|come to|be)|ought to (?:cost|be)|will come to|will be|is going to cost|wird|werden|dürfte|kosten wird)\b`)
	ourWish    = compiled(`(?i)\b(?:I|we) would\b|\b(?:ich|wir) (?:würden?|wären?)\b|\b(?:ich|wir) möchten?\b|\bmöchten? (?:ich|wir)\b`)
	estimating = compiled(`(?i)\b(?:schätz\w*|reckon|estimate)\b`)
	intended   = compiled(`(?i)\b(?:(?:I|we|you|they|he|she)(?:['’]ll| will| shall)|(?:is|are|am|['’]re|['’]m) going to|let['’]s|please|need to|have to|must|plan to|want to|bitte|werden?|müssen|muss|soll(?:en|te)?|(?:zahle|überweise|begleiche) ich|(?:zahlen|überweisen|begleichen) wir|wir (?:zahlen|überweisen|begleichen)|ich (?:zahle|überweise|begleiche))\b`)
	promised   = compiled(`(?i)(?:^|\s)(?:überweist|überweisen) (?:uns|mir)\b|\b(?:zahlt uns|(?:is|are|['’]re|['’]s) (?:giving|sending|paying|refunding|crediting|coming|on (?:its|the) way)|will|going to|would|should|asked for|demand|wird|werden|soll|sollen|würde|fordern)\b`)

	deducted = compiled(`(?i)(?:\bless|\bminus|\babzüglich|\bnach abzug|\bnet of)(?:\s(?:the|our|your|der|die|den|von))?\s+$`)

	// An amount that somebody else pays, or that says how far two others are apart, is none of the project.
	formerly    = compiled(`(?i)(?:^|\s)(?:statt|anstatt|anstelle von|instead of|rather than|in place of|(?:down|up) from|previously|vorher|zuvor|bisher)\s+(?:the\s|der\s|den\s|die\s)?$`)
	comparing   = compiled(`(?i)^\s+(?:zu viel|zu wenig|zuviel|zuwenig|mehr als|weniger|billiger|günstiger|teurer|über dem|unter dem|too (?:much|little|high|low)|more than|less|above|below|under|over (?:the|our|what)|cheaper|dearer|short|(?:a|per|pro|je) (?:head|person|kopf|nase|guest|gast|seat|platz|child|kind))\b`)
	staying     = compiled(`(?i)\b(?:under|below|over|within|unter dem|über dem|im) (?:the )?budget\b`)
	deniedAfter = compiled(`(?i)^[^.,;!?]{0,30}\s(?:nicht|nie|niemals|never|not|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|hasn['’]t|haven['’]t)\s(?:yet\b|been\b|paid|due|\pL+(?:en|t)\b)`)
	endingUp    = compiled(`(?i)\b(?:ended up|ending up|end up|landed|came out|finished|wound up) (?:at|with|on)\b`)
	elsewhere   = compiled(`(?i)(?:\b(?:told|tells) (?:me|us) (?:that )?(?:he|she|they)\b|\b(?:erzählte?|sagte) (?:mir|uns),? (?:dass )?(?:er|sie)\b|\bzum vergleich\b|\bfor comparison\b|\bbe(?:im|i der) (?:letzten|vorigen|alten) \pL+|\bim letzten projekt\b|\b(?:on|at|in|for|from) (?:the|our|my) (?:last|previous|old|former) (?:project|job|site|house|building|office|shop|\pL+)\b|` +
		`\b(?:an|in|auf|bei) (?:meine[rmn]|unsere[rmn]|der|dem) (?:alten|letzten|vorigen|früheren) \pL+|\b(?:last|previous) year['’]s\b|\bletztes jahr\b|\bvoriges jahr\b|\blast year\b|\bback in (?:19|20)\d\d\b|\bnebenan\b|\bnext door\b|\bthe other (?:festival|project|site|school|house|team|firm|company)\b|\bi hear\b|\b(?:bei(?:m)?|im|in) projekt \p{Lu}|` +
		`\bbehaupte[nt]?\b|\bclaims?\b|\ballegedly\b|\bangeblich\b|\bstimmt (?:aber )?nicht\b)`)
	verbFirst = compiled(`^(?:Should|Were|Had|Sollten?|Hätten?|Wären?|Würden?|Müssten?|Angenommen|Gesetzt)\s`) // a condition without its if
	othersPay = compiled(`(?i)\b(?:my|our|his|her|their|meine?|unsere?|seine?|ihre?) (?:sister|brother|mother|father|parents|neighbou?rs?|friends?|cousin|uncle|aunt|colleagues?|daughter|son|schwester|bruder|mutter|vater|eltern|nachbarn?|nachbarin|freunde?|freundin|cousine?|onkel|tante|kollegen?|kollegin|tochter|sohn|schwager|schwägerin)\b[^.;!?]*\b(?:paid|pays?|spent|spends?|hat|haben|zahlte|zahlten|zahlt|zahlen)\b`)

	netPrice   = compiled(`(?i)^\s*(?:\(?(?:netto|net|zzgl\.?(?: \pL+)?|excl\.?(?: VAT)?|plus VAT|ohne MwSt\.?)\)?)[\s,;(=/–-]*(?:sind|ist|macht|also|i\.e\.|or|oder|bzw\.?|so|that is|=|\s)*\(?$`)
	grossPrice = compiled(`(?i)^\s*\(?(?:brutto|gross|inkl\.?|incl\.?|mit MwSt|with VAT)`)
	grossFirst = compiled(`(?i)^\s*\(?(?:brutto|gross|inkl\.? (?:MwSt|USt)\.?|incl\.? VAT)\)?[\s,;(=/–-]*(?:oder|or|bzw\.?|also|i\.e\.|\s)*\(?$`)
)

// grossOf makes one amount of a price that is given without its tax and with it: the one with it, which is to be paid.
func grossOf(text string, amounts []money.Amount) []money.Amount {
	out := slices.Clone(amounts[:min(1, len(amounts))])
	for _, a := range amounts[len(out):] {
		last := &out[len(out)-1]
		between, behind := text[last.End:a.Start], text[a.End:]
		switch {
		case last.Currency != a.Currency:
		case netPrice.MatchString(between) && grossPrice.MatchString(behind):
			a.Start = last.Start
			*last = a
			continue
		case grossFirst.MatchString(between) && isNet.MatchString(behind):
			last.End = a.End
			continue
		}
		out = append(out, a)
	}
	return out
}

var isNet = compiled(`(?i)^\s*(?:netto|net|zzgl|excl)\b`)
