package migrate

// Small makes the run work in steps so small that a few memories take many of them.
func (o Options) Small() Options {
	o.batch, o.page = 5, 3
	return o
}
