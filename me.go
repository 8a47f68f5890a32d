package trilith

// Me describes a caller and its rights.
type Me struct {
	Name   string `json:"name"` // of the API key; local without one
	Tenant string `json:"tenant"`
	Access Access `json:"access"`
	// Scope is the scope that the key is bound to; absent: none.
	Scope Scope `json:"scope,omitzero"`
	// Open says that no key protects the server: everybody on its machine is an admin.
	Open     bool     `json:"open"`
	ReadOnly string   `json:"read_only,omitempty"` // why nothing can be written; absent if it can
	Version  string   `json:"version"`             // of the program
	Features Features `json:"features"`
}

// Features lists the parts of a memory that depend on its configuration.
type Features struct {
	Model     bool `json:"model"`      // one writes summaries, answers prompts and finds facts
	Vectors   bool `json:"vectors"`    // texts have vectors
	Reranker  bool `json:"reranker"`   // one orders the best hits again
	RecallLog bool `json:"recall_log"` // questions and results are logged
}
