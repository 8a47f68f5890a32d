package extract

// Single reports whether a verb holds one value at a time, so that two values contradict each other.
func Single(verb string) bool { return lookUp(verb).Single }
