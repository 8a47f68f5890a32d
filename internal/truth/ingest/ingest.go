// Package ingest turns a request into drafts of memories: one for each message, text, note or entry, and one for each
// passage of a document. It checks all of a request before anything is stored, and changes only the Unicode form and
// the line ends of its texts.
//
// It distinguishes two kinds of faults. A malformed request is answered with an error that names the field, and nothing
// of it is stored. A text that is merely unfit (empty, too long, not UTF-8) still becomes a draft: the gate checks it,
// so that one bad message does not lose the other 999.
//
// The package does no I/O and reads no clock; all functions are safe for concurrent use.
package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/trilith-memory/trilith"
)

// Kinds of requests, as in [trilith.Source].
const (
	Messages = "messages"
	Text     = "text"
	Note     = "note"
	Entry    = "entry"
	Document = "document"
)

// DefaultNoteType is the type of a note without one.
const DefaultNoteType = "manual"

// Plan is the content of a request, ready to be stored.
type Plan struct {
	Kind   string  // one of the kinds of requests
	Name   string  // of a document; empty otherwise
	Drafts []Draft // at least one, in the order of the request
	// Hash is the SHA-256, in hex, of the content: kind, name, and for every draft its role, speaker, type, text and,
	// if the caller gave one, its time. Sending equal content twice without a time gives equal hashes.
	Hash string
	// Omitted counts the parts of its messages that are not text, by kind.
	Omitted trilith.PartCounts
}

// Draft is a future memory. Its Memory has no IDs, no Scope and no State; Seq is its position in the request, EventTime
// the given time or now.
type Draft struct {
	Index  int // position among the messages or passages; 0 otherwise
	Memory trilith.Memory
	Timed  bool // the caller gave the time
	// Inserted marks text that programs put into the item; the person's own words are another draft.
	Inserted bool
}

// Read checks the request and makes its plan. The roles, speakers, times, metadata and tags of the request are the
// defaults of its items. Metadata are merged key by key, an item's own key winning; tags are added.
//
// Errors are Invalid and begin with the field's path ("messages[3].timestamp: …"), or Exhausted for more than
// [trilith.MaxItems] messages or a document over [trilith.MaxDocumentBytes]. Tags and metadata of the drafts are copies;
// drafts may share them with each other.
func Read(req trilith.RememberRequest, now time.Time) (Plan, error) {
	c, err := readCommon(req, now)
	if err != nil {
		return Plan{}, err
	}
	forms := forms(req)
	if len(forms) != 1 {
		return Plan{}, trilith.Errorf(
			trilith.Invalid, "request: has %s, must have exactly one of messages, text, note, entry and document",
			list(forms))
	}
	p := Plan{Kind: forms[0]}
	switch p.Kind {
	case Messages:
		p.Drafts, p.Omitted, err = c.messages(req)
	case Text:
		p.Drafts = []Draft{c.draft(trilith.KindEpisode, orUser(req.Role), req.Text)}
	case Note:
		p.Drafts, err = c.note(req)
	case Entry:
		p.Drafts, err = c.entry(req)
	case Document:
		p.Name = req.Document.Name
		p.Drafts, err = c.document(req)
	}
	if err != nil {
		return Plan{}, err
	}
	for _, d := range p.Drafts {
		if c.until != nil && !c.until.After(d.Memory.EventTime) {
			return Plan{}, trilith.Errorf(trilith.Invalid, "valid_until: must be after the event time of the memory")
		}
	}
	if len(req.Supersedes) > 0 && len(p.Drafts) != 1 {
		return Plan{}, trilith.Errorf(trilith.Invalid, "supersedes: needs a request with one item, this one has %d",
			len(p.Drafts))
	}
	p.Hash = hash(p)
	return p, nil
}

// common holds the values that the items of a request share.
type common struct {
	externalID string
	speaker    string
	time       time.Time
	zone       *time.Location // of times without an offset
	timed      bool
	until      *time.Time
	metadata   map[string]any
	tags       []string
	imported   bool
}

// readCommon checks every field but the content.
func readCommon(req trilith.RememberRequest, now time.Time) (*common, error) {
	c := &common{externalID: req.ExternalID, speaker: req.Speaker, time: trilith.Local(now), zone: now.Location(),
		imported: req.Imported}
	err := cmp.Or(
		checkRole("role", req.Role),
		checkName("speaker", req.Speaker),
		checkName("external_id", req.ExternalID),
		RequestKey(req.RequestKey),
		checkSupersedes(req.Supersedes),
	)
	if err != nil {
		return nil, err
	}
	switch req.Wait {
	case "", trilith.WaitStored, trilith.WaitIndexed, trilith.WaitExtracted:
	default:
		return nil, trilith.Errorf(trilith.Invalid, "wait: %.32q is not one of stored, indexed, extracted",
			string(req.Wait))
	}
	if err := c.at("timestamp", req.Timestamp); err != nil {
		return nil, err
	}
	if c.until, err = ValidUntil("valid_until", req.ValidUntil, now.Location()); err != nil {
		return nil, err
	}
	if c.metadata, err = Metadata("metadata", req.Metadata); err != nil {
		return nil, err
	}
	c.tags, err = Tags("tags", req.Tags)
	return c, err
}

