// Package program builds the commands of vmrender for a platform and reads the
// information that Go records in them.
package program

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Platform is an operating system and an architecture, as Go names them.
type Platform struct{ OS, Arch string }

// ParsePlatform parses a text such as "linux/amd64".
func ParsePlatform(text string) (Platform, error) {
	system, arch, ok := strings.Cut(text, "/")
	if !ok || system == "" || arch == "" || strings.Contains(arch, "/") {
		return Platform{}, fmt.Errorf("invalid platform %q; expected OS/ARCHITECTURE, such as linux/amd64", text)
	}
	return Platform{system, arch}, nil
}

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// File returns the file name of a program.
func (p Platform) File(name string) string {
	if p.OS == "windows" {
		return name + ".exe"
	}
	return name
}

// Environment returns the environment of Go commands for the platform. A
// developer's settings for other builds do not change the bytes of these
// builds.
func (p Platform) Environment() []string {
	return append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "GOAMD64=v1", "GOARM64=v8.0",
		"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOFIPS140=off")
}

// Build compiles commands, such as "./cmd/...", of the repository at root into a
// directory. The same commit and the same Go produce the same bytes: there are no
// paths, and the date is that of the commit.
func (p Platform) Build(ctx context.Context, root, dir, commands string) error {
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=",
		"-o", dir+string(filepath.Separator), commands)
	command.Dir, command.Env = root, p.Environment()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building for %s: %w\n%s", p, err, output)
	}
	return nil
}

// Info is the information that Go records in a program.
type Info struct {
	Version  string    // a tag such as "v1.2.3", or a version that Go derives from the commit
	Commit   string    // empty for a build outside of a clone, such as in an archive of the sources
	Date     time.Time // of the commit
	Modified bool      // the checkout had uncommitted changes
	Modules  []Module  // linked modules, without vmrender's own
}

// Module is a Go module, as "go version -m" lists it.
type Module struct{ Path, Version string }

// CheckCommit returns an error if Go recorded no commit.
func (i Info) CheckCommit() error {
	if i.Commit == "" {
		return errors.New("the programs were built outside of a clone: Go recorded no commit; " +
			"build in a clone whose .git is a directory, not in a worktree or an archive of the sources")
	}
	return nil
}

// Read returns the information that Go recorded in a program.
func Read(file string) (Info, error) {
	found, err := buildinfo.ReadFile(file)
	if err != nil {
		return Info{}, err
	}
	info := Info{Version: found.Main.Version}
	for _, s := range found.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.time":
			if info.Date, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return Info{}, fmt.Errorf("reading the date of the commit in %s: %w", file, err)
			}
		case "vcs.modified":
			info.Modified = s.Value == "true"
		}
	}
	for _, dep := range found.Deps {
		used := cmp.Or(dep.Replace, dep)
		info.Modules = append(info.Modules, Module{used.Path, used.Version})
	}
	return info, nil
}
