package extract

import (
	"slices"
	"strings"

	"github.com/cairn-memory/cairn/internal/money"
)

// kindIn is the kind of an amount by the words of its whole sentence, where the nearest word tells another or none.
func kindIn(kind money.Kind, before, after string, isApproximate bool) money.Kind {
	around := before + amountMark + after
	isBill := kind == money.Invoice || kind == money.Payment
	switch {
	case kind == money.Invoice && chargesUs.MatchString(before):
		return money.Quote
	case receiving.MatchString(around) && !ourDoing.MatchString(before), paidBack.MatchString(around),
		demandMet.MatchString(around):
		return money.Payment
	case crediting.MatchString(before) && (isBill || kind == ""), forgiving.MatchString(after),
		forgone.MatchString(before):
		return money.CreditNote // the invoice is the one that it is about
	case isBill && refunding.MatchString(before), returning.MatchString(after):
		return money.Refund
	case granting.MatchString(before), addingOwn.MatchString(around):
		return money.Budget
	case kind == money.Payment && addingTo.MatchString(before),
		(kind == money.Quote || kind == money.Payment) && wanting.MatchString(before) && additional.MatchString(after):
		return money.ChangeOrder
	case kind == "":
		return untold(before, after, around, isApproximate)
	}
	return kind
}

// untold is the kind of an amount without a word near by that tells it.
func untold(before, after, around string, isApproximate bool) money.Kind {
	switch {
	case addingTo.MatchString(before), adding.MatchString(around),
		summing.MatchString(before) && onTop.MatchString(after),
		wanting.MatchString(before) && additional.MatchString(after):
		return money.ChangeOrder
	case pricing.MatchString(before):
		return money.Quote
	case sending.MatchString(before), goneOut.MatchString(after), doing.MatchString(around):
		return money.Payment
	case contracted.MatchString(around):
		return money.HardCost
	case available.MatchString(around) && (!limited.MatchString(before) || inIt.MatchString(after)):
		return money.Budget
	case demanding.MatchString(before), charges.MatchString(around), offering.MatchString(before),
		performing.MatchString(around), pricedAt.MatchString(before), asOffered.MatchString(after):
		return money.Quote
	case giving.MatchString(around):
		return money.Budget
	case billedBy.MatchString(around):
		return money.Invoice
	case isApproximate && willCost.MatchString(before):
		return money.Estimate
	}
	return ""
}

// isMeant reports whether a word that mostly wishes says what is so of an amount: an estimate is no more than a wish, a
// budget is what somebody would like to spend, and what others want more is what they ask for.
func isMeant(kind money.Kind, wish, sentence string) bool {
	switch kind {
	case money.Estimate, money.Budget:
		return true
	case money.ChangeOrder, money.Quote:
		return (strings.HasPrefix(wish, "möchte") || othersWould[wish]) &&
			!ourWish.MatchString(sentence)
	}
	return false
}

