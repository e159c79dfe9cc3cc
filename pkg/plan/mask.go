package plan

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is the most of a value that is shown, in bytes.
const longest = 200

// hidden stands for a value that could be a secret.
const hidden = `"(hidden)"`

// secretFields are the fields that can hold secrets.
var secretFields = []string{
	"userData", "userDataBase64", "networkData", "networkDataBase64", "data", "stringData", "binaryData",
	"password", "token", "extra_vars", "extravars.json",
}

// urlPassword is the user information of a URL.
var urlPassword = regexp.MustCompile(`(://)[^/@"\s]+@`)

// shown returns a value for people: compact, cut, and without what could be a secret.
func shown(r *Rule, path []string, v any) string {
	if v == nil {
		return ""
	}
	if r.Secret || slices.ContainsFunc(path, isSecretField) {
		return hidden
	}
	return cut(urlPassword.ReplaceAllString(compact(masked(v)), "$1(hidden)@"))
}

func isSecretField(name string) bool { return slices.Contains(secretFields, name) }

// masked returns a copy of a value in which the fields that can hold secrets are
// hidden.
func masked(v any) any {
	switch v := v.(type) {
	case tree:
		out := make(tree, len(v))
		for key, value := range v {
			if isSecretField(key) {
				value = strings.Trim(hidden, `"`)
			}
			out[key] = masked(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = masked(v[i])
		}
		return out
	}
	return v
}

// cut shortens a text at the end of a character.
func cut(s string) string {
	if len(s) <= longest {
		return s
	}
	end := longest
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
