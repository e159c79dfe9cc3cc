package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// tools runs third-party programs: cosign, syft, and helm.
type tools struct {
	dir string // where make builds them
	// key is the file of a private key, with the public one next to it as
	// cosign.pub. If it is empty, cosign signs with the identity of the
	// workflow that it runs in.
	key   string
	plain bool // the registry has no TLS because it runs on this machine
}

// run runs a tool and returns its stdout.
func (t tools) run(ctx context.Context, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, filepath.Join(t.dir, name), args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	// Test keys have no password. Without the variable, cosign would ask for one.
	command.Env = append([]string{"COSIGN_PASSWORD=", "SYFT_CHECK_FOR_APP_UPDATE=false"}, os.Environ()...)
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("running %s %s: %w\n%s", name, args[0], err, stderr.String())
	}
	return stdout.Bytes(), nil
}

// sign runs a cosign command that signs. With a key, nothing is written to the
// public log of signatures.
func (t tools) sign(ctx context.Context, command string, args ...string) error {
	if t.key != "" {
		args = append([]string{"--key", t.key, "--use-signing-config=false", "--tlog-upload=false"}, args...)
	}
	_, err := t.run(ctx, "cosign", append([]string{command, "--yes"}, args...)...)
	return err
}

// verify runs a cosign command that verifies.
func (t tools) verify(ctx context.Context, command string, args ...string) ([]byte, error) {
	trust := []string{command, "--certificate-identity-regexp=.", "--certificate-oidc-issuer-regexp=."}
	if t.key != "" {
		trust = []string{command, "--key", filepath.Join(filepath.Dir(t.key), "cosign.pub"), "--insecure-ignore-tlog"}
	}
	return t.run(ctx, "cosign", append(trust, args...)...)
}

// sbom returns the software bill of materials (SPDX) of a file or directory.
func (t tools) sbom(ctx context.Context, kind, path, name, version string) ([]byte, error) {
	return t.run(ctx, "syft", "scan", kind+":"+path, "--source-name", name, "--source-version", version,
		"--output", "spdx-json", "--quiet")
}

// helm runs a helm command that works with the registry.
func (t tools) helm(ctx context.Context, args ...string) ([]byte, error) {
	if t.plain {
		args = append(args, "--plain-http")
	}
	return t.run(ctx, "helm", args...)
}
