package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/vmrender/vmrender/tools/release/program"
)

//go:embed formula.rb.tmpl
var formulaText string

func formula() *template.Template { return template.Must(template.New("formula").Parse(formulaText)) }

// formulaData is the data for the template of Homebrew's formula.
type formulaData struct {
	Version string
	dist    string
}

// Number returns the version as Homebrew writes it.
func (f formulaData) Number() string { return strings.TrimPrefix(f.Version, "v") }

// Systems returns Homebrew's names of operating systems, by Go's.
func (formulaData) Systems() map[string]string {
	return map[string]string{"darwin": "macos", "linux": "linux"}
}

// Processors returns Homebrew's names of architectures, by Go's.
func (formulaData) Processors() map[string]string {
	return map[string]string{"amd64": "intel", "arm64": "arm"}
}

// Archive returns the file name of a platform's archive.
func (f formulaData) Archive(system, arch string) string {
	return archiveName(f.Version, program.Platform{OS: system, Arch: arch})
}

// Sum returns the SHA-256 of a platform's archive.
func (f formulaData) Sum(system, arch string) (string, error) {
	data, err := os.ReadFile(filepath.Join(f.dist, f.Archive(system, arch)))
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
