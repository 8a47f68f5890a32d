package compose

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/internal/provider"
	"github.com/cairn-memory/cairn/internal/qdrant"
	"github.com/cairn-memory/cairn/internal/wait"
)

const (
	schemeQdrant = "qdrant"
	qdrantPort   = "6333" // of the REST API
)

// qdrantParams are the parameters of the setting.
var qdrantParams = []string{"collection", "tls", "allow_http", "key_file", "key_env", "ca_file", "timeout", "quantize",
	"replicas", "ordering", "consistency", "shard_key"}

// inQdrant reports whether a setting of vectors names a Qdrant server.
func inQdrant(vectors string) bool {
	return strings.HasPrefix(vectors, schemeQdrant+":")
}

// qdrantOptions reads the setting of vectors: qdrant://HOST:PORT,HOST:PORT?name=value, or qdrant: for the address that
// the environment names.
func (s *Settings) qdrantOptions() (o qdrant.Options, err error) {
	spec, err := provider.Parse("vectors", s.Vectors, qdrantParams...)
	if err != nil {
		return o, err
	}
	secure := spec.Param("tls") == "true"
	if o.Addresses, err = s.qdrantAddresses(spec.Model, secure); err != nil {
		return o, err
	}
	if o.Key, err = s.qdrantKey(spec); err != nil {
		return o, err
	}
	if path := spec.Param("ca_file"); path != "" {
		if o.CAFile, err = os.ReadFile(path); err != nil {
			return o, cairn.Errorf(cairn.Invalid, "vectors: ca_file: %w", err)
		}
	}
	if v := spec.Param("timeout"); v != "" {
		if o.Timeout, err = time.ParseDuration(v); err != nil || o.Timeout <= 0 {
			return o, cairn.Errorf(cairn.Invalid, "vectors: timeout=%.20s must be a time such as 5s", v)
		}
	}
	if o.Replicas, err = spec.Int("replicas"); err != nil {
		return o, err
	}
	for _, name := range []string{"tls", "allow_http"} {
		if v := spec.Param(name); v != "" && v != "true" {
			return o, cairn.Errorf(cairn.Invalid, "vectors: %s is true, or left out", name)
		}
	}
	o.PlainHTTP = spec.Param("allow_http") == "true"
	o.Collection, o.Quantize, o.ShardKey = spec.Param("collection"), spec.Param("quantize"), spec.Param("shard_key")
	o.Ordering, o.Consistency, o.Logger = spec.Param("ordering"), spec.Param("consistency"), s.logger()
	return o, nil
}

// qdrantAddresses are those that a setting names after its scheme, else those of the environment.
func (s *Settings) qdrantAddresses(named string, secure bool) ([]string, error) {
	hosts, given := strings.CutPrefix(named, "//")
	switch {
	case !given && named != "" || given && strings.ContainsAny(hosts, "/@"):
		return nil, cairn.Errorf(cairn.Invalid, "vectors: write qdrant://HOST:%s?collection=NAME; a key comes from "+
			"QDRANT_API_KEY", qdrantPort)
	case hosts == "":
		return s.qdrantOutside(secure)
	}
	var out []string
	for host := range strings.SplitSeq(hosts, ",") {
		out = append(out, qdrantURL(host, secure))
	}
	return out, nil
}

// qdrantOutside is the address that the variables of other programs name.
func (s *Settings) qdrantOutside(secure bool) ([]string, error) {
	if v := s.getenv("QDRANT_URL"); v != "" {
		u, err := url.Parse(v)
		if err != nil || u.Host == "" {
			return nil, cairn.Errorf(cairn.Invalid, "vectors: QDRANT_URL must be http:// or https:// with a host")
		}
		if u.Port() == "" { // as Qdrant's own clients read it
			u.Host = net.JoinHostPort(u.Hostname(), qdrantPort)
		}
		return []string{u.String()}, nil
	}
	host := cmp.Or(s.getenv("QDRANT_HOST"), s.getenv("qdrant_host"))
	if host == "" {
		return nil, cairn.Errorf(cairn.Invalid, "vectors: qdrant: names no server; write qdrant://HOST:%s, or set QDRANT_URL",
			qdrantPort)
	}
	port := cmp.Or(s.getenv("QDRANT_PORT"), s.getenv("qdrant_port"))
	if _, err := strconv.ParseUint(port, 10, 16); err == nil { // an orchestrator may put tcp://… of its own there
		host = net.JoinHostPort(host, port)
	}
	return []string{qdrantURL(host, secure)}, nil
}

// qdrantURL is the address of a host, with the usual port where it has none.
func qdrantURL(host string, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), qdrantPort)
	}
	return scheme + host
}

// qdrantKey is the API key: of the file or the variable that the setting names, else of the usual variable. A server
// may need none.
func (s *Settings) qdrantKey(spec provider.Spec) (string, error) {
	if spec.Param("key_file")+spec.Param("key_env") == "" {
		return strings.TrimSpace(s.getenv("QDRANT_API_KEY")), nil
	}
	return s.credential(spec)
}

// openQdrant opens vectors on a Qdrant server. One that does not answer now is no error: words are found meanwhile, and
// vectors when it is there.
func (s *Settings) openQdrant(ctx context.Context) (cairn.VectorIndex, error) {
	o, err := s.qdrantOptions()
	if err != nil {
		return nil, err
	}
	v, err := qdrant.New(o)
	if err != nil {
		return nil, err
	}
	err = v.Connect(ctx)
	switch {
	case err == nil:
	case ctx.Err() == nil && cairn.KindOf(err) == cairn.Unavailable:
		s.say("vectors: %s. Memories are found by words alone until it does.", cairn.MessageOf(err))
	default:
		_ = v.Close()
		return nil, err
	}
	return v, nil
}

// OwnVectors is a setting of vectors for a memory that is measured and removed: on a Qdrant server it has collections
// of its own, called by the name beside those of the setting. [DropVectors] removes them.
func OwnVectors(vectors, name string) string {
	if !inQdrant(vectors) {
		return vectors
	}
	address, query, _ := strings.Cut(vectors, "?")
	params, err := url.ParseQuery(query)
	if err != nil { // opening says what is wrong with it
		return vectors
	}
	params.Set("collection", cmp.Or(params.Get("collection"), qdrant.DefaultCollection)+"-"+name)
	return address + "?" + params.Encode()
}

// AwaitIndexed waits until a server of vectors has indexed what it was sent, so that what is measured is neither a
// server that looks at every vector nor one that is busy. Vectors elsewhere are indexed when they are stored.
func AwaitIndexed(ctx context.Context, s Settings) error {
	if !inQdrant(s.Vectors) {
		return nil
	}
	o, err := s.qdrantOptions()
	if err != nil {
		return err
	}
	v, err := qdrant.New(o)
	if err != nil {
		return err
	}
	defer v.Close()
	for {
		done, err := v.Indexed(ctx)
		if done || err != nil && cairn.KindOf(err) != cairn.Unavailable { // it may be too busy to answer
			return err
		}
		if err := wait.For(ctx, time.Second); err != nil {
			return err
		}
	}
}

// DropVectors removes all vectors that a setting of [OwnVectors] names; those that lie in a store go with it.
func DropVectors(ctx context.Context, s Settings) error {
	if !inQdrant(s.Vectors) {
		return nil
	}
	o, err := s.qdrantOptions()
	if err != nil {
		return err
	}
	v, err := qdrant.New(o)
	if err != nil {
		return err
	}
	defer v.Close()
	return v.Reset(ctx, cairn.AsSystem("measured"))
}
