package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
)

// wrongInputs is the directory of the wrong inputs. Each of its directories is a
// fleet with one mistake, or with several if that is the point:
//
//	want.txt       the exact output of validate
//	args           arguments of validate and template, one per line (optional)
//	template-args  arguments of template alone, if validate does not have the flags (optional)
const wrongInputs = "../../test/errors"

// For every wrong fleet, validate reports exactly the expected problems. The template command
// reports the same ones and prints nothing on stdout. Both exit with status 1.
func TestWrongInput(t *testing.T) {
	entries, err := os.ReadDir(wrongInputs)
	require.NoError(t, err)
	require.Greater(t, len(entries), 100)
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			t.Chdir(filepath.Join(wrongInputs, e.Name()))
			golden.Equal(t, "want.txt", complaints(t))
		})
	}
}

// complaints runs validate and template in the working directory and returns
// the problems that both report.
func complaints(t *testing.T) string {
	t.Helper()
	said := ""
	args, only := arguments(t, "template-args"), true
	if args == nil {
		args, only = arguments(t, "args"), false
	}
	if !only {
		status, stdout, stderr := run(append([]string{"validate"}, args...)...)
		require.Equal(t, statusInvalid, status, "%s%s", stdout, stderr)
		require.Empty(t, stderr)
		said = stdout
	}
	status, stdout, stderr := run(append([]string{"template"}, args...)...)
	require.Equal(t, statusInvalid, status, stderr)
	require.Empty(t, stdout)
	if !only {
		require.Equal(t, said, stderr, "template says something else")
	}
	require.NotEmpty(t, stderr)
	return stderr
}

// arguments reads a file of arguments. It returns nil if there is no such file.
func arguments(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// These wrong inputs contain bytes that cannot be kept in a Git repository.
func TestWrongBytes(t *testing.T) {
	utf16 := []byte{0xff, 0xfe}
	for _, c := range "vms: {}\n" {
		utf16 = append(utf16, byte(c), 0)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"utf-16": {utf16, "vms.yaml:1:1: the file is encoded in UTF-16; only UTF-8 is accepted"},
		"invalid utf-8": {
			[]byte("vms:\n  web01: {hostname: \"a\xc3\"}\n"),
			"vms.yaml:2:23: this is not valid UTF-8; only UTF-8 text is accepted",
		},
		"nul": {
			[]byte("vms:\n  web01: \x00\n"),
			"vms.yaml:2:10: the file holds a NUL byte and seems to be binary; only UTF-8 text is accepted",
		},
		"binary": {
			[]byte("\x7fELF\x02\x01\x01\x00\x00"),
			"vms.yaml:1:1: a control character is not accepted; write it as an escape in double quotes",
		},
		"lone carriage return": {
			[]byte("vms:\r  web01: {}\n"),
			"vms.yaml:1:5: a carriage return stands without a line feed; end lines with LF or CR LF",
		},
		"byte order mark within": {
			[]byte("vms:\n  web01: \ufeff{}\n"),
			"vms.yaml:2:10: a byte order mark is accepted only at the start of the file",
		},
		// Both are accepted and do not count in positions.
		"byte order mark and carriage returns": {
			[]byte("\ufeffvms:\r\n  web01:\r\n    memory: 4GB # größer\r\n    hostname: é{{ .vars.a }}\r\n"),
			"vms.yaml:3:13: vms.web01.memory: invalid quantity \"4GB\"; did you mean \"4Gi\"?\n" +
				"vms.yaml:4:25: vms.web01.hostname: template: missing variable \"a\"; set it under `vars` or with --set\n" +
				"2 errors in 1 file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(writeFleet(t, string(c.data)))
			require.Equal(t, c.want+"\n", complaints(t))
		})
	}
}

// A file above the limit is not read.
func TestWrongSize(t *testing.T) {
	t.Chdir(writeFleet(t, "vms: {}\n"))
	require.NoError(t, os.Truncate("vms.yaml", 32<<20+1))
	require.Equal(t, "vms.yaml: file is too large; a file holds at most 32 MiB\n", complaints(t))
}

// A truncated file never makes the program panic, and all reports about it have a position.
func TestTornInput(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(wrongInputs, "*", "vms.yaml"))
	require.NoError(t, err)
	var texts [][]byte
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts = append(texts, text)
		}
	}
	t.Chdir(writeFleet(t, "vms: {}\n"))
	for _, text := range texts {
		end := 0
		for line := range bytes.Lines(text) {
			for _, part := range [][]byte{text[:end+len(line)/2], text[:end+len(line)]} {
				checkTorn(t, part)
			}
			end += len(line)
		}
	}
}

func checkTorn(t *testing.T, text []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile("vms.yaml", text, 0o644))
	status, stdout, _ := run("validate")
	placed := strings.HasPrefix(stdout, "vms.yaml:") || strings.HasPrefix(stdout, "fleet.yaml:")
	require.True(t, status == statusOK || status == statusInvalid && placed, "%s\n%s", text, stdout)
}
