package compose

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/gemini"
	"github.com/trilith-memory/trilith/internal/store/firestore"
)

const (
	schemeFirestore = "firestore"
	useFirestore    = "firestore://PROJECT/DATABASE"
)

// IsFirestore reports whether a store is in Firestore.
func IsFirestore(store string) bool { return strings.HasPrefix(store, schemeFirestore+"://") }

// OpenCollection opens a collection of another program in Firestore for reading. Its URL is
// firestore://PROJECT[/DATABASE], with collection and key_file as parameters. Without collection, name is used.
func (s *Settings) OpenCollection(place, name string) (*firestore.Collection, error) {
	u, err := url.Parse(place)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "path: write %s?collection=NAME", useFirestore)
	}
	q := u.Query()
	if q.Has("collection") {
		name = q.Get("collection")
	}
	q.Del("collection")
	for _, ours := range []string{"prefix", "shards"} {
		if q.Has(ours) {
			return nil, trilith.Errorf(trilith.Invalid, "path: has no parameter %s; use collection and key_file",
				ours)
		}
	}
	u.RawQuery = q.Encode()
	o, err := s.firestoreOptions(u.String())
	if err != nil {
		return nil, err
	}
	return firestore.OpenCollection(o, name)
}

func (s *Settings) openFirestore(ctx context.Context, store string) (*firestore.Store, error) {
	o, err := s.firestoreOptions(store)
	if err != nil {
		return nil, err
	}
	logger := s.logger()
	o.Scanned = func(ctx context.Context, tenant string, vectors int) {
		logger.InfoContext(ctx, "firestore: a search read all vectors of a scope", "tenant", tenant, "vectors",
			vectors)
	}
	cloud, err := firestore.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.Emulator != "" {
		s.say("FIRESTORE_EMULATOR_HOST is set: the memory lies in an emulator on %s, which forgets it.", o.Emulator)
	}
	return cloud, nil
}

// firestoreOptions reads a store's URL: firestore://PROJECT[/DATABASE], with prefix, shards and key_file as parameters.
func (s *Settings) firestoreOptions(store string) (o firestore.Options, err error) {
	u, err := url.Parse(store)
	if err != nil || u.Opaque != "" || u.User != nil || u.Fragment != "" {
		return o, trilith.Errorf(trilith.Invalid, "store: write %s", useFirestore)
	}
	o = firestore.Options{Project: u.Host, Database: strings.TrimPrefix(u.Path, "/"), Now: s.Now,
		Emulator: s.getenv("FIRESTORE_EMULATOR_HOST"), Transport: s.Firestore}
	file := s.getenv("GOOGLE_APPLICATION_CREDENTIALS")
	for name, values := range u.Query() {
		switch value := values[0]; name {
		case "prefix":
			o.Prefix = value
		case "key_file":
			file = value
		case "shards":
			if o.Shards, err = strconv.Atoi(value); err != nil || o.Shards < 1 {
				return o, trilith.Errorf(trilith.Invalid, "store: shards=%.20s must be a number, at least 1", value)
			}
		default:
			return o, trilith.Errorf(trilith.Invalid,
				"store: %.64q is not a parameter of %s; use prefix, shards or key_file", name, useFirestore)
		}
	}
	if err := o.Validate(); err != nil || o.Emulator != "" {
		return o, err
	}
	o.Credential, err = googleCredential(file)
	return o, err
}

// googleCredential returns the credential in a service account's file or, for an empty name, that of the machine.
func googleCredential(path string) (func(context.Context) (http.Header, error), error) {
	var data []byte
	if path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			return nil, trilith.Errorf(trilith.Invalid, "store: the credentials of Google Cloud cannot be read: %w", err)
		}
	}
	headers, err := gemini.Credentials(data, nil)
	if err != nil {
		return nil, trilith.Errorf(trilith.Invalid, "store: %s holds no credentials of Google Cloud", path)
	}
	return headers, nil
}
