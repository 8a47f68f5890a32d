package transfer

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/lang/pdftext"
)

// maxPDFBytes is the largest PDF file that is read, because it is held in memory.
const maxPDFBytes = 256 << 20

// readPDF reads the text layer as one document. Form feeds separate its pages, so every passage knows its page. If a
// page has no text layer the file is stored too, so that a model can read that page.
func readPDF(in input) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		data, err := io.ReadAll(io.LimitReader(in.r, maxPDFBytes+1))
		if err != nil {
			yield(Item{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
			return
		}
		if len(data) > maxPDFBytes {
			yield(Item{}, in.bad(1, trilith.Errorf(trilith.Invalid, "is longer than the %d bytes of a PDF file",
				maxPDFBytes)))
			return
		}
		pages, err := pdftext.Pages(data)
		if errors.Is(err, pdftext.ErrNoText) {
			yield(in.media(data))
			return
		}
		for _, err := range unjoin(err) {
			if !yield(Item{}, in.bad(1, trilith.Errorf(trilith.Invalid, "%w", err))) {
				return
			}
		}
		if pages == nil {
			return
		}
		text := strings.Join(pages, "\f")
		if err := fitDocument(len(text)); err != nil {
			yield(Item{}, in.bad(1, err))
			return
		}
		blank := func(page string) bool { return strings.TrimSpace(page) == "" }
		if yield(in.document("text/plain", text), nil) && slices.ContainsFunc(pages, blank) && err == nil {
			yield(in.media(data))
		}
	}
}

// unjoin returns the errors that an error joins.
func unjoin(err error) []error {
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
