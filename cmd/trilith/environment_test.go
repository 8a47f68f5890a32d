package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trilith-memory/trilith"
)

func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file, []byte("TRILITH_MODEL=openai:m?key_env=TRILITH_MODEL_TOKEN\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, environ, args, refused, warned string
	}{
		{why: "settings", environ: "TRILITH_STORE=mem: TRILITH_LOG_LEVEL=info TRILITH_USER=ana TRILITH_CONFIG=" + file},
		{why: "other programs", environ: "TRILITHSTORE=x STORE=y CARINA_X=z"},
		{why: "a misspelt one", environ: "TRILITH_STROE=mem:",
			refused: "TRILITH_STROE: is not a setting; TRILITH_STORE is one"},
		{why: "a letter too few", environ: "TRILITH_EMBEDER=none", refused: "TRILITH_EMBEDDER is one"},
		{why: "another case", environ: "TRILITH_Store=mem:", refused: "TRILITH_STORE is one"},
		{why: "a word together", environ: "TRILITH_LOGLEVEL=debug", refused: "TRILITH_LOG_LEVEL is one"},
		{why: "nothing like a setting", environ: "TRILITH_FOO=1 TRILITH_YES=true", warned: "TRILITH_FOO TRILITH_YES"},
		{why: "empty", environ: "TRILITH_STROE= TRILITH_FOO="},
		{why: "clients and tests",
			environ: "TRILITH_KEY=k TRILITH_REQUIRE=postgres TRILITH_TEST_POSTGRES=x TRILITH_DB_PASSWORD=p"},
		{why: "a service called trilith",
			environ: "TRILITH_SERVICE_HOST=10.0.0.1 TRILITH_SERVICE_PORT=7700 TRILITH_SERVICE_PORT_HTTP=7700 TRILITH_PORT=tcp://10.0.0.1:7700 " +
				"TRILITH_PORT_7700_TCP=x TRILITH_PORT_7700_TCP_ADDR=x TRILITH_PORT_7700_TCP_PORT=x TRILITH_PORT_7700_TCP_PROTO=tcp TRILITH_DB_SERVICE_HOST=x TRILITH_DB_PORT_5432_TCP_ADDR=x"},
		{why: "a key that a flag names", environ: "TRILITH_OPENAI_TOKEN=sk",
			args: "recall x --embedder openai:m?key_env=TRILITH_OPENAI_TOKEN"},
		{why: "a key that a setting names", environ: "TRILITH_TOKENS=sk TRILITH_RERANKER=jina:m?key_env=TRILITH_TOKENS"},
		{why: "a key that the file names", environ: "TRILITH_MODEL_TOKEN=sk TRILITH_CONFIG=" + file},
		{why: "a key that nobody names", environ: "TRILITH_MODEL_TOKEN=sk", warned: "TRILITH_MODEL_TOKEN"},
	} {
		var said strings.Builder
		err := checkEnvironment(strings.Fields(c.environ), strings.Fields(c.args), &said)
		if c.refused == "" && err != nil || c.refused != "" &&
			(trilith.KindOf(err) != trilith.Invalid || err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: checkEnvironment = %v, want %q", c.why, err, c.refused)
		}
		names := strings.Fields(c.warned)
		if strings.Count(said.String(), "\n") != len(names) {
			t.Errorf("%s: it says %q, want a line about each of %v", c.why, said.String(), names)
		}
		for _, name := range names {
			if !strings.Contains(said.String(), name+" is not a setting") {
				t.Errorf("%s: it says %q, want something about %s", c.why, said.String(), name)
			}
		}
	}
}
