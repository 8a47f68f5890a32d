package transfer

import (
	"strings"

	"github.com/trilith-memory/trilith"
)

// smallestHalf is a document that is not parted any more: whatever is wrong with it, it is not its size.
const smallestHalf = 64 << 10

// halves divides a request that was refused in two, in order: its messages, or its document, if that is too much or
// wrong, at the end of a page or a line. The halves
// of a document have separate external ids, and the second begins with as many form feeds as the first contains, so
// that the page numbers of its passages are right.
func halves(item Item, err error) (first, second Item, ok bool) {
	first, second = item, item
	kind := trilith.KindOf(err)
	a, b := *item.Request, *item.Request
	first.Request, second.Request = &a, &b
	switch n := len(item.Request.Messages); {
	case n > 1:
		a.Messages, b.Messages = item.Request.Messages[:n/2], item.Request.Messages[n/2:]
		return first, second, true
	case item.Request.Document != nil && len(item.Request.Document.Content) > smallestHalf &&
		(kind == trilith.Invalid || kind == trilith.Exhausted):
		one, other := *item.Request.Document, *item.Request.Document
		at := strings.LastIndexByte(one.Content[:len(one.Content)*2/3], '\f') + 1
		if at < len(one.Content)/3 {
			at = cutAt(one.Content, len(one.Content)*2/3)
		}
		pages := strings.Count(one.Content[:at], "\f")
		one.Content, other.Content = one.Content[:at], strings.Repeat("\f", pages)+other.Content[at:]
		a.Document, b.Document = &one, &other
		a.ExternalID, b.ExternalID = externalID(a.ExternalID+"~1"), externalID(b.ExternalID+"~2")
		return first, second, true
	}
	return item, item, false
}

// named says which message of its file a refusal is about.
func named(req trilith.RememberRequest, err error) error {
	id := req.ExternalID
	if len(req.Messages) == 1 {
		id = req.Messages[0].ExternalID
	}
	if id == "" {
		return err
	}
	return trilith.Errorf(trilith.Invalid, "%.80q: %s", id, strings.TrimPrefix(trilith.MessageOf(err), "messages[0]."))
}
