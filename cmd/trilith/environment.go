package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/trilith-memory/trilith"
)

// foreignNames matches variables that begin like trilith's but are no settings: those of clients, of tests and of
// PostgreSQL's image, and those with which orchestrators describe a service or a link named trilith.
var foreignNames = regexp.MustCompile(`^TRILITH_(KEY|URL|REQUIRE|TEST_.*|DB_PASSWORD|NAME|ENV_.*|` +
	`(.+_)?SERVICE_(HOST|PORT(_.+)?)|(.+_)?PORT(_[0-9]+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)?)$`)

// namedKey matches the variable for a key in a setting.
var namedKey = regexp.MustCompile(`key_env=([A-Za-z0-9_]+)`)

// checkEnvironment checks variables that begin like settings but are none. For one that resembles a setting it returns
// an error, so that a misspelled one is not silently ignored; for the others it prints a warning.
func checkEnvironment(environ, args []string, warn io.Writer) error {
	values := valuesOf(environ)
	file, _ := configFile(args, lookIn(environ)) // an error will be reported when the file is used
	known := settingNames()
	referred := map[string]bool{}
	for _, text := range slices.Concat(args, settingValues(values), settingValues(file)) {
		for _, m := range namedKey.FindAllStringSubmatch(text, -1) {
			referred[m[1]] = true
		}
	}
	var unknown []string
	for name, value := range values {
		ours := strings.HasPrefix(strings.ToUpper(name), envPrefix) && value != ""
		if ours && !slices.Contains(known, name) && !referred[name] && !foreignNames.MatchString(name) {
			unknown = append(unknown, name)
		}
	}
	for _, name := range known {
		former := "CAIRN_" + strings.TrimPrefix(name, envPrefix)
		if values[former] != "" && values[name] == "" && !foreignNames.MatchString(name) {
			return trilith.Errorf(trilith.Invalid, "%s: this program was called cairn before; call the variable %s, or unset it",
				former, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		if setting := nearly(name, known); setting != "" {
			return trilith.Errorf(trilith.Invalid, "%s: is not a setting; %s is one. Rename the variable, or unset it",
				name, setting)
		}
	}
	for _, name := range unknown {
		fmt.Fprintf(warn, "trilith: %s is not a setting and changes nothing; docs/design.md lists the settings\n", name)
	}
	return nil
}

// valuesOf returns the variables of an environment; of several with one name the first counts.
func valuesOf(environ []string) map[string]string {
	values := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if _, twice := values[name]; !twice {
			values[name] = value
		}
	}
	return values
}

// lookIn returns a function that reads variables of an environment; a missing one is empty. On Windows names ignore
// case.
func lookIn(environ []string) func(name string) string {
	values := valuesOf(environ)
	if runtime.GOOS == "windows" {
		for name, value := range values {
			values[strings.ToUpper(name)] = value
		}
	}
	return func(name string) string { return values[name] }
}

// settingNames returns the environment variables of settings.
func settingNames() []string {
	out := []string{envName("config")}
	for _, s := range slices.Concat(settings, mcpSettings) {
		out = append(out, envName(s))
	}
	return out
}

// settingValues returns the values of variables that begin like settings.
func settingValues(values map[string]string) (out []string) {
	for name, value := range values {
		if strings.HasPrefix(name, envPrefix) {
			out = append(out, value)
		}
	}
	return out
}

// nearly returns the setting that differs from a name by one typing error, or two if the setting is long; "" if there
// is none.
func nearly(name string, known []string) string {
	name = strings.TrimPrefix(strings.ToUpper(name), envPrefix)
	for _, setting := range known {
		short := strings.TrimPrefix(setting, envPrefix)
		slips := 1
		if len(short) >= 6 {
			slips = 2
		}
		if slipsBetween(name, short) <= slips {
			return setting
		}
	}
	return ""
}

// slipsBetween counts how many letters must be inserted, deleted, replaced, or swapped with their neighbour to turn one
// word into the other.
func slipsBetween(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
