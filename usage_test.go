package cairn_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-memory/cairn"
)

func TestMetered(t *testing.T) {
	t.Parallel()
	var tenant, job int
	outer := cairn.Metered(t.Context(), func(s cairn.Spent) { tenant += s.Usage.InputTokens })
	inner := cairn.Metered(outer, func(s cairn.Spent) { job += s.Usage.InputTokens })
	spent := cairn.Spent{Provider: "test", Model: "m", Requests: 1, Usage: cairn.Usage{InputTokens: 5}}
	cairn.Spend(inner, spent)
	cairn.Spend(outer, spent)
	cairn.Spend(t.Context(), spent) // nobody counts
	if tenant != 10 || job != 5 {
		t.Errorf("the outer meter counted %d tokens and the inner %d, want 10 and 5", tenant, job)
	}
}

func TestParseBudget(t *testing.T) {
	t.Parallel()
	got, err := cairn.ParseBudget(
		[]string{"tokens=2000000", "voyage/tokens=5", "extract/requests=200", "openai/extract/tokens=7"})
	want := []cairn.BudgetLimit{{Unit: cairn.BudgetTokens, Most: 2_000_000},
		{Provider: "voyage", Unit: cairn.BudgetTokens, Most: 5},
		{Purpose: cairn.PurposeExtract, Unit: cairn.BudgetRequests, Most: 200},
		{Provider: "openai", Purpose: cairn.PurposeExtract, Unit: cairn.BudgetTokens, Most: 7}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("ParseBudget = %v (-want +got):\n%s", err, diff)
	}
	for _, l := range want {
		if again, err := cairn.ParseBudget([]string{l.String()}); err != nil || again[0] != l {
			t.Errorf("ParseBudget(%q) = %+v, %v", l, again, err)
		}
	}
	for _, bad := range []string{"", "tokens", "tokens=", "tokens=0", "tokens=-1", "money=5", "a/b/tokens=5",
		"a/extract/b/tokens=5", "tokens=1e6"} {
		if _, err := cairn.ParseBudget([]string{bad}); cairn.KindOf(err) != cairn.Invalid {
			t.Errorf("ParseBudget(%q) = %v, want Invalid", bad, err)
		}
	}
	if _, err := cairn.ParseBudget([]string{"tokens=5", "tokens=6"}); cairn.KindOf(err) != cairn.Invalid {
		t.Errorf("ParseBudget of one limit twice = %v, want Invalid", err)
	}
}

// TestBudgetCounts: a limit counts what it names, and nothing else.
func TestBudgetCounts(t *testing.T) {
	t.Parallel()
	line := cairn.UsageLine{Provider: "voyage", Purpose: cairn.PurposeIndex, Requests: 3,
		Usage: cairn.Usage{InputTokens: 100, OutputTokens: 20}}
	for limit, want := range map[string]int{"tokens=1": 120, "requests=1": 3, "voyage/tokens=1": 120,
		"index/requests=1": 3, "openai/tokens=1": 0, "voyage/search/tokens=1": 0} {
		ls, err := cairn.ParseBudget([]string{limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := ls[0].Count(line); got != want {
			t.Errorf("%s counts %d of %+v, want %d", limit, got, line, want)
		}
	}
}
