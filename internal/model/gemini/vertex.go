package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"golang.org/x/sync/singleflight"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

// platform is the scope of tokens for Vertex AI.
const platform = "https://www.googleapis.com/auth/cloud-platform"

// tokenTimeout bounds getting a token.
const tokenTimeout = 30 * time.Second

// trusted are the kinds of credential files that are taken; the library wants them to be named.
var trusted = map[string]google.CredentialsType{"service_account": google.ServiceAccount,
	"authorized_user":  google.AuthorizedUser,
	"external_account": google.ExternalAccount, "impersonated_service_account": google.ImpersonatedServiceAccount}

// tokens gets access tokens.
type tokens struct {
	file   []byte
	kind   google.CredentialsType
	client *http.Client

	asking singleflight.Group
	// nil: not found yet; it keeps a token while that is valid. Only the goroutine that asks touches it
	source oauth2.TokenSource
}

// Credentials is the credential of Vertex AI: access tokens, made when they are needed and again when they run out.
// file is the content of a credential file; empty asks for the application's default credentials: the file that
// gcloud has written, or the metadata server of the machine. transport carries the requests for tokens; nil: the
// usual one.
func Credentials(file []byte, transport http.RoundTripper) (func(context.Context) (http.Header, error), error) {
	var kind google.CredentialsType
	if len(file) > 0 {
		var f struct {
			Type string `json:"type"`
		}
		known := false
		if json.Unmarshal(file, &f) == nil {
			kind, known = trusted[f.Type]
		}
		if !known {
			return nil, trilith.Errorf(trilith.Invalid, "embedder: the credential file is not one of Google Cloud")
		}
	}
	t := &tokens{file: file, kind: kind, client: &http.Client{Transport: transport, Timeout: tokenTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	return t.header, nil
}

// header returns a token as soon as there is one. Getting it goes on for those who come later when the caller's time is
// over: where there is no metadata server the library looks for it longer than anybody wants to wait.
func (t *tokens) header(ctx context.Context) (http.Header, error) {
	asked := t.asking.DoChan("", func() (any, error) { return t.token(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-asked:
		if got.Err != nil {
			return nil, got.Err
		}
		return http.Header{"Authorization": {"Bearer " + got.Val.(string)}}, nil
	}
}

func (t *tokens) token(ctx context.Context) (string, error) {
	source, err := t.find(ctx)
	if err != nil {
		return "", err
	}
	token, err := source.Token()
	if err != nil {
		f := &provider.Failure{Class: provider.Soon} // the network, or the machine's metadata
		if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok &&
			e.Response.StatusCode < http.StatusInternalServerError {
			f.Class, f.Status = provider.Auth, e.Response.StatusCode
		}
		return "", f
	}
	return token.AccessToken, nil
}

// find looks for the credentials if they have not been found yet. The source outlives the request that needs it
// first, so ctx must not end with that.
func (t *tokens) find(ctx context.Context) (oauth2.TokenSource, error) {
	if t.source != nil {
		return t.source, nil
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, t.client)
	var found *google.Credentials
	var err error
	if len(t.file) > 0 {
		found, err = google.CredentialsFromJSONWithType(ctx, t.file, t.kind, platform)
	} else {
		found, err = google.FindDefaultCredentials(ctx, platform)
	}
	if err != nil {
		return nil, &provider.Failure{Class: provider.Auth}
	}
	t.source = found.TokenSource
	return t.source, nil
}
