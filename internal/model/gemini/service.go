// Package gemini drives models and embedders of Google, behind the Gemini API and behind Vertex AI.
package gemini

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/trilith-memory/trilith"
	"github.com/trilith-memory/trilith/internal/model/provider"
)

// address is where the Gemini API answers.
const address = "https://generativelanguage.googleapis.com"

// plain are the names that Google gives to projects and regions.
var plain = regexp.MustCompile(`^[a-z0-9][a-z0-9:.-]*$`)

// validate refuses values that would make another address.
func (v *Vertex) validate() error {
	switch {
	case !plain.MatchString(v.Project):
		return trilith.Errorf(trilith.Invalid, "project: name the project on Google Cloud, such as my-project")
	case !plain.MatchString(v.Location):
		return trilith.Errorf(trilith.Invalid, "location: name a region of Google Cloud, such as europe-west4, or global")
	}
	return nil
}

// address is where Vertex AI answers for a location.
func (v *Vertex) address() string {
	if v.Location == "global" {
		return "https://aiplatform.googleapis.com"
	}
	return "https://" + v.Location + "-aiplatform.googleapis.com"
}

// models is the path of Google's models.
func (v *Vertex) models() string {
	return "/v1/projects/" + v.Project + "/locations/" + v.Location + "/publishers/google/models/"
}

// explain reads an error of Google's shape. A quota of the day is recognised by the name of its limit only.
func explain(_ int, _ http.Header, data []byte) (string, provider.Class) {
	var e struct {
		Error struct {
			Message string `json:"message"`
			Status  string `json:"status"`
			Details []struct {
				Reason     string `json:"reason"`
				Violations []struct {
					QuotaID string `json:"quotaId"`
				} `json:"violations"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &e) != nil {
		return "", provider.Unclassified
	}
	for _, d := range e.Error.Details {
		if d.Reason == "API_KEY_INVALID" {
			return e.Error.Message, provider.Auth
		}
		for _, v := range d.Violations {
			if strings.Contains(v.QuotaID, "PerDay") {
				return e.Error.Message, provider.Money
			}
		}
	}
	if e.Error.Status == "INVALID_ARGUMENT" && strings.Contains(e.Error.Message, "token count") {
		return e.Error.Message, provider.TooBig
	}
	return e.Error.Message, provider.Unclassified
}
