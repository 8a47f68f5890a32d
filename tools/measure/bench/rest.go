package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"

	"github.com/trilith-memory/trilith"
)

// service is a separate process, trilith serve.
type service struct {
	cmd  *exec.Cmd
	url  string
	stop context.CancelFunc
}

func (s *service) end() {
	s.stop()
	_ = s.cmd.Wait() // it was told to end
}

// localTenant is the tenant of a service without keys.
const localTenant = "default"

// rest measures a service from outside, end to end: HTTP, JSON, rights, and the engine. Without a key a service has
// one tenant, so another one cannot be measured.
func (b *bench) rest(ctx context.Context) error {
	if b.o.tenant != localTenant {
		return nil
	}
	t := b.table("rest", "Over HTTP, from outside", append(append([]string{"per_s"}, latency...), "cpu_ms")...)
	all := &restriction{scope: b.scope(b.o.tenant)}
	if err := b.askOf([]*restriction{all}); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	defer client.CloseIdleConnections()
	s, err := startService(ctx, b, builtFile)
	if err != nil {
		return err
	}
	defer s.end()
	search := func(caller, i int) error {
		return s.post(ctx, client, "/api/v1/search",
			trilith.RecallRequest{Query: all.question(caller*callsMost/4 + i)})
	}
	for _, row := range []struct {
		name, label string
		callers     int
	}{
		{"search", "search, each question for the first time", 1},
		{"search_again", "search, the same questions again", 1},
		{"search_callers_4", "search, 4 callers", 4},
	} {
		if err := s.measure(t, row.name, row.label, row.callers, b.times(callsMost), search); err != nil {
			return err
		}
	}
	s.end()
	if s, err = startService(ctx, b, "stored.db"); err != nil {
		return err
	}
	defer s.end()
	texts := b.sample.talks(23).Conversation(sampleBegin, callsMost).Turns
	var stored atomic.Int64
	store := func(_, _ int) error {
		n := int(stored.Add(1))
		return s.post(ctx, client, "/api/v1/memories", trilith.RememberRequest{Messages: []trilith.Message{
			{Content: fmt.Sprintf("%s (%d)", texts[n%len(texts)].Text, n)}}})
	}
	for _, callers := range []int{1, 8} {
		if err := s.measure(t, fmt.Sprintf("store_callers_%d", callers), "store one text, durable, "+
			callersLabel(callers), callers, b.times(2*callsMost), store); err != nil {
			return err
		}
	}
	return nil
}

// startService starts a service on a memory of the benchmark and waits until it says its address.
func startService(ctx context.Context, b *bench, file string) (*service, error) {
	ctx, stop := context.WithCancel(ctx)
	s := &service{cmd: b.command(ctx, file, "serve", "--addr", "127.0.0.1:0"), stop: stop}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	at := strings.Index(line, "http://")
	switch {
	case err != nil:
		err = fmt.Errorf("serve said nothing: %w", err)
	case at < 0:
		err = errors.New("serve did not say its address")
	default:
		s.url = strings.TrimSpace(line[at:])
		return s, nil
	}
	s.end()
	return nil, err
}

// post sends a request and reads the answer to its end.
func (s *service) post(ctx context.Context, client *http.Client, path string, body any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err = errors.Join(err, res.Body.Close()); err == nil && res.StatusCode >= http.StatusMultipleChoices {
		err = trilith.Errorf(trilith.Internal, "serve answers %s with %s", path, res.Status)
	}
	return err
}

// measure lets callers make n calls of the service and adds a row of their times and of the service's processor
// time.
func (s *service) measure(t *table, name, label string, callers, n int, call func(caller, i int) error) error {
	busy := busyOf(s.cmd.Process.Pid)
	took, perSecond, err := together(callers, n, call)
	if err != nil {
		return err
	}
	each := (busyOf(s.cmd.Process.Pid) - busy) / float64(n)
	t.row(name, label, append(append([]float64{perSecond}, took...), each)...)
	return nil
}
