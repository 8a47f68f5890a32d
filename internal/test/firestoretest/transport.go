package firestoretest

import (
	"net/http"
	"net/http/httptest"
)

// Transport is a server without a socket between it and its callers. So tests can run it in a bubble of
// [testing/synctest], where its latency takes no time and nothing else does.
type Transport struct{ Server *Server }

// RoundTrip implements [http.RoundTripper].
func (t Transport) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler { // the answer never arrives
			answer, err = nil, http.ErrServerClosed
		} else if p != nil {
			panic(p)
		}
	}()
	w := httptest.NewRecorder()
	t.Server.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}
