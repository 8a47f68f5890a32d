package trilith

// OwnersReport counts the changes of assigning owners to stored facts, planned or done.
type OwnersReport struct {
	Tenants  int `json:"tenants"`
	Entities int `json:"entities"` // that got an owner
	Made     int `json:"made"`     // entities split from one that several owners used
	Facts    int `json:"facts"`    // that got an owner
	Moved    int `json:"moved"`    // facts with a new id; their former ids lead to it
}
