package main

import _ "embed"

// notices are those of NOTICE and the licences of everything that is linked into the program on any platform: they ask
// to be handed on with it. TestNotices -update writes them.
//
//go:embed THIRD_PARTY_NOTICES
var notices string
