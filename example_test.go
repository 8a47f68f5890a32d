package cairn_test

import (
	"encoding/json"
	"fmt"

	"github.com/cairn-memory/cairn"
)

// A scope narrows inside its tenant: what it leaves empty does not restrict.
func ExampleScope_Covers() {
	said := cairn.Scope{Tenant: "default", User: "ana", Session: "monday"}

	fmt.Println("Ana, any session:", cairn.Scope{Tenant: "default", User: "ana"}.Covers(said))
	fmt.Println("Ben:", cairn.Scope{Tenant: "default", User: "ben"}.Covers(said))
	fmt.Println("another tenant:", cairn.Scope{Tenant: "guests", User: "ana"}.Covers(said))
	// Output:
	// Ana, any session: true
	// Ben: false
	// another tenant: false
}

// A filter reads as JSON, is checked once, and then decides quickly about every memory.
func ExampleFilter() {
	var f cairn.Filter
	if err := json.Unmarshal([]byte(`{"kind": "note", "tags": {"contains": "travel"}}`), &f); err != nil {
		fmt.Println(cairn.MessageOf(err))
		return
	}
	matches, err := f.Compile()
	if err != nil {
		fmt.Println(cairn.MessageOf(err))
		return
	}
	fmt.Println(matches(&cairn.Facets{Kind: cairn.KindNote, Tags: []string{"travel", "2026"}}))
	fmt.Println(matches(&cairn.Facets{Kind: cairn.KindEpisode, Tags: []string{"travel"}}))

	err = json.Unmarshal([]byte(`{"mood": "good"}`), &f)
	fmt.Println(cairn.MessageOf(err))
	// Output:
	// true
	// false
	// filter: unknown field "mood"; a key of the metadata is metadata.KEY
}
