package extract

import "github.com/trilith-memory/trilith/internal/money"

// What people of a project say of money leaves more out than a bill or an order does: "Echo Lane are asking 5,200",
// "that's 700 on top", "sent". In a project such words tell what an amount is; elsewhere they may tell anything.

// kindInProject is the kind of an amount of a project, by the words of its sentence and of the one after it.
func (p *page) kindInProject(kind money.Kind, a stated, s *sentence, before, after string) money.Kind {
	kind = projectKind(kind, before, after, a.Approximate)
	rate := a.rate - s.start
	switch isOpen := kind == ""; {
	case isOpen && a.product && rate > 0 && rate < len(before) &&
		(offering.MatchString(before[:rate]) || pricedAt.MatchString(before[:rate])):
		return money.Quote
	case (isOpen || kind == money.Quote || kind == money.Payment) && downFirst.MatchString(before) &&
		metAfter.MatchString(p.turn.Text[s.end:]):
		return money.Payment
	case isOpen && !a.product && !p.isAnswer(s):
		return p.priceOf(before, p.clauseOf(a, s), after, a.Approximate)
	}
	return kind
}

// projectKind is the kind by the words of the sentence alone: what these patterns say first, then those of [kindIn],
// then what no other word tells.
func projectKind(kind money.Kind, before, after string, isApproximate bool) money.Kind {
	around := before + amountMark + after
	isCredit := crediting.MatchString(before) || forgiving.MatchString(after)
	switch {
	case kind == money.Invoice && chargesUs.MatchString(before):
		return money.Quote
	case receiving.MatchString(around) && !ourDoing.MatchString(before), paidBack.MatchString(around),
		demandMet.MatchString(around):
		return money.Payment
	case forgone.MatchString(before):
		return money.CreditNote
	case !isCredit && !returning.MatchString(after) && (granting.MatchString(before) || addingOwn.MatchString(around)):
		return money.Budget
	case kind == money.Payment && wanting.MatchString(before) && additional.MatchString(after),
		kind == "" && adding.MatchString(around) && !isCredit:
		return money.ChangeOrder
	case kind == "" && available.MatchString(around) && (!limited.MatchString(before) || inIt.MatchString(after)):
		return money.Budget
	}
	if kind = kindIn(kind, before, after, isApproximate); kind != "" {
		return kind
	}
	switch {
	case handing.MatchString(around), alsoTo.MatchString(around):
		return money.Payment
	case ordering.MatchString(around), spending.MatchString(around):
		return money.HardCost
	case performing.MatchString(around), pricedAt.MatchString(before), asOffered.MatchString(after):
		return money.Quote
	}
	return ""
}

// priceOf is what an amount of a project is of which no word says what it is: what a party names is its price, what
// something will come to is an estimate, and what it came to is a cost.
func (p *page) priceOf(before, clause, after string, approximate bool) money.Kind {
	switch {
	case approximate && willCost.MatchString(before):
		return money.Estimate
	case cameTo.MatchString(before + amountMark + after):
		return money.HardCost
	case costing.MatchString(before) && !approximate:
		return money.Quote
	case ourDoing.MatchString(before), arrived.MatchString(after), following.MatchString(after),
		repeated.MatchString(before + after):
		return ""
	}
	switch about := p.matter(before, clause, after, ""); {
	case about.Party == "" || about.Number != "": // the number is of a paper that is known
		return ""
	case approximate:
		return money.Estimate
	}
	return money.Quote
}

// othersWould are wishes by which a party names its price.
var othersWould = wordSet("would wäre wären würde würden")

