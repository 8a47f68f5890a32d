package extract

import (
	"testing"

	"github.com/trilith-memory/trilith"
)

// TestMaterialInAProject: what a clause with a colon introduces is nobody's life in a project either, but may hold its
// matters.
func TestMaterialInAProject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Example sentences for my English class:\n- I live in London.\n- I have two brothers.\n- I like ice cream.": 0,
		"Here is a review of our app:\nI live in Rome and I love it.":                                               0,
		"The prompt is:\n\nI am a nurse. I live in Rome.":                                                           0,
		"Unit test data: I live in Rome.":                                                                           0,
		"Bewerte diese Rezension:\n\nIch wohne in Rom und liebe Pizza.":                                             0,
		"About me: I live in Rome.":                                                                                 1,
		"My update: I moved to Rome.":                                                                               1,
		"I live in Rome. Please check this list:\n- milk":                                                           2,
		"Still to do:\nTODO: renew the certificate by 2030-12-01.":                                                  1,
	} {
		if got := Find([]Turn{{Role: trilith.RoleUser, Speaker: "Ana", Text: text, Project: true}}); len(got) != want {
			t.Errorf("%q: %d facts, want %d: %+v", text, len(got), want, got)
		}
	}
}

// TestHandedOver: what somebody asks to work on, or puts under a head, is nobody's life. What they ask of their own is
// theirs.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Translate the following into German. I live in Rome.":     0,
		"Proofread this, please! I live in Rome and work at Arla.": 0,
		"Übersetze das bitte. Ich wohne in Rom.":                   0,
		"Example sentences: I live in Rome. My sister is a nurse.": 0,
		"Test input 1: I live in Rome. Test input 2: I am 40.":     0,
		"Please review my letter. I live in Rome.":                 1,
		"Correct me if I am wrong. I live in Rome now.":            1,
		"My news: I moved to Rome. I work at Arla.":                2,
		"Update: I moved to Rome. I work at Arla.":                 2,
	} {
		if got := Find([]Turn{{Role: trilith.RoleUser, Speaker: "Ana", Text: text}}); len(got) != want {
			t.Errorf("%q: %d facts, want %d: %+v", text, len(got), want, got)
		}
	}
}
