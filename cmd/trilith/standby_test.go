//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// reader asks a service what only reads.
type reader struct {
	*testing.T
	*service
	position string // that it has seen; none if empty
}

func (r reader) said(method, path, body string) said {
	r.Helper()
	a, err := r.ask(r.Context(), method, "/api/v1"+path, body, "Trilith-Position", r.position)
	if err != nil {
		r.Fatal(err)
	}
	return a
}

// sees reports whether a memory is read by its id.
func (r reader) sees(id trilith.ID) bool {
	r.Helper()
	a := r.said("GET", "/memories/"+string(id), "")
	if a.status != http.StatusOK && a.status != http.StatusNotFound {
		r.Fatalf("GET %s = %s", id, a)
	}
	return a.status == http.StatusOK
}

// finds reports whether a search for words finds a memory.
func (r reader) finds(words string, id trilith.ID) bool {
	r.Helper()
	var res trilith.RecallResult
	if err := r.said("POST", "/search", fmt.Sprintf(`{"query": %q}`, words)).decode(&res); err != nil {
		r.Fatal(err)
	}
	return slices.ContainsFunc(res.Hits, func(h trilith.Hit) bool { return h.Memory.ID == id })
}

// lists reports whether a memory is listed.
func (r reader) lists(id trilith.ID) bool {
	r.Helper()
	var page trilith.Page
	if err := r.said("GET", "/memories?newest=true&limit=200", "").decode(&page); err != nil {
		r.Fatal(err)
	}
	return slices.ContainsFunc(page.Items, func(m trilith.Memory) bool { return m.ID == id })
}

// write stores a text and returns the position that the answer carries.
func (r reader) write(text string) (trilith.ID, string) {
	r.Helper()
	a := r.said("POST", "/memories", fmt.Sprintf(`{"text": %q, "user": "ana"}`, text))
	var res trilith.RememberResult
	if err := a.decode(&res); err != nil || len(res.Memories) != 1 {
		r.Fatalf("POST /memories = %s, %v", a, err)
	}
	if a.header.Get("Trilith-Position") == "" {
		r.Fatalf("the answer to a write carries no position: %v", a.header)
	}
	return res.Memories[0].ID, a.header.Get("Trilith-Position")
}

// standbyReads returns how many requests of a service standbys have answered, and the primary in their place.
func (r reader) standbyReads() (standbys, primary int) {
	r.Helper()
	a, err := r.ask(r.Context(), "GET", "/metrics", "")
	if err != nil || a.status != http.StatusOK {
		r.Fatal(a, err)
	}
	for line := range strings.Lines(string(a.body)) {
		var n int
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), `trilith_standby_reads_total{server="`)
		if !ok {
			continue
		}
		if _, err := fmt.Sscan(rest[strings.LastIndex(rest, " ")+1:], &n); err != nil {
			r.Fatal(line, err)
		}
		if strings.HasPrefix(rest, "primary") {
			primary += n
		} else {
			standbys += n
		}
	}
	return standbys, primary
}

// out returns the standbys that are out, by what a service says of itself.
func (r reader) out() (out []string) {
	r.Helper()
	a, err := r.ask(r.Context(), "GET", "/readyz", "")
	if err != nil {
		r.Fatal(err)
	}
	var st struct {
		Standbys []struct{ Name, Out string }
	}
	if err := json.Unmarshal(a.body, &st); err != nil || a.status != http.StatusOK || len(st.Standbys) != 2 {
		r.Fatalf("GET /readyz = %s, %v", a, err)
	}
	for _, s := range st.Standbys {
		if s.Out != "" {
			out = append(out, s.Name)
		}
	}
	return out
}

// until repeats until something holds.
func (r reader) until(what string, holds func() bool) {
	r.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-r.Context().Done():
			r.Fatalf("%s: %v", what, r.Context().Err())
		}
	}
}

// TestStandbys: services read on two standbys. A caller with a position reads everything up to it, at every service. A
// caller without one reads nothing older than the bound. No service returns erased memories, and no caller notices
// that a standby ends or starts.
func TestStandbys(t *testing.T) {
	t.Parallel()
	c := pgtest.NewStandbys(t, 2, "vector")
	f := newFleet(t, c.Store("&standby_lag=10m&standby_wait=5ms"))
	f.join(t, 2)
	writer, patient := reader{t, f.each[0].service, ""}, reader{t, f.each[1].service, ""}
	f.env["TRILITH_STORE"] = c.Store("&standby_lag=300ms&standby_wait=5ms")
	f.join(t, 1)
	bounded := reader{t, f.each[2].service, ""}

	// Each service has its marks, so what follows is read on a standby where nothing speaks against it.
	first, position := writer.write("The first crate holds apples.")
	for _, r := range []reader{patient, bounded} {
		r.position = position
		r.until("a standby answers", func() bool {
			if !r.sees(first) || !r.finds("apples", first) {
				t.Errorf("what was written at %s is not read", position)
			}
			n, _ := r.standbyReads()
			return n > 0
		})
	}

	t.Run("who wrote reads it", func(t *testing.T) { testReadYourWrites(t, writer, patient) })
	t.Run("paused", func(t *testing.T) { testPaused(t, c, writer, patient, bounded, first) })
	t.Run("gone and back", func(t *testing.T) { testStandbyBack(t, c, writer, patient) })
	t.Run("promoted", func(t *testing.T) {
		c.Promote(t, 1)
		patient, writer := reader{t, patient.service, ""}, reader{t, writer.service, ""}
		patient.until("a promoted standby is out", func() bool { return slices.Equal(patient.out(), c.Addrs[1:]) })
		id, position := writer.write("The last crate holds dates.")
		patient.position = position
		if !patient.sees(id) || !patient.finds("dates", id) {
			t.Error("what was written after the promotion is not read")
		}
	})
	f.each[1].end(t, os.Interrupt) // its log is read when it has ended
	complaints := f.each[1].log.String()
	if n := strings.Count(complaints, "the primary answers until it is back"); n != 3 { // killed twice, promoted once
		t.Errorf("the service warned %d times, want once for each time that a standby went: %s", n, complaints)
	}
}