// othersWould are wishes by which a party names its price.
var othersWould = wordSet("would wäre wären würde würden")

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
	forgone    = compiled(`(?i)\blets? (?:us|me) off (?:the |another )?$|\b(?:knocks?|knocked|takes?|took|taking|knocking) off (?:another |the )?$|\b(?:waives?|waived|forgoes|erlässt|erließ|erlassen) (?:us |uns )?(?:the |die )?$|\blässt (?:uns )?$`)
	forgiving  = compiled(`(?i)^\s+(?:ab(?:[.,;!]|$)|credit\b|rebate|discount|nachlass|nachgelassen|erlassen|rabatt|off\b|gut(?:[.,;!]|$)|gutgeschrieben)`) // schreibt uns 380 € gut
	refunding  = compiled(`(?i)(?:\brefund(?:s|ed)?\b|\b(?:returned|gave back|sent back|given back|handed back)\s(?:us\s)?(?:our|the|my)\s(?:deposit|money|down payment|advance)\b|erstattung|erstattet\b|\bzurückgezahlt\b)`)
	returning  = compiled(`(?i)^\s+(?:back\b|zurück\b|zurück(?:bekommen|erhalten|gezahlt|überwiesen|erstattet)|(?:wieder)?erstattet)`)
	addingTo   = compiled(`(?i)(?:\bneeds?|\bwants?|\basks?(?: for)?|\bcharges?|\bbraucht|\bbrauchen|\bverlangt|\bmöchten?|\bwollen|\bwill|\bfor|\bhaben)\s+(?:an\s+)?(?:extra|another|additional|further|noch(?:mal)?|weitere|zusätzlich)\s+$`)
	demanding  = compiled(`(?:^|[\s,])(?i:wants?|asks?(?: for)?|asked for|(?:is|are) asking(?: for)?|verlangt|verlangen|wollen|will|möchten?|needs?|braucht|brauchen)\s+(?i:(?:us to pay|jetzt|now|an|noch)\s+)*$`)
	wanting    = compiled(`(?i)(?:^|[\s,])(?:wants?|asks?|needs?|requires?|verlangt|verlangen|wollen|will|möchten?|braucht|brauchen|bräuchten?|fordert|fordern)\s`)
	summing    = compiled(`(?i)\b(?:that['’]s|that is|adds?|makes|das sind|das macht|macht|kommen)\s+(?:another\s+|noch\s+)?$`)
	onTop      = compiled(`(?i)^\s+(?:on top|extra|zusätzlich|obendrauf|dazu)\b(?:[^?]*$)`)
	contracted = compiled(`(?i)\b(?:costs?|kostet|kosten|for|für|price)\b[^;!?]*\x01[^;!?]*\b(?:signed|booked|gebucht|unterschrieben)\b|\b(?:signed|booked|hired|rented|gebucht|unterschrieben|gemietet|angeheuert)\b[^;!?]*\x01|\x01[^;!?]*\b(?:(?:we|I)(?:['’]ve| have)? (?:booked|hired|rented|signed|ordered)|gebucht|gemietet|bestellt|unterschrieben)\b|\b(?:costs?|kostet|kosten)\s\x01\s(?:with|at|from|bei|von)\s(?-i:\p{Lu})`)
	charges    = compiled(`(?i)\b(?:nimmt|nehmen|takes?)\s\x01|\bruf(?:t|en)\s\x01[^.;!?]*\sauf\b`)
	additional = compiled(`(?i)^\s+(?:extra|more|on top|in addition|zusätzlich|mehr)\b`)
	asOffered  = compiled(`(?i)^\s+(?:laut|gemäß|as per|per|according to) (?:(?:the|their|its|dem|ihrem|seinem) )?(?:angebot|quote|offer|proposal|quotation)\b[^.;!?]{0,12}\d`)
	receiving  = compiled(`(?:^|[,;] )\p{Lu}[\pL&.-]*(?: \p{Lu}[\pL&.-]*)* (?:hat|haben|has|have) (?:\pL+ ){0,3}\x01 (?:bekommen|erhalten|received)\b`)
	addingOwn  = compiled(`(?i)\b(?:legen|lege|geben|gebe) (?:wir |ich )?(?:\pL+ )?\x01 (?:drauf|dazu)\b|\b(?:we|I) (?:add|chip in|put in|contribute) \x01\b`)
	// chargesUs is a price that somebody names, and no bill that has come.
	chargesUs = compiled(`(?i)\bberechne(?:t|n) (?:uns|mir|dafür|für)\b[^.;!?]*$`)
	offering  = compiled(`(?i)(?:\b(?:war|waren|was|were) (?:mit|with|at|bei)|(?:^|[\s:,])(?:is|are|lies?|stands?) at|(?:^|\s)(?:liegt|liegen|läge|lägen|wäre|wären|kommt|kommen|kam|kamen)(?:\s\pL+){0,2} (?:bei|auf)|(?:^|\s)came back (?:at|with))\s+$`)
	// granting is done by those who pay for the project.
	granting  = compiled(`(?i)\b(?:lends?|lent|lend|loaned|gave|gives?|granted|grants?|awarded|awards?|approved|approves|allotted|pledged|promised|allowed|allows?) us (?:\pL+ ){0,2}$|\b(?:gab|gibt|geben|bewilligt|bewilligte|genehmigt|genehmigte|gewährt) uns (?:\pL+ ){0,2}$`)
	available = compiled(`(?i)\bcan put (?:\pL+ ){0,2}\x01 (?:into|towards|in)\b|\b(?:insgesamt|zusammen) (?:haben|hätten) wir (?:\pL+ ){0,2}\x01|\b(?:in total|altogether|all in all) (?:we have|we['’]ve got|there is) (?:\pL+ ){0,2}\x01|\b(?:have|has|got|['’]ve) (?:got )?\x01 (?:from|for|von|für)\b|\x01[^.;!?]*\b(?:ceiling|limit|maximum|all we (?:have|'ve got)|cap|obergrenze|mehr ist nicht drin)\b|\b(?:raised|collected|saved|crowdfunded|gesammelt|eingeworben) (?:\pL+ ){0,2}\x01|\x01 (?:\pL+ )?drin\b|\b(?:can|could|may|able to|allowed to) (?:only )?spend (?:\pL+ ){0,2}\x01|\b(?:have|has|got|['’]ve) (?:\pL+ ){0,2}\x01 (?:\pL+ ){0,2}(?:to spend|together|saved|put by|to work with|to play with|available|in the (?:pot|kitty|bank))\b|` +
		`\b(?:limit|cap|ceiling|pot|kitty|funding|grant|maximum) (?:is|of|stands at) (?:\pL+ ){0,2}\x01|\b(?:haben|hat|habe)(?: wir| ich)? (?:\pL+ ){0,2}\x01 (?:\pL+ ){0,2}(?:zusammen|angespart|gespart|zur verfügung|in der kasse|auf dem konto|übrig)|` +
		`\b(?:obergrenze|deckel|limit|rahmen|topf|fördersumme|zuschuss) (?:ist|von|liegt bei|beträgt)\D{0,12}\x01|\x01 (?:dürfen|können) (?:wir|es) \pL*(?:ausgeben|kosten)|\b(?:mehr als|über) \x01 (?:darf|können wir|geht) `)
	inIt       = compiled(`(?i)^ (?:\pL+ )?drin\b`)
	paidBack   = compiled(`(?i)\b(?:given|gave|give|paid|sent|refunded) (?:(?:(?-i:\p{Lu})[\pL.]+ ){1,3}|him |her |me )(?:his|her|their|my|the) \x01(?: back)?\b|\x01 (?:on|to|with|von|auf|mit) (?:my|our|the|his|her|meiner|der|unserer) (?:\pL+ )?(?:card|karte|kreditkarte)\b|\b(?:has|have|had|got|gets|hat|haben|bekam|bekommt) (?:now |jetzt |heute )?(?:seine|ihre|his|her|their|my|meine) \x01 (?:zurück|back|wieder)|\b(?:reimbursed|refunded) (?:him|her|me|\p{Lu}\pL+)(?: the| for)?(?: \pL+){0,2} \x01`)
	demandMet  = compiled(`(?i)\x01[^.;!?]*\s(?:[–—-]|and|und) (?:sent|paid|done|transferred|wired|überwiesen|bezahlt|erledigt|raus)\b[.! ]*$|\x01[^.;!?]*, (?:(?:and |so )?(?:I|we)(?:['’]ve| have)? (?:just |already )?(?:sent|paid|wired|transferred)(?: it| that| them)?|(?:(?:die|das|sie) )?(?:habe|haben) (?:ich|wir) (?:\pL+ ){0,2}(?:überwiesen|bezahlt|gezahlt))\b[^,;]*$|\x01[^.;!?]*, (?:(?:ist|sind) (?:schon |bereits |heute |gestern )*)?(?:transferred|sent|paid|wired|überwiesen|bezahlt|angewiesen|raus)(?: \pL+){0,2}[.!]*$|\x01,? (?:gingen|ging|sind) (?:(?:heute|gestern|eben|gerade|schon|bereits|vorhin|jetzt) )*(?:raus|weg|an sie|an ihn)\b`)
	adding     = compiled(`(?i)\b(?:by|um) \x01 (?:\pL+ ){0,2}(?:erhöht|angehoben|gestiegen|teurer|aufgeschlagen|verteuert)|\b(?:raised|increased|put up|bumped|upped) (?:\pL+ ){0,4}by (?:\pL+ )?\x01|\b(?:goes|went|gone|is|are) up (?:by )?\x01|\bschlägt (?:\pL+ )?\x01 (?:drauf|auf)|(?:\badds?|\badding|\badded|\bwill add|\bcharges? another|\bcharged another)\s\x01|(?:^|[\s,.])(?:an )?(?:extra|additional|another)\s\x01|\x01 (?:more|extra|on top|mehr|zusätzlich|obendrauf|teurer)\b|\b(?:noch(?: ein)?mal|zusätzlich|weitere|extra)\s\x01|\bkommen (?:noch |nochmal )?\x01 (?:dazu|hinzu|drauf|obendrauf)`)
	performing = compiled(`(?i)\b(?:does|do|did|would do|will do|can do|could do|builds?|will build|makes?|will make|suppl(?:y|ies)|installs?|fits?|paints?|prints?|delivers?|provides?|handles?|takes? (?:it|the|on)|cater)\b[^.;!?]*\b(?:for|at) (?:\pL+ ){0,2}\x01|` +
		`\b(?:macht|machen|baut|bauen|liefert|liefern|übernimmt|übernehmen|erledigt|erledigen|streicht|streichen|verlegt|verlegen|montiert|druckt|drucken|stellt|kocht|spielt|spielen|vermietet|repariert)\b[^.;!?]*\bfür (?:\pL+ ){0,2}\x01|` +
		`\b(?:will|wollen|möchten?|hätten? gern|würden?)\b[^.;!?]*\x01 (?:\pL+ )?(?:haben|nehmen|verlangen|berechnen)\b`)
	pricedAt = compiled(`(?i)\bputs? [^.;!?]{2,40} at $|\b(?:is|are) (?:charging|asking)(?: us| for)?\s$|\bberechnet (?:uns|mir|dafür|für)\b[^.;!?]*$|^[^.;:!?]{2,40}\s(?:from|by|at|von|bei)\s(?-i:\p{Lu})[\pL&. -]{1,40}:\s+$|\b(?:costs?|kostet|kosten|läge|lägen|wäre|would be)\s(?:\pL+ )?(?:with|at|from|bei|von)\s(?-i:\p{Lu})[^.;!?]*$|\b(?:price|figure|tender|preis|satz|summe)\b[^.;!?]{0,30}$|(?:^|\s)(?:says?|said|sagt|sagen|nennt|nennen|nannte|reckons?|comes? in at|came in at|['’]d like|would like|(?:is|are) asking(?: for)?|am asking|quotes?|kalkuliert mit|ruft|aufgerufen)\s(?:\pL+\s){0,2}$`)
	pricing  = compiled(`(?i)(?:^|\s)(?:gave|given|named)(?: us| me)? (?:a|the|their|his|her) (?:price|figure) of\s+$`)
	sending  = compiled(`(?i)(?:^|[\s,;:])(?:sent|wired|gave|handed|wire) (?:it to )?(?:them|him|her|\p{Lu}[\pL&.’'-]*(?: (?:& )?\p{Lu}[\pL&.’'-]*)*) (?:the |their |another |our )?$|(?:^|[\s,;:])(?:sent|wired|gave) (?:the )?$|(?:^|\s)(?:remaining|outstanding|last) $|(?:^|[\s,])(?:raus|weg)(?: ging(?:en)?)?:?\s+$`)
	goneOut  = compiled(`(?i)^,? (?:is|are) on (?:its|their|the) way\b|^\s+(?:(?:for|to|an|für) (?:the |die |den )?(?-i:\p{Lu})[\pL&.’' -]{1,30} )?(?:sent\b|(?:sind|ist) (?:\pL+ ){0,2}(?:raus|weg|unterwegs|bei (?:ihnen|ihm|ihr)|auf dem konto)\b|(?:went|has gone|have gone|is|are) (?:out|off|to)\b|(?:has |have )?left (?:our|the|my) (?:account|bank)\b|(?:wurden?|ist|sind) (?:\pL+ ){0,2}(?:abgebucht|abgegangen|raus|rausgegangen|angewiesen)\b|(?:cash|in bar|bar)\b)`)
	doing    = compiled(`(?i)^(?:(?:now|and|also|today|yesterday|then|the|jetzt|nun|und|auch|heute|gestern|dann|die|das|remaining|restlichen|other|last|letzten)[, ]+)+\x01 (?:to|an) (?:die |the |firma )?(?-i:\p{Lu})[^,;!?]*$|^(?:(?:erledigt|done|sent|ok|okay|so|also|raus)[,:!]? )+\x01\s+(?:to|an)\s|\x01\s+(?:to|an)\s[^.;!?]{2,50}(?:,\s|\s[–-]\s)(?:done|erledigt|gesendet|sent|raus)\b|\x01\s+(?:to|an)\s\p{Lu}[^.;!?,]{1,40}\s(?:today|yesterday|this (?:morning|week|afternoon)|on \pL+day|heute|gestern|am \pL+tag)\b|\b(?:sind|ist|gehen|gingen|ging)\s\x01\s(?:\pL+ )?(?:raus|weg|unterwegs|rausgegangen|(?:an|to)\s\p{Lu})|\b(?:hat|haben) (?:sein|ihr|das) geld\b[^;.!?]{0,12}\x01`)
	giving   = compiled(`(?i)\b(?:keep|reserve|put aside|gives? us|gave us|granted us|get|gets)\s+\x01\s+(?:of (?:it|that|this)|for)\b|\bof (?:it|that|this),? (?:I'd|we|we'd|I) (?:keep|reserve)\b[^.;!?]*\x01\s+for\b|\b(?:gives?|gave|granted) us \x01|\b(?:can|may|könn(?:en)?|dürfen) (?:wir )?(?:spend )?\x01[^.;!?]*\b(?:overall|in total|on the|altogether|ausgeben)\b|\bapproved \x01 for\b|\b(?:have|have got|['’]ve got|got|haben)\s\x01\s(?:in total|overall|altogether|insgesamt)\b|\bhave \x01 (?:to spend|available|for (?:the|this) (?:whole|entire|project|\pL+ move))|\b(?:möchten?|will|wollen|sollten|sollen) (?:ich|wir) \x01[^.;!?]*\b(?:reservieren|einplanen|zurücklegen)\b|\bstehen (?:uns )?\x01 zur verfügung`)
	billedBy = compiled(`(?i)\x01[^.;!?]*[(,]\s*(?:no\.?\s|nr\.?\s)?(?-i:RE|RG|INV|Re)[ .-]{0,2}\d|\b(?-i:RE|RG|INV)[ .-]{0,2}\d[\d/-]*\)?[^.;!?\d]*\x01|\b[Aa]bschlag(?:srechnung)?\b[^.;!?]*\x01`)
	willCost = compiled(`(?i)\b(?:(?:will |should )?sets? (?:us|me) back|(?:is|are) (?:probably |likely )?going to (?:be|cost|run)|will (?:probably |likely |maybe )?(?:be|cost|land|come|run)|will (?:cost|run)(?: us| me)?|should (?:cost|run us|come to|be)|ought to (?:cost|be)|will come to|will be|is going to cost|wird|werden|dürfte|kosten wird)\b`)
	// cameTo is said of what something has cost, ourDoing of what the speaker does or has with money.
	cameTo     = compiled(`(?i)\b(?:war|waren|was|were) \x01 (?:bei|at|from|von)\b|\x01 angefallen\b|\b(?:came|comes|added up|amounted) to \x01|\b(?:cost|has cost|have cost)(?: us| me)? \x01|\x01 gekostet\b|\bkostete(?:n)? (?:uns )?\x01`)
	repeated   = compiled(`(?i)\b(?:again|a second time|twice|nochmals?|noch einmal|erneut|wieder|ein zweites mal|still)\b`)
	arrived    = compiled(`(?i)^[^.;!?]{0,40}\s(?:arrived|(?:is|are|came|has come) in|ist da|sind da|angekommen|eingegangen|gekommen)\b`)
	ourDoing   = compiled(`(?i)(?:^|[\s,])(?:I|we|ich|wir|I['’]ve|we['’]ve|I['’]m|my|mein|meine|unser|unsere|our)\s(?:\pL+\s){0,4}$`)
	ourWish    = compiled(`(?i)\b(?:I|we) would\b|\b(?:ich|wir) (?:würden?|wären?)\b|\b(?:ich|wir) möchten?\b|\bmöchten? (?:ich|wir)\b`)
	estimating = compiled(`(?i)\b(?:schätz\w*|reckon|estimate)\b`)
	intended   = compiled(`(?i)\b(?:(?:I|we|you|they|he|she)(?:['’]ll| will| shall)|(?:is|are|am|['’]re|['’]m) going to|let['’]s|please|need to|have to|must|plan to|want to|bitte|werden?|müssen|muss|soll(?:en|te)?|(?:zahle|überweise|begleiche) ich|(?:zahlen|überweisen|begleichen) wir|wir (?:zahlen|überweisen|begleichen)|ich (?:zahle|überweise|begleiche))\b`)
	// following is an amount that is to come: "4,080 follow in June".
	following = compiled(`(?i)^\s+(?:folgt|folgen|follows?|to follow|(?:is|are) (?:due|outstanding|still open|to follow)|(?:ist|sind) (?:noch )?(?:offen|fällig)|kommt später|kommen später|later\b|später\b)`)
	metAfter  = compiled(`(?i)^\s*(?:(?:I|we|ich|wir|just|already|have|habe|haben|schon|heute|und|and|ok|[’']ve)[, ]+)*(?:sent|paid|wired|transferred|done|überwiesen|bezahlt|erledigt|raus)\b`)
	downFirst = compiled(`(?i)\b(?:down|deposit|up front|upfront|in advance|advance|first|vorab|anzahlung|vorkasse|im voraus)\b[^.;!?]*$|\b(?:want|wants|ask|asks|asked for|need|needs|require|requires|verlangt|verlangen|will|wollen|möchten?|fordert) (?:us to pay )?(?:\pL+ ){0,2}$`)
	promised  = compiled(`(?i)(?:^|\s)(?:überweist|überweisen) (?:uns|mir)\b|\b(?:zahlt uns|(?:is|are|['’]re|['’]s) (?:giving|sending|paying|refunding|crediting|coming|on (?:its|the) way)|will|going to|would|should|asked for|demand|wird|werden|soll|sollen|würde|fordern)\b`)

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
