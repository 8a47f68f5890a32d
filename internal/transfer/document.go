package transfer

import (
	"bytes"
	"io"
	"iter"
	"path"

	"github.com/cairn-memory/cairn"
)

// readDocument reads a whole file as one document. Its external id is its path inside the folder that was asked for: the
// same file is taken once, whatever it holds later.
func readDocument(mediaType string) decoder {
	return func(in input) iter.Seq2[Item, error] {
		return func(yield func(Item, error) bool) {
			data, err := io.ReadAll(io.LimitReader(in.r, cairn.MaxDocumentBytes+1))
			if err != nil {
				yield(Item{}, cairn.WrapError(cairn.Internal, "transfer.Read", err))
				return
			}
			if len(data) > cairn.MaxDocumentBytes {
				yield(Item{}, in.bad(1, cairn.Errorf(cairn.Invalid, "is longer than the %d bytes of a document", cairn.MaxDocumentBytes)))
				return
			}
			data = bytes.TrimPrefix(data, bom)
			if len(bytes.TrimSpace(data)) == 0 {
				yield(Item{}, in.bad(1, cairn.Errorf(cairn.Invalid, "holds no text")))
				return
			}
			yield(Item{Path: in.path, Line: 1, Request: &cairn.RememberRequest{
				Document:   &cairn.Document{Name: path.Base(in.name), MediaType: mediaType, Content: string(data)},
				ExternalID: in.name,
				Imported:   true,
			}}, nil)
		}
	}
}