func testReadYourWrites(t *testing.T, writer, patient reader) {
	writer.T, patient.T = t, t
	before, _ := patient.standbyReads()
	for n := range 20 {
		word := townName(0, n)
		id, position := writer.write("Crate of " + word + ".")
		patient.position = position
		if !patient.sees(id) || !patient.lists(id) || !patient.finds(word, id) {
			t.Errorf("%s was written and is not read with the position %s", word, position)
		}
	}
	after, primary := patient.standbyReads()
	t.Logf("standbys answered %d of 60 requests with a position, the primary %d in all", after-before, primary)
	if after == before {
		t.Error("no standby answered a request with a position")
	}
	if a := patient.said("GET", "/memories", ""); a.header.Get("Trilith-Position") != "" {
		t.Errorf("what only reads carries a position: %v", a.header)
	}
	patient.position = "no position"
	if a := patient.said("GET", "/memories", ""); a.status != http.StatusBadRequest {
		t.Errorf("a position that is none = %s, want 400", a)
	}
	patient.position = "FFFFFF/0" // of another database
	if a := patient.said("GET", "/memories", ""); a.status != http.StatusOK {
		t.Errorf("a position that no standby will ever have = %s, want an answer of the primary", a)
	}
}

// testPaused: standbys are paused. Old memories are still read on them, new ones on the primary, and erased ones are
// never returned.
func testPaused(t *testing.T, c *pgtest.Standbys, writer, patient, bounded reader, first trilith.ID) {
	writer.T, patient.T, bounded.T = t, t, t
	for i := range c.Addrs {
		c.Pause(t, i)
	}
	resume := func() {
		for i := range c.Addrs {
			c.Resume(t, i)
		}
	}
	defer resume()
	second, position := writer.write("The second crate holds cherries.")
	written := time.Now()
	if patient.sees(second) || patient.lists(second) || patient.finds("cherries", second) {
		t.Error("a reader without a position reads what only the primary has: no standby answers, or replay is not paused")
	}
	if !patient.sees(first) || !patient.finds("apples", first) {
		t.Error("a standby that stands still does not show what it has")
	}
	knows := patient
	knows.position = position
	if !knows.sees(second) || !knows.lists(second) || !knows.finds("cherries", second) {
		t.Error("who has the position of a write does not read it while no standby has it")
	}
	// The bound counts from when the request begins.
	bounded.until("the bound is honoured", func() bool {
		old := time.Since(written) > 300*time.Millisecond
		sees, lists, finds := bounded.sees(second), bounded.lists(second), bounded.finds("cherries", second)
		if old && !(sees && lists && finds) {
			t.Errorf("older than the bound: read %v, listed %v, found %v", sees, lists, finds)
		}
		return old
	})

	if a := writer.said("DELETE", "/memories/"+string(first)+"?erase=true", ""); a.status != http.StatusOK {
		t.Fatalf("DELETE = %s", a)
	}
	for i := range 10 {
		if patient.sees(first) || patient.lists(first) || patient.finds("apples", first) {
			t.Fatalf("an erased memory is read %d requests after its erasure", 3*i)
		}
	}
	resume()
	before, _ := patient.standbyReads()
	patient.until("standbys answer again", func() bool {
		if patient.sees(first) || patient.finds("apples", first) {
			t.Fatal("an erased memory is read while the standbys catch up")
		}
		n, _ := patient.standbyReads()
		return n > before
	})
}

// testStandbyBack: standbys are killed, the primary answers, and they are started again.
func testStandbyBack(t *testing.T, c *pgtest.Standbys, writer, patient reader) {
	writer.T, patient.T = t, t
	for i := range c.Addrs {
		c.Kill(t, i)
	}
	id, position := writer.write("The third crate holds elderberries.")
	patient.position = position
	if !patient.sees(id) || !patient.lists(id) || !patient.finds("elderberries", id) {
		t.Error("without standbys the primary does not answer")
	}
	patient.until("killed standbys are out", func() bool { return len(patient.out()) == 2 })
	for i := range c.Addrs {
		c.Restart(t, i)
	}
	patient.until("standbys are back", func() bool { return len(patient.out()) == 0 })
	before, _ := patient.standbyReads()
	patient.until("standbys answer again", func() bool {
		if !patient.sees(id) {
			t.Fatal("what was written while standbys were out is not read")
		}
		n, _ := patient.standbyReads()
		return n > before
	})
}
