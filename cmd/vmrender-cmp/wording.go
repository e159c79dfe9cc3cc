package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/argocd/plugin"
	"github.com/vmrender/vmrender/pkg/source"
)

// worded returns the message of an error, with the nearest known name.
func worded(err error) string {
	if unknown, ok := errors.AsType[*plugin.UnknownNameError](err); ok {
		return fmt.Sprintf("%v; %s", err, suggest.DidYouMean(unknown.Name, unknown.Known))
	}
	return err.Error()
}

// optionParameters maps options of the command line to what sets the same in Argo CD.
// In its messages, package fleet names an option instead of a file if the option is
// wrong, and at the end if the option would help.
func optionParameters() map[string]string {
	return map[string]string{
		"--namespace": `parameter "namespace"`, "--set": `parameter "vars"`, "--default": `parameter "defaults"`,
		"--vm": `parameter "vm"`, "--image": fmt.Sprintf("variable %q of the sidecar", plugin.ImageVariable),
	}
}

// inParameters returns the diagnostics with parameters in place of options.
func inParameters(diags *source.Diagnostics) *source.Diagnostics {
	out := new(source.Diagnostics)
	for _, d := range diags.Sorted() {
		for option, name := range optionParameters() {
			if d.File == option { // not a file, and not to be counted as one
				d.Pos = source.Pos{}
				d.Path, d.Message = "", source.Diagnostic{Pos: source.Pos{File: name}, Path: d.Path, Message: d.Message}.String()
			}
			if rest, ok := strings.CutSuffix(d.Message, " "+option); ok {
				d.Message = rest + " the " + name
			}
		}
		out.Add(d)
	}
	return out
}
