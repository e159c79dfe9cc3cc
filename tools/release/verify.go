package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vmrender/vmrender/tools/release/archive"
	"github.com/vmrender/vmrender/tools/release/program"
)

// verify checks the published release as a user would.
func (r *release) verify(ctx context.Context) error {
	return errors.Join(r.verifyFiles(ctx), r.verifyPrograms(ctx), r.verifyImage(ctx), r.verifyCharts(ctx))
}

// verifyFiles checks the signature of the checksums and the sums of all files.
func (r *release) verifyFiles(ctx context.Context) error {
	sums := filepath.Join(r.dist, "checksums.txt")
	if _, err := r.tools.verify(ctx, "verify-blob", "--bundle", sums+".sigstore.json", sums); err != nil {
		return err
	}
	text, err := os.ReadFile(sums)
	if err != nil {
		return err
	}
	listed := map[string]string{"checksums.txt": "", "checksums.txt.sigstore.json": ""}
	for line := range strings.Lines(string(text)) {
		sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[file] = sum
	}
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		sum, ok := listed[entry.Name()]
		if !ok {
			return fmt.Errorf("%s is not in checksums.txt", entry.Name())
		}
		data, err := os.ReadFile(filepath.Join(r.dist, entry.Name()))
		if err != nil {
			return err
		}
		if sum != "" && sum != fmt.Sprintf("%x", sha256.Sum256(data)) {
			return fmt.Errorf("%s differs from its sum in checksums.txt", entry.Name())
		}
	}
	return nil
}

// verifyPrograms checks that each bill of materials lists all modules of its program,
// and that the program for this machine has the right version.
func (r *release) verifyPrograms(ctx context.Context) error {
	for _, p := range platforms() {
		packed, err := os.ReadFile(filepath.Join(r.dist, archiveName(r.info.Version, p)))
		if err != nil {
			return err
		}
		files, err := archive.Extract(packed)
		if err != nil {
			return err
		}
		bill := filepath.Join(r.dist, billName(r.info.Version, p))
		if err := r.verifyProgram(ctx, p, files[p.File("vmrender")].Data, bill); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}

func (r *release) verifyProgram(ctx context.Context, p program.Platform, data []byte, bill string) error {
	dir, err := os.MkdirTemp("", "vmrender-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "vmrender")
	if err := os.WriteFile(file, data, 0o700); err != nil { //nolint:gosec // it is run below
		return err
	}
	info, err := program.Read(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(bill)
	if err != nil {
		return err
	}
	if err := lists(text, info.Modules); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(bill), err)
	}
	if p.OS != runtime.GOOS || p.Arch != runtime.GOARCH {
		return nil
	}
	printed, err := exec.CommandContext(ctx, file, "version").Output()
	if err != nil {
		return err
	}
	expected := "vmrender " + r.info.Version + " (commit " + r.info.Commit[:12] + " of "
	if !strings.HasPrefix(string(printed), expected) {
		return fmt.Errorf("vmrender version printed %q; expected %q", printed, expected)
	}
	return nil
}

// lists checks that a bill of materials (SPDX 2.3) lists modules with their versions.
func lists(bill []byte, modules []program.Module) error {
	var document struct {
		Packages []struct {
			Name    string `json:"name"`
			Version string `json:"versionInfo"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(bill, &document); err != nil {
		return err
	}
	found := map[program.Module]bool{}
	for _, p := range document.Packages {
		found[program.Module{Path: p.Name, Version: p.Version}] = true
	}
	if len(modules) == 0 {
		return errors.New("the program has no modules")
	}
	for _, m := range modules {
		if !found[m] {
			return fmt.Errorf("module %s %s is missing", m.Path, m.Version)
		}
	}
	return nil
}

// verifyImage checks the signatures of the image and of its bill of materials.
func (r *release) verifyImage(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(r.dist, "image.txt"))
	if err != nil {
		return err
	}
	pushed := strings.TrimSpace(string(text))
	if _, err := r.tools.verify(ctx, "verify", pushed); err != nil {
		return err
	}
	_, err = r.tools.verify(ctx, "verify-attestation", "--type", "spdxjson", pushed)
	return err
}

// verifyCharts pulls each chart and compares its output with that of the checkout.
// Links in the checkout are files in a package.
func (r *release) verifyCharts(ctx context.Context) error {
	dirs, err := r.charts()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := r.verifyChart(ctx, dir); err != nil {
			return fmt.Errorf("chart %s: %w", filepath.Base(dir), err)
		}
	}
	return nil
}

func (r *release) verifyChart(ctx context.Context, dir string) error {
	chart := filepath.Base(dir)
	packed, err := r.packed(chart)
	if err != nil {
		return err
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(packed), chart+"-"), ".tgz")
	pulled, err := os.MkdirTemp("", "vmrender-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(pulled)
	_, err = r.tools.helm(ctx, "pull", "oci://"+r.registry+"/charts/"+chart, "--version", version, "--destination", pulled)
	if err != nil {
		return err
	}
	file := filepath.Join(pulled, filepath.Base(packed))
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	files, err := archive.Extract(data)
	if err != nil {
		return err
	}
	if len(files[chart+"/templates/_vmrender.tpl"].Data) == 0 {
		return errors.New("the package has no templates/_vmrender.tpl")
	}
	return r.sameOutput(ctx, file, dir)
}

// kubernetes is the version that charts are rendered for, because a helm that Go builds
// assumes an old one (helm v3.19, pkg/chartutil/capabilities.go).
const kubernetes = "--kube-version=1.34"

// sameOutput checks that two charts render the same output for every example of values
// in the second.
func (r *release) sameOutput(ctx context.Context, pulled, checkout string) error {
	examples, err := filepath.Glob(filepath.Join(checkout, "ci", "*-values.yaml"))
	if err == nil && len(examples) == 0 {
		err = errors.New("there are no examples of values")
	}
	if err != nil {
		return err
	}
	for _, values := range examples {
		first, err := r.tools.run(ctx, "helm", "template", "test", pulled, kubernetes, "--values", values)
		if err != nil {
			return err
		}
		second, err := r.tools.run(ctx, "helm", "template", "test", checkout, kubernetes, "--values", values)
		if err != nil {
			return err
		}
		if !bytes.Equal(first, second) {
			return fmt.Errorf("with %s the package renders other objects than the checkout", filepath.Base(values))
		}
	}
	return nil
}
