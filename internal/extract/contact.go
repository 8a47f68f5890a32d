package extract

import "strings"

const (
	phoneNumber = `(?P<x>\+?\(?\d[\d ()/.-]{5,20}\d)`
	mailAddress = `(?P<x>[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+)`
)

// contactRules find contact data.
var contactRules = []rule{
	{id: "en.phone.1", triggers: "number phone mobile cell number's phone's", pattern: `my (?:new )?(?:(?P<y>work|office|private|home) )?(?:(?:phone|mobile|cell|cell phone|telephone|whatsapp)(?: number)?|number)(?:'s| is|:) (?:now )?` + phoneNumber, verb: "has_phone", check: isContact},
	{id: "en.phone.2", triggers: "call reach ring text phone", pattern: `(?:you can |just |please |best to )*(?:call|reach|ring|text|phone|contact) me (?:on|at|under) ` + phoneNumber, verb: "has_phone", check: isContact},
	{id: "en.email.1", triggers: "email e-mail mail email's", pattern: `my (?:new )?(?:(?P<y>work|office|private|personal) )?(?:e-?mail|mail)(?: address)?(?:'s| is|:) (?:now )?` + mailAddress, verb: "has_email", check: isContact},
	{id: "en.email.2", triggers: "reach email e-mail mail write contact", pattern: `(?:you can |just |please |best to )*(?:reach|e-?mail|mail|write to|write|contact) me (?:at|on|under|via) ` + mailAddress, verb: "has_email", check: isContact},
	{id: "en.email.3", triggers: "use write send", pattern: `(?:use|write to|send (?:it|things|mail|everything) to) ` + mailAddress + ` (?:from now on|instead|from today|in future|going forward)`, verb: "has_email", check: isOwnContact},
	{id: "en.email.4", triggers: "new", pattern: `new (?:(?P<y>work|office|private|personal) )?(?:e-?mail|mail)(?: address)?(?: is|:| -|,|;)?(?: it's| that's)? (?:now )?` + mailAddress, verb: "has_email", check: isContact},
	{id: "de.email.3", triggers: "neue *mail *adresse", pattern: `neue (?:(?P<y>dienstliche|private|geschäftliche) )?(?:E-?)?Mail(?:-?adresse)?(?: ist|:| lautet|,)? (?:jetzt )?` + mailAddress, verb: "has_email", check: isContact},
	{id: "de.email.4", triggers: "ab schreib schreibt nutze", pattern: `(?:schreib\w*|nutze?|verwende\w*) (?:mir )?(?:bitte )?(?:ab (?:jetzt|sofort|heute) )(?:bitte )?(?:an )?` + mailAddress, verb: "has_email", check: isContact},
	{id: "en.address.1", triggers: "address", pattern: `my (?:new |home |postal |current )?address is (?:now )?(?P<x>\d+[a-z]?,? [\pL][\pL\pN ,\x27.-]{4,80}?|[\pL][\pL \x27-]{2,40} \d+[a-z]?(?:, [\pL\pN ,-]{2,60}?)?)[.!]?$`, verb: "has_address"},
	{id: "de.phone.1", triggers: "nummer *nummer", pattern: `meine (?:neue )?(?:(?P<y>dienstliche|private|geschäftliche) )?(?:(?:Telefon|Handy|Mobil|Mobilfunk|Festnetz|Rückruf)-?)?nummer (?:ist|lautet|:)(?: (?:jetzt|nun))?(?: die)?:? ` + phoneNumber, verb: "has_phone", check: isContact},
	{id: "en.phone.3", triggers: "number", pattern: `(?:^|, |; |\b(?:a|have|got) )new (?:(?P<y>work|office) )?(?:(?:phone|mobile|cell) )?number(?: is|:| -|,|;|\.)?(?: (?:it's|it is|that's|which is))? (?:now )?` + phoneNumber, verb: "has_phone", check: isContact},
	{id: "de.phone.3", triggers: "nummer *nummer", pattern: `(?:neue|andere) (?:(?:Telefon|Handy|Mobil|Mobilfunk|Festnetz)-?)?nummer(?: ist|:| lautet|,)? (?:jetzt )?` + phoneNumber, verb: "has_phone", check: isContact},
	{id: "de.phone.2", triggers: "unter", pattern: `(?:ich bin|bin ich|du erreichst mich|Sie erreichen mich|erreichbar bin ich|ihr erreicht mich) (?:[^,.;@\d]{0,30} )?unter (?:der )?` + phoneNumber, verb: "has_phone", check: isContact},
	{id: "de.email.1", triggers: "mail e-mail e-mail-adresse mailadresse email-adresse email emailadresse adresse", pattern: `meine (?:neue )?(?:(?P<y>dienstliche|private|geschäftliche) )?(?:E-?)?Mail(?:-?adresse)? (?:ist|lautet)(?: (?:jetzt|nun))? ` + mailAddress, verb: "has_email", check: isContact},
	{id: "de.email.2", triggers: "unter schreib schreibt schreiben mail mailt", pattern: `(?:(?:ich bin|bin ich|du erreichst mich|Sie erreichen mich|ihr erreicht mich) (?:[^,.;@\d]{0,30} )?unter|(?:schreib|mail)\w* mir (?:bitte )?an) ` + mailAddress, verb: "has_email", check: isContact},
	{id: "de.address.1", triggers: "adresse anschrift", pattern: `meine (?:neue )?(?:Adresse|Anschrift) (?:ist|lautet)(?: (?:jetzt|nun))? (?P<x>(?-i:\p{Lu})[\pL .-]{2,40} \d+[a-z]?(?:(?: in|,) [\pL\pN ,-]{2,60}?)?)[.!]?$`, verb: "has_address"},
}

// atWork lists words for contact data at work.
var atWork = wordSet("work office dienstliche geschäftliche")

// isOwnContact requires words for the speaker, or for the address that this one replaces.
func isOwnContact(h *hit) bool { return ofSpeaker.MatchString(h.sentence.text) && isContact(h) }

var ofSpeaker = compiled(`(?i)\b(?:me|my|old)\b`)

func isContact(h *hit) bool {
	h.Node.Name = strings.TrimRight(tidy(h.x), "./-")
	if atWork[lower(h.y)] {
		h.Verb = strings.Replace(h.Verb, "has_", "has_work_", 1)
	}
	digits := 0
	for _, r := range h.Node.Name {
		if '0' <= r && r <= '9' {
			digits++
		}
	}
	return strings.Contains(h.Node.Name, "@") || digits >= 6
}
