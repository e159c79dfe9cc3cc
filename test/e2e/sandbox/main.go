package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Main is the main function of a program whose work needs a sandbox, which has no network to fetch modules from. The
// function prepare runs outside the sandbox and writes everything to dir; run does the work inside. P is passed on
// as JSON. The directory stays if the work fails. Main returns the exit status.
func Main[P any](name string, prepare func(dir string) (P, error), run func(P) (int, error)) int {
	forgetRepository()
	begin := func() (int, error) { return outside(name, prepare) }
	if message, is := handed(); is {
		begin = func() (int, error) { return inside(message, run) }
	}
	status, err := begin()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	return status
}

// forgetRepository removes the variables that git sets for its hooks. With them, the git commands of a test that a
// hook starts would write to the repository of the hook.
func forgetRepository() {
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name) // a name from the environment is valid
		}
	}
}

func outside[P any](name string, prepare func(dir string) (P, error)) (int, error) {
	dir, err := os.MkdirTemp("", "vmrender-"+name+"-")
	if err != nil {
		return 1, err
	}
	prepared, err := prepare(dir)
	if err != nil {
		return 1, err
	}
	message, err := json.Marshal(prepared)
	if err != nil {
		return 1, err
	}
	status, err := start(string(message))
	if status == 0 && err == nil {
		return 0, os.RemoveAll(dir)
	}
	fmt.Fprintf(os.Stderr, "%s: logs are in %s\n", name, dir)
	return status, err
}

func inside[P any](message string, run func(P) (int, error)) (int, error) {
	var prepared P
	if err := json.Unmarshal([]byte(message), &prepared); err != nil {
		return 1, err
	}
	if err := enter(); err != nil {
		return 1, err
	}
	return run(prepared)
}
