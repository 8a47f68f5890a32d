package cairn

// OwnersReport counts what giving stored facts to their owners changes, or has changed.
type OwnersReport struct {
	Tenants  int `json:"tenants"`
	Entities int `json:"entities"` // that got an owner
	Made     int `json:"made"`     // entities that were taken out of one that several owners meant
	Facts    int `json:"facts"`    // that got an owner
	Moved    int `json:"moved"`    // facts that are under another id since; the former ones lead there
}
