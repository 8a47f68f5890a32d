package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-memory/cairn"
)

func TestCheckEnvironment(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file, []byte("CAIRN_MODEL=openai:m?key_env=CAIRN_MODEL_TOKEN\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, environ, args, refused, warned string
	}{
		{why: "settings", environ: "CAIRN_STORE=mem: CAIRN_LOG_LEVEL=info CAIRN_USER=ana CAIRN_CONFIG=" + file},
		{why: "other programs", environ: "CAIRNSTORE=x STORE=y CARINA_X=z"},
		{why: "a misspelt one", environ: "CAIRN_STROE=mem:",
			refused: "CAIRN_STROE: is not a setting; CAIRN_STORE is one"},
		{why: "a letter too few", environ: "CAIRN_EMBEDER=none", refused: "CAIRN_EMBEDDER is one"},
		{why: "another case", environ: "CAIRN_Store=mem:", refused: "CAIRN_STORE is one"},
		{why: "a word together", environ: "CAIRN_LOGLEVEL=debug", refused: "CAIRN_LOG_LEVEL is one"},
		{why: "nothing like a setting", environ: "CAIRN_FOO=1 CAIRN_YES=true", warned: "CAIRN_FOO CAIRN_YES"},
		{why: "empty", environ: "CAIRN_STROE= CAIRN_FOO="},
		{why: "clients and tests",
			environ: "CAIRN_KEY=k CAIRN_REQUIRE=postgres CAIRN_TEST_POSTGRES=x CAIRN_DB_PASSWORD=p"},
		{why: "a service called cairn",
			environ: "CAIRN_SERVICE_HOST=10.0.0.1 CAIRN_SERVICE_PORT=7700 CAIRN_SERVICE_PORT_HTTP=7700 CAIRN_PORT=tcp://10.0.0.1:7700 " +
				"CAIRN_PORT_7700_TCP=x CAIRN_PORT_7700_TCP_ADDR=x CAIRN_PORT_7700_TCP_PORT=x CAIRN_PORT_7700_TCP_PROTO=tcp CAIRN_DB_SERVICE_HOST=x CAIRN_DB_PORT_5432_TCP_ADDR=x"},
		{why: "a key that a flag names", environ: "CAIRN_OPENAI_TOKEN=sk",
			args: "recall x --embedder openai:m?key_env=CAIRN_OPENAI_TOKEN"},
		{why: "a key that a setting names", environ: "CAIRN_TOKENS=sk CAIRN_RERANKER=jina:m?key_env=CAIRN_TOKENS"},
		{why: "a key that the file names", environ: "CAIRN_MODEL_TOKEN=sk CAIRN_CONFIG=" + file},
		{why: "a key that nobody names", environ: "CAIRN_MODEL_TOKEN=sk", warned: "CAIRN_MODEL_TOKEN"},
	} {
		var said strings.Builder
		err := checkEnvironment(strings.Fields(c.environ), strings.Fields(c.args), &said)
		if c.refused == "" && err != nil || c.refused != "" &&
			(cairn.KindOf(err) != cairn.Invalid || err == nil || !strings.Contains(err.Error(), c.refused)) {
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
