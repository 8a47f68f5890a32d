package extract

import (
	"strings"
	"unicode"
)

// In English people move to places, and to programs, banks, teams and tariffs as well. A name does not tell which, but
// many others than places are known, or are written as no place is, or the sentence says what they are for.

var notMovedTo = wordSet(`
	linux ubuntu debian fedora arch windows macos mac android ios chrome firefox safari edge brave vivaldi vim neovim emacs helix zed cursor sublime
	postgres mysql sqlite mongo mongodb redis kafka docker podman kubernetes nomad terraform ansible jenkins git mercurial jira trello asana notion obsidian evernote
	logseq slack teams discord signal telegram whatsapp matrix mastodon bluesky threads zoom webex outlook gmail thunderbird proton protonmail fastmail dropbox nextcloud
	aws azure gcp hetzner heroku vercel netlify cloudflare python rust go golang java kotlin swift scala ruby elixir typescript javascript react vue svelte angular
	django rails laravel spring spotify tidal deezer netflix kindle excel sheets figma sketch photoshop blender monzo revolut n26 barclays paypal klarna stripe
	vodafone telekom verizon fibre fiber solar marketing sales finance accounting controlling operations support product design engineering research legal logistics
	procurement purchasing compliance security recruiting team plan phase tier group squad department days nights mornings evenings lates earlies part-time full-time
	openai anthropic claude gemini chatgpt copilot google microsoft apple samsung`)

var otherMove = compiled(`(?i)\b(?:editor|browser|database|db|framework|programming|cloud|servers?|hosting|provider|bank|accounts?|tariff|team|department|role|position|shifts?|apps?|software|tools?|stack|repo|code|coding|data|storage|platform|subscription|e-?mails?|backend|frontend|version control|(?:never|not) looked back)\b`)

// capitals are places that are written in capitals.
var capitals = wordSet("nyc la sf dc uk us usa uae")

func isMove(h *hit) bool { return isHome(h) && h.movesHouse(h.Node.Name) }

// movesHouse reports whether the sentence may speak of a move to a place of that name.
func (h *hit) movesHouse(name string) bool {
	if otherMove.MatchString(h.sentence.text) {
		return false
	}
	for _, w := range strings.Fields(name) {
		if notMovedTo[lower(w)] || strings.ContainsFunc(w, unicode.IsDigit) ||
			w == strings.ToUpper(w) && len(w) > 1 && !capitals[lower(w)] && !strings.Contains(w, ".") {
			return false
		}
		// PostgreSQL and GitHub, but neither McAllen nor St. Gallen
		inner := strings.TrimLeftFunc(w[1:], unicode.IsUpper)
		if i := strings.IndexFunc(inner, unicode.IsUpper); i >= 0 && !strings.ContainsAny(w, "'’-") &&
			!strings.HasPrefix(w, "Mc") && !strings.HasPrefix(w, "Mac") && !strings.HasPrefix(w, "De") {
			return false
		}
	}
	return true
}
