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

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
	"github.com/trilith-memory/trilith/internal/role"
	"github.com/trilith-memory/trilith/internal/store/qdrant"
	"github.com/trilith-memory/trilith/internal/wait"
)

const (
	schemeQdrant = "qdrant"
	qdrantPort   = "6333" // of the REST API
)

// qdrantParams are the parameters of the setting.
var qdrantParams = []string{"collection", "tls", "allow_http", "key_file", "key_env", "ca_file", "timeout", "quantize",
	"replicas", "ordering", "consistency", "shard_key"}

// openQdrant opens vectors on a Qdrant server. It is no error if the server does not answer now: word search works
// meanwhile, and vector search once it answers.
func (s *Settings) openQdrant(ctx context.Context) (role.VectorIndex, error) {
	v, err := s.serverVectors()
	if err != nil {
		return nil, err
	}
	err = v.Connect(ctx)
	switch {
	case err == nil:
	case ctx.Err() == nil && trilith.KindOf(err) == trilith.Unavailable:
		s.say("vectors: %s. Memories are found by words alone until it does.", trilith.MessageOf(err))
	default:
		_ = v.Close()
		return nil, err
	}
	return v, nil
}

// OwnVectors returns a setting of vectors for a temporary memory: on a Qdrant server it has separate collections with
// the name as a part of theirs. [DropVectors] removes them.
func OwnVectors(vectors, name string) string {
	if !inQdrant(vectors) {
		return vectors
	}
	address, query, _ := strings.Cut(vectors, "?")
	params, err := url.ParseQuery(query)
	if err != nil { // opening reports the error
		return vectors
	}
	params.Set("collection", cmp.Or(params.Get("collection"), qdrant.DefaultCollection)+"-"+name)
	return address + "?" + params.Encode()
}

// AwaitIndexed waits until a vector server has indexed everything, so that measurements concern neither a server
// without an index nor a busy one. Other vectors are indexed when they are stored.
func AwaitIndexed(ctx context.Context, s Settings) error {
	v, err := s.serverVectors()
	if err != nil || v == nil {
		return err
	}
	defer v.Close()
	for {
		done, err := v.Indexed(ctx)
		if done || err != nil && trilith.KindOf(err) != trilith.Unavailable { // it may be too busy to answer
			return err
		}
		if err := wait.For(ctx, time.Second); err != nil {
			return err
		}
	}
}

// DropVectors removes all vectors of a setting from [OwnVectors]; vectors in a store are removed with the store.
func DropVectors(ctx context.Context, s Settings) error {
	v, err := s.serverVectors()
	if err != nil || v == nil {
		return err
	}
	defer v.Close()
	return v.Reset(ctx, trilith.AsSystem("measured"))
}

// serverVectors returns the vectors of the settings if they are on a Qdrant server, without connecting; nil if they are not.
func (s *Settings) serverVectors() (*qdrant.Vectors, error) {
	if !inQdrant(s.Vectors) {
		return nil, nil
	}
	o, err := s.qdrantOptions()
	if err != nil {
		return nil, err
	}
	return qdrant.New(o)
}

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
			return o, trilith.Errorf(trilith.Invalid, "vectors: ca_file: %w", err)
		}
	}
	if v := spec.Param("timeout"); v != "" {
		if o.Timeout, err = time.ParseDuration(v); err != nil || o.Timeout <= 0 {
			return o, trilith.Errorf(trilith.Invalid, "vectors: timeout=%.20s must be a time such as 5s", v)
		}
	}
	if o.Replicas, err = spec.Int("replicas"); err != nil {
		return o, err
	}
	for _, name := range []string{"tls", "allow_http"} {
		if v := spec.Param(name); v != "" && v != "true" {
			return o, trilith.Errorf(trilith.Invalid, "vectors: %s is true, or left out", name)
		}
	}
	o.PlainHTTP = spec.Param("allow_http") == "true"
	o.Collection, o.Quantize, o.ShardKey = spec.Param("collection"), spec.Param("quantize"), spec.Param("shard_key")
	o.Ordering, o.Consistency, o.Logger = spec.Param("ordering"), spec.Param("consistency"), s.logger()
	return o, nil
}

// qdrantAddresses returns the addresses in a setting, or else those in the environment.
func (s *Settings) qdrantAddresses(named string, secure bool) ([]string, error) {
	hosts, given := strings.CutPrefix(named, "//")
	switch {
	case !given && named != "" || given && strings.ContainsAny(hosts, "/@"):
		return nil, trilith.Errorf(trilith.Invalid, "vectors: write qdrant://HOST:%s?collection=NAME; a key comes from "+
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

// qdrantOutside returns the address in the variables of other programs.
func (s *Settings) qdrantOutside(secure bool) ([]string, error) {
	if v := s.getenv("QDRANT_URL"); v != "" {
		u, err := url.Parse(v)
		if err != nil || u.Host == "" {
			return nil, trilith.Errorf(trilith.Invalid, "vectors: QDRANT_URL must be http:// or https:// with a host")
		}
		if u.Port() == "" { // as Qdrant's own clients read it
			u.Host = net.JoinHostPort(u.Hostname(), qdrantPort)
		}
		return []string{u.String()}, nil
	}
	host := cmp.Or(s.getenv("QDRANT_HOST"), s.getenv("qdrant_host"))
	if host == "" {
		return nil, trilith.Errorf(trilith.Invalid, "vectors: qdrant: names no server; write qdrant://HOST:%s, or set QDRANT_URL",
			qdrantPort)
	}
	port := cmp.Or(s.getenv("QDRANT_PORT"), s.getenv("qdrant_port"))
	if _, err := strconv.ParseUint(port, 10, 16); err == nil { // an orchestrator may put its own tcp://… there
		host = net.JoinHostPort(host, port)
	}
	return []string{qdrantURL(host, secure)}, nil
}

// qdrantURL returns the address of a host, with the default port if it has none.
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

// qdrantKey returns the API key: from the file or the variable that the setting names, or from the default variable. A
// server may need none.
func (s *Settings) qdrantKey(spec provider.Spec) (string, error) {
	if spec.Param("key_file")+spec.Param("key_env") == "" {
		return strings.TrimSpace(s.getenv("QDRANT_API_KEY")), nil
	}
	return s.credential(spec)
}
