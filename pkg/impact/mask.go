package impact

import (
	"slices"

	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/secret"
)

// shown returns a value for users: compact, cut, and without what could be a secret.
func shown(path []string, v any) string {
	if v == nil {
		return ""
	}
	if slices.ContainsFunc(path, secret.IsField) {
		return manifest.Compact(secret.Hidden)
	}
	return wording.Cut(secret.MaskedIn(manifest.Compact(masked(v))))
}

// masked returns a copy of a value in which the fields that can contain secrets are
// hidden.
func masked(v any) any {
	switch v := v.(type) {
	case manifest.Tree:
		out := make(manifest.Tree, len(v))
		for key, value := range v {
			if secret.IsField(key) {
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
