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

// optionParameters maps options of the command line to the corresponding
// parameters. In its messages, package fleet names an option instead of a file if
// the option is wrong, and at the end if the option would help.
func optionParameters() map[string]string {
	return map[string]string{"--namespace": "namespace", "--set": "vars", "--default": "defaults", "--vm": "vm"}
}

// inParameters returns the diagnostics with parameters in place of options.
func inParameters(diags *source.Diagnostics) *source.Diagnostics {
	out := new(source.Diagnostics)
	for _, d := range diags.Sorted() {
		for option, parameter := range optionParameters() {
			name := fmt.Sprintf("parameter %q", parameter)
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
