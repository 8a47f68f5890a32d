package trilith_test

import (
	"encoding/json"
	"fmt"

	"github.com/trilith-memory/trilith"
)

// A scope narrows inside its tenant: what it leaves empty does not restrict.
func ExampleScope_Covers() {
	said := trilith.Scope{Tenant: "default", User: "ana", Session: "monday"}

	fmt.Println("Ana, any session:", trilith.Scope{Tenant: "default", User: "ana"}.Covers(said))
	fmt.Println("Ben:", trilith.Scope{Tenant: "default", User: "ben"}.Covers(said))
	fmt.Println("another tenant:", trilith.Scope{Tenant: "guests", User: "ana"}.Covers(said))
	// Output:
	// Ana, any session: true
	// Ben: false
	// another tenant: false
}

// A filter reads as JSON, is checked once, and then decides quickly about every memory.
func ExampleFilter() {
	var f trilith.Filter
	if err := json.Unmarshal([]byte(`{"kind": "note", "tags": {"contains": "travel"}}`), &f); err != nil {
		fmt.Println(trilith.MessageOf(err))
		return
	}
	matches, err := f.Compile()
	if err != nil {
		fmt.Println(trilith.MessageOf(err))
		return
	}
	fmt.Println(matches(&trilith.Facets{Kind: trilith.KindNote, Tags: []string{"travel", "2026"}}))
	fmt.Println(matches(&trilith.Facets{Kind: trilith.KindEpisode, Tags: []string{"travel"}}))

	err = json.Unmarshal([]byte(`{"mood": "good"}`), &f)
	fmt.Println(trilith.MessageOf(err))
	// Output:
	// true
	// false
	// filter: unknown field "mood"; a key of the metadata is metadata.KEY
}
