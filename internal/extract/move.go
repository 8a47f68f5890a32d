package extract

import (
	"strings"
	"unicode"
)

// In English people move to places, but also to programs, banks, teams and tariffs. A name does not show which, but
// many other names are known, or are spelled as no place is, or the sentence states their purpose.

var notMovedTo = wordSet(`
	mondays tuesdays wednesdays thursdays fridays saturdays sundays monday tuesday wednesday thursday friday saturday sunday weekends weekdays mornings evenings nights days
	linux ubuntu debian fedora arch windows macos mac android ios chrome firefox safari edge brave vivaldi vim neovim emacs helix zed cursor sublime
	postgres mysql sqlite mongo mongodb redis kafka docker podman kubernetes nomad terraform ansible jenkins git mercurial jira trello asana notion obsidian evernote
	logseq slack teams discord signal telegram whatsapp matrix mastodon bluesky threads zoom webex outlook gmail thunderbird proton protonmail fastmail dropbox nextcloud
	aws azure gcp hetzner heroku vercel netlify cloudflare python rust go golang java kotlin swift scala ruby elixir typescript javascript react vue svelte angular
	django rails laravel spring spotify tidal deezer netflix kindle excel sheets figma sketch photoshop blender monzo revolut n26 barclays paypal klarna stripe
	vodafone telekom verizon fibre fiber solar marketing sales finance accounting controlling operations support product design engineering research legal logistics
	procurement purchasing compliance security recruiting team plan phase tier group squad department days nights mornings evenings lates earlies part-time full-time
	it hr qa openai anthropic claude gemini chatgpt copilot google microsoft apple samsung`)

// otherMove matches words after the name for other moves: "to Falcon for my e-mail", "to Kite as our editor".
var otherMove = compiled(`(?i)^ (?:for (?:all )?(?:my |our |the )?(?:coding|programming|e-?mails?|storage|hosting|notes|version control|ci|backups?|payments?|banking|messaging|chats?|invoicing|builds?|monitoring|logging)\b|as (?:a|an|my|our|the) (?:main |new |default )?(?:editor|browser|database|cloud|host|provider|bank|shell|framework|language|messenger)\b)`)

// capitals are places that are written with three capitals or more.
var capitals = wordSet("nyc usa uae slc")

func isMove(h *hit) bool { return isHome(h) && h.movesHouse(h.Node.Name) }

// movesHouse reports whether the sentence may be about a move to a place of that name.
func (h *hit) movesHouse(name string) bool {
	if otherMove.MatchString(h.sentence.text[h.m[1]:]) {
		return false
	}
	shouted := h.sentence.text == strings.ToUpper(h.sentence.text)
	for _, w := range strings.Fields(name) {
		if notMovedTo[lower(w)] || strings.ContainsFunc(w, unicode.IsDigit) || !shouted && brand(w) {
			return false
		}
	}
	return true
}

// brand reports whether a word has capitals where names of places have none: PostgreSQL, GitHub and AWS do, McAllen,
// SoHo and MacArthur do not.
func brand(w string) bool {
	if w == strings.ToUpper(w) {
		return len(w) > 2 && !capitals[lower(w)] && !strings.ContainsAny(w, ".'’-")
	}
	for _, prefix := range [...]string{"Mac", "Van", "Fitz"} {
		w = strings.TrimPrefix(w, prefix)
	}
	return len(w) > 3 && strings.ContainsFunc(w[3:], unicode.IsUpper) && !strings.ContainsAny(w, "'’-")
}
