package reconcile

import "testing"

func TestHeaded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The hotel in Vienna cancelled our breakfast": "The hotel cancelled our breakfast",
		"The trip to Vienna is off":                   "The trip to Vienna is off",
		"awning of the caravan":                       "awning",
		"going to Vienna":                             "going to Vienna",
		"Rex's leash is gone":                         "leash is gone",
		"Rex's gone":                                  "Rex's gone",
		"I gave the dog to my aunt":                   "I gave the dog",
		"my final day at Harlow":                      "my final day at Harlow",
		"Der Reiseführer für Italien ist ausgelesen":  "Der Reiseführer ist ausgelesen",
		"meine Stelle bei Bosch ist gekündigt":        "meine Stelle bei Bosch ist gekündigt",
		"Bellos Leine habe ich verschenkt":            "Leine habe ich verschenkt",
		"":                                            "",
	} {
		if got := headed(text); got != want {
			t.Errorf("headed(%q) = %q, want %q", text, got, want)
		}
	}
}
