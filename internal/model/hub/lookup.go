package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// maxPages limits how many pages of a listing are read. A page has a thousand entries.
const maxPages = 20

// Complete adds the details that an order leaves open and the hub knows: the commit of a branch, the licence, and the
// files with their sizes and hashes. Details of the order or the catalogue stay, and a hub that contradicts them is
// an error. For an order that leaves nothing open it sends no request.
func (c *Client) Complete(ctx context.Context, m Model) (Model, error) {
	m.Source = c.Address()
	if m.Complete() {
		return m, nil
	}
	if m.Revision == "" {
		m.Revision = "main"
	}
	about, err := c.about(ctx, m)
	if err != nil {
		return m, err
	}
	if commitForm.MatchString(m.Revision) && about.SHA != m.Revision {
		return m, trilith.Errorf(trilith.Internal, "hub: asked about revision %s of %s, %s answers about %s; pull from another hub with --hub",
			m.Revision, m.Repository, c.base.Host, about.SHA)
	}
	m.Revision = about.SHA
	if m.License == "" {
		m.License = about.license()
	}
	there, err := c.list(ctx, m)
	if err != nil {
		return m, err
	}
	if m.Files, err = merge(m, there); err != nil {
		return m, err
	}
	return m, m.needed()
}

// about is the part of the hub's description of a repository that is used here.
type about struct {
	SHA      string          `json:"sha"`
	CardData json.RawMessage `json:"cardData"`
}

// license returns the licence in the model card, if it is one word.
func (a about) license() string {
	var card struct {
		License string `json:"license"`
	}
	if json.Unmarshal(a.CardData, &card) != nil || !revisionForm.MatchString(card.License) {
		return ""
	}
	return card.License
}

func (c *Client) about(ctx context.Context, m Model) (about, error) {
	var answered about
	what := fmt.Sprintf("revision %s of %s", m.Revision, m.Repository)
	_, err := c.ask(ctx, c.base.JoinPath("api", "models", m.Repository, "revision", m.Revision), what,
		func(r io.Reader) error {
			if err := json.NewDecoder(r).Decode(&answered); err != nil {
				return err
			}
			if !commitForm.MatchString(answered.SHA) {
				return errors.New("it names no commit")
			}
			return nil
		})
	return answered, err
}

// list returns the files of a repository, from all pages of the listing.
func (c *Client) list(ctx context.Context, m Model) ([]File, error) {
	next := c.base.JoinPath("api", "models", m.Repository, "tree", m.Revision)
	next.RawQuery = "recursive=true"
	var files []File
	for range maxPages {
		link, err := c.ask(ctx, next, "list of files of "+m.Repository, func(r io.Reader) error {
			page, err := decodeListing(r)
			files = append(files, page...)
			return err
		})
		if err != nil || link == nil {
			return files, err
		}
		next = link
	}
	return nil, trilith.Errorf(trilith.Exhausted, "hub: %s lists more than %d pages of files; name a repository of one model",
		m.Repository, maxPages)
}

// ask requests one page of the API, and returns the address of the next page if there is one.
func (c *Client) ask(ctx context.Context, address *url.URL, what string, decode func(io.Reader) error) (
	next *url.URL, err error) {
	a, err := c.get(ctx, listing, address.String(), http.Header{"Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if a.StatusCode != http.StatusOK {
		return nil, c.refused(a, what)
	}
	if err := decode(io.LimitReader(a, maxAnswer)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, trilith.Errorf(trilith.Unavailable, "hub: the answer of %s about the %s cannot be read: %w",
			c.base.Host, what, err)
	}
	if next = nextPage(a.Header.Get("Link")); next == nil {
		return nil, nil
	}
	next = address.ResolveReference(next)
	if next.Scheme != c.base.Scheme || next.Host != c.base.Host {
		return nil, trilith.Errorf(trilith.Internal, "hub: the list of %s continues at %s, which is another host; name that one with --hub if you trust it",
			c.base.Host, next.Host)
	}
	return next, nil
}

// nextPage parses a Link header (RFC 8288) in the form that hubs use: <address>; rel="next".
func nextPage(link string) *url.URL {
	address, rel, ok := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if !ok || !strings.Contains(rel, `rel="next"`) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return u
}

// decodeListing decodes one page of a listing. A path that could leave the model's folder makes the whole page invalid.
func decodeListing(r io.Reader) ([]File, error) {
	var entries []struct {
		Type string `json:"type"`
		Path string `json:"path"`
		OID  string `json:"oid"`
		Size int64  `json:"size"`
		LFS  *struct {
			OID  string `json:"oid"`
			Size int64  `json:"size"`
		} `json:"lfs"`
	}
	if err := json.NewDecoder(r).Decode(&entries); err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		if path.Clean(e.Path) != e.Path || !filepath.IsLocal(filepath.FromSlash(e.Path)) ||
			strings.ContainsAny(e.Path, "\\:\x00") {
			return nil, fmt.Errorf("it lists %.60q, which is not a path inside the model's folder", e.Path)
		}
		if e.Type != "file" {
			continue
		}
		f := File{Path: e.Path, Size: e.Size, Pin: PinHub}
		switch {
		case e.LFS != nil && sha256Form.MatchString(e.LFS.OID):
			f.Size, f.SHA256 = e.LFS.Size, e.LFS.OID
		case e.LFS == nil && commitForm.MatchString(e.OID):
			f.Blob = e.OID
		default:
			return nil, fmt.Errorf("it gives no hash of %.60q", e.Path)
		}
		if f.Size < 0 {
			return nil, fmt.Errorf("it gives %.60q a size of %d bytes", e.Path, f.Size)
		}
		files = append(files, f)
	}
	return files, nil
}

// merge selects the wanted files from a listing, and compares them with the known sizes and hashes.
func merge(m Model, there []File) ([]File, error) {
	var files []File
	for _, f := range there {
		if !slices.Contains(wanted, f.Path) {
			continue
		}
		if i, ok := m.find(f.Path); ok {
			known := m.Files[i]
			claim := f
			if claim.SHA256 == "" { // a small file is hashed after the download
				claim.SHA256 = known.SHA256
			}
			if problem := differs(known, claim); problem != "" {
				return nil, trilith.Errorf(
					trilith.Internal, "hub: in its list %s of %s %s as required by %s; nothing was fetched", f.Path,
					m.Repository, problem, known.Pin.says())
			}
			f.SHA256, f.Pin = known.SHA256, known.Pin
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := range files[:max(len(files)-1, 0)] {
		if files[i].Path == files[i+1].Path {
			return nil, trilith.Errorf(trilith.Internal, "hub: the list of %s names %s twice; pull from another hub with --hub", m.Repository, files[i].Path)
		}
	}
	for _, known := range m.Files {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == known.Path }) {
			return nil, trilith.Errorf(trilith.NotFound, "hub: %s has no %s at revision %s; name another --revision",
				m.Repository, known.Path, m.Revision)
		}
	}
	return files, nil
}
