//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/pgtest"
)

// townsfolk is a model that learns where people live. It counts the requests for each town, because each costs money.
type townsfolk struct {
	hold chan struct{} // answers wait until it is closed; nil: they do not

	coming func() // is called with each question, if there is one

	mu    sync.Mutex
	asked map[string]int // by town
}

var livesIn = regexp.MustCompile(`I live in (Town[0-9a-z]+)\.`)

func (m *townsfolk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	found := livesIn.FindAllStringSubmatch(string(body), -1)
	if err != nil || len(found) == 0 {
		http.Error(w, "nobody says where they live", http.StatusBadRequest)
		return
	}
	town := found[len(found)-1][1]
	m.mu.Lock()
	m.asked[town]++
	m.mu.Unlock()
	if m.coming != nil {
		m.coming()
	}
	if m.hold != nil {
		select {
		case <-m.hold:
		case <-r.Context().Done(): // the caller is gone
			return
		}
	}
	answers(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":100}}`,
		strings.ReplaceAll(whatAnaSaid, "Oslo", town))(w, r)
}

func (m *townsfolk) times(town string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[town]
}

// settle waits until no job is to be done, and returns all jobs.
func (c *service) settle(t testing.TB) []trilith.Job {
	t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		var page struct{ Items []trilith.Job }
		if status := c.call(t, "/api/v1/jobs?limit=1000", "", &page); status != http.StatusOK {
			t.Fatalf("GET /jobs = %d", status)
		}
		if !slices.ContainsFunc(page.Items, func(j trilith.Job) bool { return j.State == trilith.JobReady }) {
			return page.Items
		}
		select {
		case <-again.C:
		case <-t.Context().Done():
			t.Fatal("jobs are left")
		}
	}
}

// moves is what somebody says to a service about where they live.
func moves(person int) string {
	return fmt.Sprintf(`{"user": "u%[1]d", "session": "s%[1]d", "extract": "llm", "messages": [{"role": "user", "speaker": "Ana", "content": "I live in Town%[1]d."}]}`, person)
}

// with makes the model that the next service asks.
func (f *fleet) with(t testing.TB, m *townsfolk) {
	t.Helper()
	m.asked = map[string]int{}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	f.env["TRILITH_MODEL"], f.env["OPENAI_API_KEY"] = "openai:m?base_url="+srv.URL, secret
}

// TestJobsOnce: a text that is stored through three services is read by one of them, and the model is paid once.
func TestJobsOnce(t *testing.T) {
	t.Parallel()
	const people = 20
	f := newFleet(t, pgtest.Database(t, "vector"))
	var model townsfolk
	f.with(t, &model)
	f.join(t, 3)
	var g errgroup.Group
	g.SetLimit(6)
	for n := range people {
		g.Go(func() error {
			_, err := f.front.post(t.Context(), fmt.Sprintf("person-%d", n), moves(n))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, j := range f.front.settle(t) {
		if j.State != trilith.JobDone || j.Attempts != 1 {
			t.Errorf("a job for %s is %s after %d attempts: %s", j.Kind, j.State, j.Attempts, j.Error)
		}
	}
	facts := f.front.listed(t, "fact")
	for n := range people {
		town := fmt.Sprintf("Town%d", n)
		if ids := facts["Ana lives in "+town+"."]; len(ids) != 1 || model.times(town) != 1 {
			t.Errorf("%s: the facts %v after %d questions to the model, want one of each", town, ids, model.times(town))
		}
	}
	if len(facts) != people {
		t.Errorf("%d facts, want %d", len(facts), people)
	}
}

// TestKilledInTheMiddle: a service is killed while it waits for a model. When its lease has ended, another one does its
// job.
func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t, "vector")
	f := newFleet(t, database)
	coming := make(chan int)
	models := make([]townsfolk, 2)
	for i := range models {
		models[i] = townsfolk{hold: make(chan struct{}), coming: func() { coming <- i }}
		f.with(t, &models[i])
		f.join(t, 1)
	}
	if _, err := f.front.post(t.Context(), "person-1", moves(1)); err != nil {
		t.Fatal(err)
	}
	first := <-coming
	other := 1 - first
	f.each[first].end(t, os.Kill)
	if n := models[other].times("Town1"); n != 0 {
		t.Fatalf("the other service asked %d times while the first had the job", n)
	}
	close(models[other].hold)
	lapse(t, database)
	<-coming
	jobs := f.each[other].settle(t)
	if len(jobs) == 0 || slices.ContainsFunc(jobs, func(j trilith.Job) bool { return j.State != trilith.JobDone }) {
		t.Errorf("the jobs are %+v, want them done", jobs)
	}
	if facts := f.each[other].listed(t, "fact"); len(facts) != 1 || len(facts["Ana lives in Town1."]) != 1 {
		t.Errorf("the facts are %v, want the one that the first was about to store", facts)
	}
}

// lapse ends the leases of all jobs, as time would.
func lapse(t testing.TB, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(),
		"UPDATE trilith.jobs SET leased_until = now() WHERE leased_until > now()"); err != nil {
		t.Fatal(err)
	}
}
