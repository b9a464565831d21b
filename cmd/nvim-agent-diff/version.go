package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			_, err := fmt.Fprintln(c.App.Writer, versionLine())
			return err
		},
	}
}

// versionLine says which program this is and what it was built from.
func versionLine() string {
	line := "nvim-agent-diff " + moduleVersion()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return line + " " + runtime.Version()
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		line += " revision " + revision
		if settings["vcs.modified"] == "true" {
			line += " (modified)"
		}
	}
	return line + " " + runtime.Version()
}

// moduleVersion is the module's version, "devel" when it was built from a working tree without one.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
