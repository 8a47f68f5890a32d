package trilith

import (
	"strings"
	"time"
)

// MaxMediaBytes bounds a media file: as a line of an export it still fits into one request.
const MaxMediaBytes = 7 << 20

// MaxMediaPages is how many pages of one PDF file a model is asked to read.
const MaxMediaPages = 100

// MediaKind is a kind of files that models read, or do not.
type MediaKind string

// The kinds.
const (
	MediaImage MediaKind = "image" // a photo, a receipt, a drawing: png, jpeg, webp
	MediaPages MediaKind = "pages" // a PDF file with pages that have no text layer
	MediaAudio MediaKind = "audio" // speech: mp3, wav, m4a
)

// MediaKinds lists the kinds in a fixed order.
func MediaKinds() []MediaKind { return []MediaKind{MediaImage, MediaPages, MediaAudio} }

// MediaKindOf returns the kind of a media type.
func MediaKindOf(mediaType string) MediaKind {
	switch sort, _, _ := strings.Cut(mediaType, "/"); sort {
	case "image":
		return MediaImage
	case "audio":
		return MediaAudio
	}
	return MediaPages
}

// MediaState says whether a model has read a file.
type MediaState string

// The states.
const (
	MediaUnread MediaState = "unread" // it waits for a model that reads its kind
	MediaRead   MediaState = "read"
	MediaFailed MediaState = "failed" // it cannot be read; Reason says why, and its job can be retried
)

// Media is a picture, a recording or scanned pages, stored unchanged. The text that a model has read in it is stored as
// passages of a document, the source SourceID; it never counts as the words of a person. The same bytes in the same
// scope are one file.
type Media struct {
	ID     ID         `json:"id"`
	Name   string     `json:"name"`
	Type   string     `json:"media_type"` // image/png, …: by the bytes
	SHA256 string     `json:"sha256"`     // of the bytes, hex
	Bytes  int        `json:"bytes"`
	Scope  Scope      `json:"scope"`
	At     time.Time  `json:"recorded_at"`
	Time   *time.Time `json:"event_time,omitempty"` // when it was taken or said; nil: when it was stored
	Width  int        `json:"width,omitempty"`      // of a picture, in pixels
	Height int        `json:"height,omitempty"`
	Pages  []int      `json:"pages,omitempty"` // of a PDF file: those without a text layer, from 1

	State    MediaState `json:"state"`
	Reason   string     `json:"reason,omitempty"`    // why it could not be read, or not all of it
	SourceID ID         `json:"source_id,omitempty"` // of the text that a model has read in it; empty if there was none
	Model    string     `json:"model,omitempty"`     // that has read it
	ReadAt   *time.Time `json:"read_at,omitempty"`
	// Extract says how facts are derived from that text; empty: none are.
	Extract Extraction `json:"extract,omitempty"`
	Import  ID         `json:"import_id,omitempty"` // the import of files that brought it
	Fixed
}

// NewMedia is a file to store.
type NewMedia struct {
	Name string
	Type string // as the sender declares it; refused if the bytes are something else. Empty: detected
	Data []byte
	// Timestamp is when it was taken or said; when it is stored if empty.
	Timestamp string
	Extract   Extraction // how facts are derived from its text; empty: none are
	Import    ID         // of the import of files that it belongs to; empty if none
	DryRun    bool       // check it and store nothing
}

// MediaFile is a file with its bytes.
type MediaFile struct {
	Media
	Data []byte `json:"data"` // as base64
}

// MediaQuery pages through the files of a scope.
type MediaQuery struct {
	Unread bool   // only those that no model has read
	Limit  int    // 1 to 1000; 50 if 0
	Cursor string // of the page before
}

// MediaPage is a page of files, by id.
type MediaPage struct {
	Items      []Media `json:"items"`
	NextCursor string  `json:"next_cursor,omitempty"`
}

// StoredMedia is the answer to a file that was sent.
type StoredMedia struct {
	Media
	New bool `json:"new"` // it was not there before
}

// MediaRequest asks a model for the content of a file.
type MediaRequest struct {
	System    string // the task
	Prompt    string // about this file
	Type      string // media type
	Name      string // of the file
	Data      []byte
	MaxOutput int // tokens of the answer at most
}
