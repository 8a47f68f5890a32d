package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/client"
)

// A server would be started with trilith serve; here one answer stands for it.
func Example() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"hits":[{"score":0.82,"memory":{"text":"Ana moved to Bergen."}}],"abstained":false}`)
	}))
	defer srv.Close()

	c := client.New(srv.URL, client.WithKey("the key that trilith keys create printed"))
	res, err := c.Recall(context.Background(), trilith.Scope{User: "ana"},
		trilith.RecallRequest{Query: "Where does Ana live?", K: 3})
	if err != nil {
		fmt.Println(trilith.KindOf(err), trilith.MessageOf(err))
		return
	}
	for _, hit := range res.Hits {
		fmt.Printf("%.2f %s\n", hit.Score, hit.Memory.Text)
	}
	// Output: 0.82 Ana moved to Bergen.
}
