package extract

import "testing"

// TestCues reads words of an end where no pattern tells what ends: the clause is passed on.
func TestCues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, rule, said string }{
		{"So, that was my last week at the bakery.", "en.cue.1", "that was my last week at the bakery"},
		{"Pottery? I've given it up, no time.", "en.cue.5", "I've given it up"},
		{"My knee is fine, but I have lost all interest in squash.", "en.cue.7",
			"but I have lost all interest in squash"},
		{"Die Trompete habe ich an den Nagel gehängt.", "de.cue.5", "Die Trompete habe ich an den Nagel gehängt"},
		{"Das Paket an Tante Gerda ist raus.", "de.cue.10", "Das Paket an Tante Gerda ist raus"},
	} {
		_, amendments := Read(said(c.text))
		ok := false
		for _, got := range amendments {
			ok = ok || got.Rule == c.rule && got.Said == c.said
		}
		if !ok {
			t.Errorf("Read(%q) changes %+v, want %s with the clause %q", c.text, amendments, c.rule, c.said)
		}
	}
	for _, text := range []string{"I might give up squash.", "She has given up squash.",
		"Ich überlege, die Trompete an den Nagel zu hängen.",
		"Did you cancel the trip?", "If the trip is off, tell me.", "In the film the plumber comes on Monday.",
		"Ich mag nicht mehr."} {
		if found, amendments := Read(said(text)); len(found)+len(amendments) > 0 {
			t.Errorf("Read(%q) = %v, %v, want nothing", text, found, amendments)
		}
	}
}