var (
	// chargesUs is a price that somebody names, and no bill that has come.
	chargesUs = compiled(`(?i)\bberechne(?:t|n) (?:uns|mir|dafür|für)\b[^.;!?]*$`)
	// granting is done by those who pay for the project, addingOwn by its people.
	granting  = compiled(`(?i)\b(?:lends?|lent|lend|loaned|gave|gives?|granted|grants?|awarded|awards?|approved|approves|allotted|pledged|promised|allowed|allows?) us (?:\pL+ ){0,2}$|\b(?:gab|gibt|geben|bewilligt|bewilligte|genehmigt|genehmigte|gewährt) uns (?:\pL+ ){0,2}$`)
	addingOwn = compiled(`(?i)\b(?:legen|lege|geben|gebe) (?:wir |ich )?(?:\pL+ )?\x01 (?:drauf|dazu)\b|\b(?:we|I) (?:add|chip in|put in|contribute) \x01\b`)
	available = compiled(`(?i)\bcan put (?:\pL+ ){0,2}\x01 (?:into|towards|in)\b|\b(?:insgesamt|zusammen) (?:haben|hätten) wir (?:\pL+ ){0,2}\x01|\b(?:in total|altogether|all in all) (?:we have|we['’]ve got|there is) (?:\pL+ ){0,2}\x01|\b(?:have|has|got|['’]ve) (?:got )?\x01 (?:from|for|von|für)\b|\x01[^.;!?]*\b(?:ceiling|limit|maximum|all we (?:have|'ve got)|cap|obergrenze|mehr ist nicht drin)\b|\b(?:raised|collected|saved|crowdfunded|gesammelt|eingeworben) (?:\pL+ ){0,2}\x01|\x01 (?:\pL+ )?drin\b|\b(?:can|could|may|able to|allowed to) (?:only )?spend (?:\pL+ ){0,2}\x01|\b(?:have|has|got|['’]ve) (?:\pL+ ){0,2}\x01 (?:\pL+ ){0,2}(?:to spend|together|saved|put by|to work with|to play with|available|in the (?:pot|kitty|bank))\b|` +
		`\b(?:limit|cap|ceiling|pot|kitty|funding|grant|maximum) (?:is|of|stands at) (?:\pL+ ){0,2}\x01|\b(?:haben|hat|habe)(?: wir| ich)? (?:\pL+ ){0,2}\x01 (?:\pL+ ){0,2}(?:zusammen|angespart|gespart|zur verfügung|in der kasse|auf dem konto|übrig)|` +
		`\b(?:obergrenze|deckel|limit|rahmen|topf|fördersumme|zuschuss) (?:ist|von|liegt bei|beträgt)\D{0,12}\x01|\x01 (?:dürfen|können) (?:wir|es) \pL*(?:ausgeben|kosten)|\b(?:mehr als|über) \x01 (?:darf|können wir|geht) `)
	inIt = compiled(`(?i)^ (?:\pL+ )?drin\b`)

	receiving = compiled(`(?:^|[,;] )\p{Lu}[\pL&.-]*(?: \p{Lu}[\pL&.-]*)* (?:hat|haben|has|have) (?:\pL+ ){0,3}\x01 (?:bekommen|erhalten|received)\b`)
	paidBack  = compiled(`(?i)\b(?:given|gave|give|paid|sent|refunded) (?:(?:(?-i:\p{Lu})[\pL.]+ ){1,3}|him |her |me )(?:his|her|their|my|the) \x01(?: back)?\b|\x01 (?:on|to|with|von|auf|mit) (?:my|our|the|his|her|meiner|der|unserer) (?:\pL+ )?(?:card|karte|kreditkarte)\b|\b(?:has|have|had|got|gets|hat|haben|bekam|bekommt) (?:now |jetzt |heute )?(?:seine|ihre|his|her|their|my|meine) \x01 (?:zurück|back|wieder)|\b(?:reimbursed|refunded) (?:him|her|me|\p{Lu}\pL+)(?: the| for)?(?: \pL+){0,2} \x01`)
	// demandMet is a demand with the word that it was paid, downFirst one for a part, metAfter the sentence after it.
	demandMet = compiled(`(?i)\x01[^.;!?]*\s(?:[–—-]|and|und) (?:sent|paid|done|transferred|wired|überwiesen|bezahlt|erledigt|raus)\b[.! ]*$|\x01[^.;!?]*, (?:(?:and |so )?(?:I|we)(?:['’]ve| have)? (?:just |already )?(?:sent|paid|wired|transferred)(?: it| that| them)?|(?:(?:die|das|sie) )?(?:habe|haben) (?:ich|wir) (?:\pL+ ){0,2}(?:überwiesen|bezahlt|gezahlt))\b[^,;]*$|\x01[^.;!?]*, (?:(?:ist|sind) (?:schon |bereits |heute |gestern )*)?(?:transferred|sent|paid|wired|überwiesen|bezahlt|angewiesen|raus)(?: \pL+){0,2}[.!]*$|\x01,? (?:gingen|ging|sind) (?:(?:heute|gestern|eben|gerade|schon|bereits|vorhin|jetzt) )*(?:raus|weg|an sie|an ihn)\b`)
	downFirst = compiled(`(?i)\b(?:down|deposit|up front|upfront|in advance|advance|first|vorab|anzahlung|vorkasse|im voraus)\b[^.;!?]*$|\b(?:want|wants|ask|asks|asked for|need|needs|require|requires|verlangt|verlangen|will|wollen|möchten?|fordert) (?:us to pay )?(?:\pL+ ){0,2}$`)
	metAfter  = compiled(`(?i)^\s*(?:(?:I|we|ich|wir|just|already|have|habe|haben|schon|heute|und|and|ok|[’']ve)[, ]+)*(?:sent|paid|wired|transferred|done|überwiesen|bezahlt|erledigt|raus)\b`)
	alsoTo    = compiled(`(?i)^(?:(?:now|and|also|today|yesterday|then|the|jetzt|nun|und|auch|heute|gestern|dann|die|das|remaining|restlichen|other|last|letzten)[, ]+)+\x01 (?:to|an) (?:die |the |firma )?(?-i:\p{Lu})[^,;!?]*$|\b(?:sind|ist|gehen|gingen|ging)\s\x01\s\pL+ (?:raus|weg|unterwegs)\b`)
	handing   = compiled(`(?i)\b(?:withdrew|handed (?:it |them )?over|direct debit|bank transfer|gone through|put down|squared up|abgebucht|lastschrift|angezahlt|vorschuss|retainer|advance (?:of|payment))\b`)
	// following is an amount that is to come: "4,080 follow in June".
	following = compiled(`(?i)^\s+(?:folgt|folgen|follows?|to follow|(?:is|are) (?:due|outstanding|still open|to follow)|(?:ist|sind) (?:noch )?(?:offen|fällig)|kommt später|kommen später|later\b|später\b)`)

	forgone = compiled(`(?i)\blets? (?:us|me) off (?:the |another )?$|\b(?:knocks?|knocked|takes?|took|taking|knocking) off (?:another |the )?$|\b(?:waives?|waived|forgoes|erlässt|erließ|erlassen) (?:us |uns )?(?:the |die )?$|\blässt (?:uns )?$`)
	adding  = compiled(`(?i)\b(?:by|um) \x01 (?:\pL+ ){0,2}(?:erhöht|angehoben|gestiegen|teurer|aufgeschlagen|verteuert)|\b(?:raised|increased|put up|bumped|upped) (?:\pL+ ){0,4}by (?:\pL+ )?\x01|\b(?:goes|went|gone|is|are) up (?:by )?\x01|\bschlägt (?:\pL+ )?\x01 (?:drauf|auf)|(?:\badds?|\badding|\badded|\bwill add|\bcharges? another|\bcharged another)\s\x01|(?:^|[\s,.])(?:an )?(?:extra|additional|another)\s\x01|\x01 (?:more|extra|on top|mehr|zusätzlich|obendrauf|teurer)\b|\b(?:noch(?: ein)?mal|zusätzlich|weitere|extra)\s\x01|\bkommen (?:noch |nochmal )?\x01 (?:dazu|hinzu|drauf|obendrauf)`)

	ordering   = compiled(`(?i)\b(?:signed|booked|hired|rented|gebucht|unterschrieben|gemietet|angeheuert)\b[^;!?]*\x01|\x01[^;!?]*\b(?:(?:we|I)(?:['’]ve| have)? (?:booked|hired|rented|signed|ordered)|gebucht|gemietet|bestellt|unterschrieben)\b|\b(?:costs?|kostet|kosten)\s\x01\s(?:with|at|from|bei|von)\s(?-i:\p{Lu})`)
	spending   = compiled(`(?i)\b(?:spent|bought|purchased|picked up|ausgegeben|gekauft|eingekauft|ausgelegt|auslagen|besorgt)\b`)
	performing = compiled(`(?i)\b(?:does|do|did|would do|will do|can do|could do|builds?|will build|makes?|will make|suppl(?:y|ies)|installs?|fits?|paints?|prints?|delivers?|provides?|handles?|takes? (?:it|the|on)|cater)\b[^.;!?]*\b(?:for|at) (?:\pL+ ){0,2}\x01|` +
		`\b(?:macht|machen|baut|bauen|liefert|liefern|übernimmt|übernehmen|erledigt|erledigen|streicht|streichen|verlegt|verlegen|montiert|druckt|drucken|stellt|kocht|spielt|spielen|vermietet|repariert)\b[^.;!?]*\bfür (?:\pL+ ){0,2}\x01|` +
		`\b(?:will|wollen|möchten?|hätten? gern|würden?)\b[^.;!?]*\x01 (?:\pL+ )?(?:haben|nehmen|verlangen|berechnen)\b`)
	pricedAt  = compiled(`(?i)(?:\b(?:war|waren|was|were) (?:mit|with|at|bei)|(?:^|\s)(?:läge|lägen|wäre|wären|kam|kamen)(?:\s\pL+){0,2} (?:bei|auf))\s+$|\bputs? [^.;!?]{2,40} at $|\b(?:is|are) (?:charging|asking)(?: us| for)?\s$|\bberechnet (?:uns|mir|dafür|für)\b[^.;!?]*$|^[^.;:!?]{2,40}\s(?:from|by|at|von|bei)\s(?-i:\p{Lu})[\pL&. -]{1,40}:\s+$|\b(?:costs?|kostet|kosten|läge|lägen|wäre|would be)\s(?:\pL+ )?(?:with|at|from|bei|von)\s(?-i:\p{Lu})[^.;!?]*$|\b(?:price|figure|tender|preis|satz|summe)\b[^.;!?]{0,30}$|(?:^|\s)(?:says?|said|sagt|sagen|nennt|nennen|nannte|reckons?|comes? in at|came in at|['’]d like|would like|(?:is|are) asking(?: for)?|am asking|quotes?|kalkuliert mit|ruft|aufgerufen)\s(?:\pL+\s){0,2}$`)
	asOffered = compiled(`(?i)^\s+(?:laut|gemäß|as per|per|according to) (?:(?:the|their|its|dem|ihrem|seinem) )?(?:angebot|quote|offer|proposal|quotation)\b[^.;!?]{0,12}\d`)

	// cameTo is said of what something has cost, ourDoing of what the speaker does or has with money.
	cameTo   = compiled(`(?i)\b(?:war|waren|was|were) \x01 (?:bei|at|from|von)\b|\x01 angefallen\b|\b(?:came|comes|added up|amounted) to \x01|\b(?:cost|has cost|have cost)(?: us| me)? \x01|\x01 gekostet\b|\bkostete(?:n)? (?:uns )?\x01`)
	ourDoing = compiled(`(?i)(?:^|[\s,])(?:I|we|ich|wir|I['’]ve|we['’]ve|I['’]m|my|mein|meine|unser|unsere|our)\s(?:\pL+\s){0,4}$`)
	arrived  = compiled(`(?i)^[^.;!?]{0,40}\s(?:arrived|(?:is|are|came|has come) in|ist da|sind da|angekommen|eingegangen|gekommen)\b`)
	repeated = compiled(`(?i)\b(?:again|a second time|twice|nochmals?|noch einmal|erneut|wieder|ein zweites mal|still)\b`)
)
