package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/cairn-memory/cairn"
	"github.com/cairn-memory/cairn/client"
)

// A server would be started with cairn serve; here one answer stands for it.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"hits":[{"score":0.82,"memory":{"text":"Ana moved to Bergen."}}],"abstained":false}`)
	}))
	defer srv.Close()

	c := client.New(srv.URL, client.WithKey("the key that cairn keys create printed"))
	res, err := c.Recall(context.Background(), cairn.Scope{User: "ana"},
		cairn.RecallRequest{Query: "Where does Ana live?", K: 3})
	if err != nil {
		fmt.Println(cairn.KindOf(err), cairn.MessageOf(err))
		return
	}
	for _, hit := range res.Hits {
		fmt.Printf("%.2f %s\n", hit.Score, hit.Memory.Text)
	}
	// Output: 0.82 Ana moved to Bergen.
}
