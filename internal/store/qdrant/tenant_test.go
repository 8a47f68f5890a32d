package qdrant_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/test/indextest"
	"github.com/trilith-memory/trilith/internal/test/qdranttest"
)

// tenantOf is the tenant that a filter requires, beside any other conditions; empty if it requires none.
func tenantOf(filter any) string {
	f, _ := filter.(map[string]any)
	must, _ := f["must"].([]any)
	for _, c := range must {
		c, _ := c.(map[string]any)
		if c["key"] == "tenant_id" {
			match, _ := c["match"].(map[string]any)
			tenant, _ := match["value"].(string)
			return tenant
		}
	}
	return ""
}

// TestEveryRequestNamesATenant: of all requests of the suite on points, each that reads or deletes demands one tenant,
// and each that writes names it in every point.
func TestEveryRequestNamesATenant(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := qdranttest.New()
	s.Set(func(x *qdranttest.Switches) {
		x.OnRequest = func(method, path string, data []byte) {
			_, what, ok := strings.Cut(path, "/points")
			if !ok {
				return
			}
			requests.Add(1)
			var body map[string]any
			if err := json.Unmarshal(data, &body); err != nil {
				t.Errorf("%s %s holds no JSON: %v", method, path, err)
			}
			switch searches, several := body["searches"].([]any); {
			case several:
				for _, one := range searches {
					if tenantOf(one.(map[string]any)["filter"]) == "" {
						t.Errorf("%s %s searches without a tenant: %s", method, path, data)
					}
				}
			case method == "PUT" && what == "":
				for _, p := range body["points"].([]any) {
					p := p.(map[string]any)
					payload := p["payload"].(map[string]any)
					tenant, id := payload["tenant_id"].(string), payload["id"].(string)
					if tenant == "" || p["id"] != string(trilith.DeriveID("qdrant", tenant, id)) {
						t.Errorf("a point is %v of tenant %q and memory %q", p["id"], tenant, id)
					}
				}
			case tenantOf(body["filter"]) == "":
				t.Errorf("%s %s demands no tenant: %s", method, path, data)
			}
		}
	})
	address := qdranttest.Start(t, s)
	t.Run("suite", func(t *testing.T) { indextest.RunVector(t, harness(address)) })
	if requests.Load() < 100 {
		t.Errorf("there were %d requests on points: this test looks at the wrong ones", requests.Load())
	}
}

// TestOneFunctionNamesTheTenant: filters are made in one place, so that no request can forget the tenant.
func TestOneFunctionNamesTheTenant(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made += strings.Count(string(body), "matches(tenantKey")
	}
	if made != 1 {
		t.Errorf("the tenant is compared in %d places, want one", made)
	}
}
