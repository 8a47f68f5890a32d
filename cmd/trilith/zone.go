package main

import (
	"os"
	"strings"
	"time"
	_ "time/tzdata" // zones are known where the machine has no table of them

	"github.com/trilith-memory/trilith"
)

// localZone returns the name of the machine's time zone, which TZ may choose; where only its clock is known, the offset
// from UTC of today.
func localZone() string {
	link, _ := os.Readlink("/etc/localtime")
	_, linked, _ := strings.Cut(link, "zoneinfo/")
	now := time.Now()
	for _, name := range []string{time.Local.String(), linked} {
		zone, err := trilith.ZoneOf(name)
		if err == nil && zone != nil && trilith.OffsetOf(now.In(zone)) == trilith.OffsetOf(now) {
			return name
		}
	}
	return now.Format("-07:00")
}
