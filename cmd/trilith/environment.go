package main

import (
	"fmt"
	"io"
	"maps"
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

// nearly returns the setting that a name resembles, and is at most two letters longer or shorter than; "" if none is.
func nearly(name string, known []string) string {
	names := map[string]string{}
	for _, setting := range known {
		names[flagName(setting)] = setting
	}
	short := flagName(strings.ToUpper(name))
	meant := trilith.Nearest(short, slices.Sorted(maps.Keys(names))...)
	if d := len(meant) - len(short); d < -2 || d > 2 {
		return ""
	}
	return names[meant]
}

// flagName returns the flag of an environment variable.
func flagName(variable string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, envPrefix), "_", "-"))
}