func forms(req trilith.RememberRequest) []string {
	var out []string
	for _, f := range []struct {
		name string
		set  bool
	}{{Messages, req.Messages != nil}, {Text, req.Text != ""}, {Note, req.Note != nil}, {Entry, req.Entry != nil},
		{Document, req.Document != nil}} {
		if f.set {
			out = append(out, f.name)
		}
	}
	return out
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " and ")
}

// messages makes a draft of each message but those that have only parts without words.
func (c *common) messages(req trilith.RememberRequest) ([]Draft, trilith.PartCounts, error) {
	switch n := len(req.Messages); {
	case n == 0:
		return nil, nil, trilith.Errorf(trilith.Invalid, "messages: is empty, must hold at least one message")
	case n > trilith.MaxItems:
		return nil, nil, trilith.Errorf(
			trilith.Exhausted, "messages: holds %d, at most %d are allowed in one request; send them in parts, with the same session", n, trilith.MaxItems)
	case req.ExternalID != "":
		return nil, nil, trilith.Errorf(trilith.Invalid, "external_id: belongs to one item; give each message its own")
	}
	drafts := make([]Draft, 0, len(req.Messages))
	var omitted trilith.PartCounts
	seen := map[string]int{}
	for i, m := range req.Messages {
		place := req.Messages.Place(i)
		path := "messages[" + strconv.Itoa(place) + "]"
		own, err := c.of(path, m)
		if err != nil {
			return nil, nil, err
		}
		if j, ok := seen[m.ExternalID]; ok && m.ExternalID != "" {
			return nil, nil, trilith.Errorf(trilith.Invalid, "%s.external_id: is the same as that of messages[%d]; give each message its own", path,
				req.Messages.Place(j))
		}
		seen[m.ExternalID] = i
		omitted.Add(m.Omitted)
		if m.Content == "" && len(m.Omitted) > 0 {
			continue
		}
		role := m.Role
		if role == "" {
			role = orUser(req.Role)
		}
		d := own.draft(trilith.KindEpisode, role, m.Content)
		d.Index, d.Memory.Seq = place, len(drafts)
		drafts = append(drafts, d)
	}
	if len(drafts) == 0 {
		return nil, nil, trilith.Errorf(trilith.Invalid, "messages: nothing was said in them; they have %s, and a file goes to POST /media",
			omitted)
	}
	return drafts, omitted, nil
}

// of returns c with the values of the message.
func (c *common) of(path string, m trilith.Message) (*common, error) {
	own := *c
	own.externalID = m.ExternalID
	if m.Speaker != "" {
		own.speaker = m.Speaker
	}
	err := cmp.Or(
		checkRole(path+".role", m.Role),
		checkName(path+".speaker", m.Speaker),
		checkName(path+".external_id", m.ExternalID),
		own.at(path+".timestamp", m.Timestamp),
	)
	if err != nil {
		return nil, err
	}
	metadata, err := Metadata(path+".metadata", m.Metadata)
	if err != nil {
		return nil, err
	}
	if own.metadata, err = merge(path+".metadata", c.metadata, metadata); err != nil {
		return nil, err
	}
	own.tags, err = addTags(path+".tags", c.tags, m.Tags)
	return &own, err
}

func (c *common) at(field, timestamp string) error {
	if timestamp == "" {
		return nil
	}
	t, err := trilith.ParseTimeIn(timestamp, c.zone)
	if err != nil {
		return trilith.Errorf(trilith.Invalid, "%s: %s", field, trilith.MessageOf(err))
	}
	c.time, c.timed = t, true
	return nil
}

func orUser(r trilith.Role) trilith.Role {
	if r == "" {
		return trilith.RoleUser
	}
	return r
}

func (c *common) note(req trilith.RememberRequest) ([]Draft, error) {
	if err := checkName("note.type", req.Note.Type); err != nil {
		return nil, err
	}
	d := c.draft(trilith.KindNote, req.Role, req.Note.Content)
	if d.Memory.Type = req.Note.Type; d.Memory.Type == "" {
		d.Memory.Type = DefaultNoteType
	}
	return []Draft{d}, nil
}

