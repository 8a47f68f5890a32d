package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAdmission: a tenant that is alone has no bound; of several each has an equal part, whatever the others ask for.
func TestAdmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &admission{slots: 4, lines: map[string]*line{}}
		var began []string
		ends := map[string]func(){}
		ask := func(tenant string, n int) {
			for range n {
				name := fmt.Sprint(tenant, len(began))
				go func() {
					leave, err := a.enter(t.Context(), tenant, time.Minute)
					if err != nil {
						t.Errorf("enter(%s) = %v", tenant, err)
						return
					}
					began, ends[name] = append(began, name), leave
				}()
				synctest.Wait()
			}
		}
		end := func(name string) {
			t.Helper()
			if ends[name] == nil {
				t.Fatalf("%s has not begun; there began %v", name, began)
			}
			ends[name]()
			synctest.Wait()
		}
		check := func(when string, want ...string) {
			t.Helper()
			if !slices.Equal(began, want) {
				t.Errorf("%s: there began %v, want %v", when, began, want)
			}
		}
		ask("acme", 6)
		check("acme alone", "acme0", "acme1", "acme2", "acme3", "acme4", "acme5")
		ask("bolt", 3) // the third waits in bolt's line
		check("bolt came", "acme0", "acme1", "acme2", "acme3", "acme4", "acme5", "bolt6", "bolt7")
		ask("acme", 1)
		for _, name := range []string{"acme0", "acme1", "acme2", "acme3"} {
			end(name)
		}
		if len(began) != 8 {
			t.Errorf("with two of acme under way, there began %v", began)
		}
		end("acme4")
		if len(began) != 9 {
			t.Errorf("with one of acme under way, there began %v", began)
		}
		end("bolt6")
		end("bolt7")
		if len(began) != 10 {
			t.Errorf("with none of bolt under way, there began %v", began)
		}
		for name, leave := range ends {
			if !slices.Contains([]string{"acme0", "acme1", "acme2", "acme3", "acme4", "bolt6", "bolt7"}, name) {
				leave()
			}
		}
		<-time.After(2 * atWork)
		if a.next(); len(a.lines) != 0 {
			t.Errorf("after all requests, lines are left: %v", a.lines)
		}
	})
}

// TestAdmissionBetweenRequests: a tenant keeps its part between two requests, and gives it up after a while.
func TestAdmissionBetweenRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &admission{slots: 4, lines: map[string]*line{}}
		enter := func(tenant string) (leave func()) {
			t.Helper()
			leave, err := a.enter(t.Context(), tenant, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		enter("bolt")()
		ends := []func(){enter("acme"), enter("acme")}
		var late atomic.Int64
		for range 3 {
			go func() {
				leave, err := a.enter(t.Context(), "acme", time.Minute)
				if err != nil {
					t.Errorf("enter = %v", err)
					return
				}
				late.Add(1)
				leave()
			}()
		}
		synctest.Wait()
		if late.Load() != 0 {
			t.Error("a moment without a request gave bolt's part away")
		}
		<-time.After(2 * atWork)
		ends[0]()
		synctest.Wait()
		if late.Load() != 3 {
			t.Errorf("%d of 3 began after bolt had left", late.Load())
		}
		ends[1]()
	})
}

// TestAdmissionEnds: a request that was given up, or has waited too long, leaves its line.
func TestAdmissionEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &admission{slots: 2, lines: map[string]*line{}}
		first, err := a.enter(t.Context(), "acme", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		other, err := a.enter(t.Context(), "bolt", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.enter(t.Context(), "acme", time.Second); !errors.Is(err, errBusy) {
			t.Errorf("enter without room = %v, want %v", err, errBusy)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.enter(gone, "acme", time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("enter of one that went = %v, want canceled", err)
		}
		first()
		other()
		<-time.After(2 * atWork)
		if a.next(); len(a.lines) != 0 {
			t.Errorf("lines are left: %v", a.lines)
		}
	})
}

// BenchmarkAdmission measures what is left to a tenant with four callers beside one with two hundred, of what it has
// alone, in requests a second. A request is a millisecond of a core.
func BenchmarkAdmission(b *testing.B) {
	work := func() {
		for start := time.Now(); time.Since(start) < time.Millisecond; {
		}
	}
	run := func(a *admission, tenant string, callers int, until context.Context) *atomic.Int64 {
		var n atomic.Int64
		for range callers {
			go func() {
				for until.Err() == nil {
					leave, err := a.enter(until, tenant, time.Minute)
					if err != nil {
						return
					}
					work()
					leave()
					n.Add(1)
				}
			}()
		}
		return &n
	}
	for _, c := range []struct {
		name   string
		others int
	}{{"alone", 0}, {"beside", 200}} {
		b.Run(c.name, func(b *testing.B) {
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			a := newAdmission()
			run(a, "acme", c.others, ctx)
			n := run(a, "bolt", 4, ctx)
			for b.Loop() {
				<-time.After(100 * time.Millisecond)
			}
			b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
