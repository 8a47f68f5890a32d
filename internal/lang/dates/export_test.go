package dates

var kindNames = [...]string{"point", "interval", "duration", "deadline", "recurring"}

// String returns the name of k in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown kind"
}
