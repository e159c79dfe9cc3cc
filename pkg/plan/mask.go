package plan

import (
	"slices"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/secret"
)

// longest is the most of a value that is shown, in bytes.
const longest = 200

// secretFields are the fields that can contain secrets.
var secretFields = []string{
	"userData", "userDataBase64", "networkData", "networkDataBase64", "data", "stringData", "binaryData",
	"password", "token", "extra_vars", "extravars.json", "playbook",
}

// shown returns a value for users: compact, cut, and without what could be a secret.
func shown(path []string, v any) string {
	if v == nil {
		return ""
	}
	if slices.ContainsFunc(path, isSecretField) {
		return compact(secret.Hidden)
	}
	return cut(secret.MaskedIn(compact(masked(v))))
}

func isSecretField(name string) bool { return slices.Contains(secretFields, name) }

// masked returns a copy of a value in which the fields that can contain secrets are
// hidden.
func masked(v any) any {
	switch v := v.(type) {
	case tree:
		out := make(tree, len(v))
		for key, value := range v {
			if isSecretField(key) {
				value = secret.Hidden
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
