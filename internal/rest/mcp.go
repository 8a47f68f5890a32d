package rest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/cairn-memory/cairn"
)

// serveMCP lets [Config.MCP] answer, once it is known who asks. The body is read here: bounded in size and time as that of
// every other request.
func (s *server) serveMCP(w http.ResponseWriter, r *http.Request) {
	who, err := s.identify(r)
	if err == nil {
		callOf(r.Context()).who = who
		r.Body, err = s.readBody(w, r)
	}
	if err == nil {
		err = s.MCP(w, r, who)
	}
	if err != nil {
		s.fail(w, r.Context(), err)
	}
}

func (s *server) readBody(w http.ResponseWriter, r *http.Request) (io.ReadCloser, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(s.now().Add(s.Timeout)) // a writer without deadlines is one of a test
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	_ = control.SetReadDeadline(time.Time{})
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, tooLarge("body: is too large")
	}
	if err != nil {
		return nil, cairn.Errorf(cairn.Invalid, "body: could not be read")
	}
	return io.NopCloser(bytes.NewReader(body)), nil
}