func (c *common) document(req trilith.RememberRequest) ([]Draft, error) {
	doc := *req.Document
	switch {
	case doc.Name == "":
		return nil, trilith.Errorf(trilith.Invalid, "document.name: is empty, must be a title or a file name")
	case doc.MediaType != "" && doc.MediaType != Markdown && doc.MediaType != Plain:
		return nil, trilith.Errorf(trilith.Invalid, "document.media_type: %.64q is not one of %s, %s", doc.MediaType,
			Markdown, Plain)
	case len(doc.Content) > trilith.MaxDocumentBytes:
		return nil, trilith.Errorf(trilith.Exhausted, "document.content: is %d bytes long, at most %d are allowed",
			len(doc.Content), trilith.MaxDocumentBytes)
	}
	if err := checkName("document.name", doc.Name); err != nil {
		return nil, err
	}
	doc.Content = Normalise(doc.Content)
	passages := Split(doc)
	drafts := make([]Draft, len(passages))
	seen := map[string]int{}
	for i, p := range passages {
		own := *c
		about := map[string]any{"document": doc.Name}
		if p.Heading != "" {
			about["heading"] = p.Heading
		}
		if p.Page > 0 {
			about["page"] = float64(p.Page)
		}
		var err error
		if own.metadata, err = merge("metadata", about, c.metadata); err != nil {
			return nil, err
		}
		if c.externalID != "" {
			own.externalID = passageID(c.externalID, p.Text, seen)
			if err := checkName("external_id", own.externalID); err != nil {
				return nil, err
			}
		}
		drafts[i] = own.draft(trilith.KindPassage, req.Role, p.Text)
		drafts[i].Index, drafts[i].Memory.Seq = i, i
	}
	return drafts, nil
}

// passageID is the external id of a passage: the document's id and a hash of its text. Sending a changed document again
// so stores only the passages that changed. seen counts equal passages of one document.
func passageID(document, text string, seen map[string]int) string {
	sum := sha256.Sum256([]byte(text))
	id := document + "#" + hex.EncodeToString(sum[:6])
	seen[id]++
	if n := seen[id]; n > 1 {
		id += "-" + strconv.Itoa(n)
	}
	return id
}

// draft makes the draft of one item; role may be empty.
func (c *common) draft(kind trilith.Kind, role trilith.Role, text string) Draft {
	return Draft{Timed: c.timed, Memory: trilith.Memory{
		Kind: kind, Text: Normalise(text), Role: role, Speaker: c.speaker, EventTime: c.time,
		ValidUntil: c.until, Trust: c.trust(kind, role),
		Tags: c.tags, Metadata: c.metadata, ExternalID: c.externalID,
	}}
}

// Normalise brings text into Unicode's composed form (NFC) and turns CR LF into LF, so that equal texts are equal
// bytes. Everything else is verbatim. Normalise(Normalise(s)) == Normalise(s).
func Normalise(text string) string {
	return norm.NFC.String(strings.ReplaceAll(text, "\r\n", "\n"))
}

// ValidUntil reads the end of a validity as a time in the zone; nil if there is none.
func ValidUntil(field, text string, zone *time.Location) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	t, err := trilith.ParseTimeIn(text, zone)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "%s: %s", field, trilith.MessageOf(err))
	}
	return &t, nil
}

// trust returns the tier of the channel. A user's statement or note from elsewhere gets a lower tier, because no one
// here has stated or confirmed it.
func (c *common) trust(kind trilith.Kind, role trilith.Role) trilith.Trust {
	switch {
	case kind == trilith.KindPassage:
		return trilith.TrustImported
	case kind == trilith.KindEpisode && role == trilith.RoleAssistant:
		return trilith.TrustAssistantSaid
	case kind == trilith.KindEpisode && role != trilith.RoleUser:
		return trilith.TrustToolOutput
	case c.imported:
		return trilith.TrustImported
	case kind == trilith.KindEpisode:
		return trilith.TrustUserStated
	}
	return trilith.TrustUserConfirmed
}

// hash covers length-prefixed parts, so that moving a boundary between parts changes it.
func hash(p Plan) string {
	h := sha256.New()
	var n [8]byte
	add := func(parts ...string) {
		for _, s := range parts {
			binary.BigEndian.PutUint64(n[:], uint64(len(s)))
			h.Write(n[:])
			h.Write([]byte(s))
		}
	}
	add(p.Kind, p.Name)
	for i := range p.Drafts {
		m := &p.Drafts[i].Memory
		at := ""
		if p.Drafts[i].Timed {
			at = m.EventTime.Format(time.RFC3339Nano)
		}
		add(string(m.Role), m.Speaker, m.Type, m.Text, at)
	}
	return hex.EncodeToString(h.Sum(nil))
}
