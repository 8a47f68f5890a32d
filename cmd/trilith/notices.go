package main

import _ "embed"

// notices contains NOTICE and the licences of everything that is linked into the program on any platform, which have
// to be distributed with it. TestNotices -update writes them.
//
//go:embed THIRD_PARTY_NOTICES
var notices string
