package transfer

import (
	"bytes"
	"io"
	"iter"
	"path"

	"github.com/trilith-memory/trilith"
)

// readDocument reads a whole file as one document. Its external id is its path inside the requested folder: the same
// file is one document, even if its content changes.
func readDocument(mediaType string) decoder {
	return func(in input) iter.Seq2[Item, error] {
		return func(yield func(Item, error) bool) {
			data, err := io.ReadAll(io.LimitReader(in.r, trilith.MaxDocumentBytes+1))
			if err != nil {
				yield(Item{}, trilith.WrapError(trilith.Internal, "transfer.Read", err))
				return
			}
			data = bytes.TrimPrefix(data, bom)
			if err := fitDocument(len(data)); err != nil {
				yield(Item{}, in.bad(1, err))
				return
			}
			if len(bytes.TrimSpace(data)) == 0 {
				yield(Item{}, in.bad(1, trilith.Errorf(trilith.Invalid, "holds no text")))
				return
			}
			yield(in.document(mediaType, string(data)), nil)
		}
	}
}

func (in input) document(mediaType, content string) Item {
	return Item{Path: in.path, Line: 1, Request: &trilith.RememberRequest{
		Document:   &trilith.Document{Name: path.Base(in.name), MediaType: mediaType, Content: content},
		ExternalID: in.name,
		Imported:   true,
	}}
}

func fitDocument(size int) error {
	if size > trilith.MaxDocumentBytes {
		return trilith.Errorf(trilith.Invalid, "is longer than the %d bytes of a document", trilith.MaxDocumentBytes)
	}
	return nil
}
