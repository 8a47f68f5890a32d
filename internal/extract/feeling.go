package extract

// feelingRules find a taste that has turned into its opposite.
var feelingRules = []rule{
	{id: "en.dislikes.21", triggers: "off sick fed tired stand", pattern: `I(?:'ve| have|'m| am)? {adv}(?:gone off|went off|sick of|sick and tired of|fed up with|(?:grown |got(?:ten)? )?tired of|can no longer (?:stand|bear)|grown to (?:hate|dislike)|come to (?:hate|dislike)|lost my taste for) {thing}`, verb: "dislikes", check: isLiked},
	{id: "en.likes.21", triggers: "grown come", pattern: `I(?:'ve| have) {adv}(?:grown|come) to (?:like|love|enjoy|appreciate) {thing}`, verb: "likes", check: isLiked},
	{id: "de.dislikes.21", triggers: "ausstehen leiden riechen", pattern: `(?:ich kann|kann ich|{who} kann) {short} (?:gar |überhaupt |einfach |inzwischen |jetzt )*nicht mehr (?:ausstehen|leiden|riechen|sehen)`, verb: "dislikes", check: isLiked},
	{id: "de.dislikes.5", triggers: "schmeckt schmecken", pattern: `^(?:(?:und|aber|inzwischen) )?(?:der |die |das )?{short} (?:schmeckt|schmecken) mir (?:gar |überhaupt |einfach )*nicht(?: mehr)?`, verb: "dislikes", check: isLiked},
	{id: "de.likes.21", triggers: "mag liebe", pattern: `(?:inzwischen|mittlerweile|jetzt|seit kurzem|neuerdings) (?:mag|liebe) ich {thing}`, verb: "likes", check: isLiked},
}
