package words_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trilith-memory/trilith"
)

func TestMetered(t *testing.T) {
	t.Parallel()
	var tenant, job int
	outer := trilith.Metered(t.Context(), func(s trilith.Spent) { tenant += s.Usage.InputTokens })
	inner := trilith.Metered(outer, func(s trilith.Spent) { job += s.Usage.InputTokens })
	spent := trilith.Spent{Provider: "test", Model: "m", Requests: 1, Usage: trilith.Usage{InputTokens: 5}}
	trilith.Spend(inner, spent)
	trilith.Spend(outer, spent)
	trilith.Spend(t.Context(), spent) // nobody counts
	if tenant != 10 || job != 5 {
		t.Errorf("the outer meter counted %d tokens and the inner %d, want 10 and 5", tenant, job)
	}
}

func TestParseBudget(t *testing.T) {
	t.Parallel()
	got, err := trilith.ParseBudget(
		[]string{"tokens=2000000", "voyage/tokens=5", "extract/requests=200", "openai/extract/tokens=7"})
	want := []trilith.BudgetLimit{{Unit: trilith.BudgetTokens, Most: 2_000_000},
		{Provider: "voyage", Unit: trilith.BudgetTokens, Most: 5},
		{Purpose: trilith.PurposeExtract, Unit: trilith.BudgetRequests, Most: 200},
		{Provider: "openai", Purpose: trilith.PurposeExtract, Unit: trilith.BudgetTokens, Most: 7}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("ParseBudget = %v (-want +got):\n%s", err, diff)
	}
	for _, l := range want {
		if again, err := trilith.ParseBudget([]string{l.String()}); err != nil || again[0] != l {
			t.Errorf("ParseBudget(%q) = %+v, %v", l, again, err)
		}
	}
	for _, bad := range []string{"", "tokens", "tokens=", "tokens=0", "tokens=-1", "money=5", "a/b/tokens=5",
		"a/extract/b/tokens=5", "tokens=1e6"} {
		if _, err := trilith.ParseBudget([]string{bad}); trilith.KindOf(err) != trilith.Invalid {
			t.Errorf("ParseBudget(%q) = %v, want Invalid", bad, err)
		}
	}
	if _, err := trilith.ParseBudget([]string{"tokens=5", "tokens=6"}); trilith.KindOf(err) != trilith.Invalid {
		t.Errorf("ParseBudget of one limit twice = %v, want Invalid", err)
	}
}

// TestBudgetCounts: a limit counts what it names, and nothing else.
func TestBudgetCounts(t *testing.T) {
	t.Parallel()
	line := trilith.UsageLine{Provider: "voyage", Purpose: trilith.PurposeIndex, Requests: 3,
		Usage: trilith.Usage{InputTokens: 100, OutputTokens: 20}}
	for limit, want := range map[string]int{"tokens=1": 120, "requests=1": 3, "voyage/tokens=1": 120,
		"index/requests=1": 3, "openai/tokens=1": 0, "voyage/search/tokens=1": 0} {
		ls, err := trilith.ParseBudget([]string{limit})
		if err != nil {
			t.Fatal(err)
		}
		if got := ls[0].Count(line); got != want {
			t.Errorf("%s counts %d of %+v, want %d", limit, got, line, want)
		}
	}
}
