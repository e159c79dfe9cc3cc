package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// memoryDirectory is a directory in memory on most Linux systems.
const memoryDirectory = "/dev/shm"

// workDirectory returns the default directory of the inputs and the servers' files: in memory, as in the plugin's
// manifests. On a disk, the result would depend on its file system and on earlier deletions.
func workDirectory() string {
	if info, err := os.Stat(memoryDirectory); err == nil && info.IsDir() {
		return memoryDirectory
	}
	return os.TempDir()
}

// fileSystem returns the kind of file system of a directory on Linux, such as tmpfs.
func fileSystem(ctx context.Context, dir string) (string, error) {
	name, err := exec.CommandContext(ctx, "stat", "--file-system", "--format=%T", dir).Output()
	if err != nil {
		return "", fmt.Errorf("asking for the file system of %s: %w", dir, err)
	}
	return strings.TrimSpace(string(name)), nil
}

// hugePages returns the setting of transparent huge pages: the word in brackets in Linux's list (Linux 6.12,
// Documentation/admin-guide/mm/transhuge.rst). It is empty on other systems.
func hugePages() string {
	settings, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		return ""
	}
	_, setting, _ := strings.Cut(string(settings), "[")
	setting, _, _ = strings.Cut(setting, "]")
	return setting
}

func hasValgrind() bool {
	_, err := exec.LookPath("valgrind")
	return err == nil
}
