package migrate_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith/internal/store/firestore"
	"github.com/trilith-memory/trilith/internal/test/firestoretest"
)

func init() { drivers["firestore"] = onFirestore }

func onFirestore(tb testing.TB) place {
	h := httptest.NewServer(firestoretest.New())
	tb.Cleanup(h.Close)
	o := firestore.Options{Project: "test-project", Emulator: strings.TrimPrefix(h.URL, "http://")}
	return place{"firestore:" + o.Emulator, func(tb testing.TB) store {
		s, err := firestore.Open(tb.Context(), o)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { s.Close() })
		return s
	}}
}
