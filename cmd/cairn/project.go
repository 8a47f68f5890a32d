package main

type projectCmd struct {
	Timeline timelineCmd `cmd:"" help:"Show what is to be done in a project, and when."`
}
