package lazyre_test

import (
	"fmt"
	"testing"

	"github.com/trilith-memory/trilith/internal/lang/lazyre"
)

func Example() {
	day := lazyre.New(`(\d{4})-(\d\d)`)
	fmt.Println(day.FindStringSubmatch("since 2025-06")[1])
	// Output: 2025
}

func TestBrokenExpressionPanicsOnUse(t *testing.T) {
	t.Parallel()
	broken := lazyre.New("(")
	defer func() {
		if recover() == nil {
			t.Error("an expression that cannot be compiled matched")
		}
	}()
	broken.MatchString("(")
}

func BenchmarkMatch(b *testing.B) {
	b.ReportAllocs()
	re := lazyre.New(`\bgeese\b`)
	for b.Loop() {
		re.MatchString("The mill and the geese.")
	}
}
