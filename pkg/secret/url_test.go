package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/secret"
)

func TestMasked(t *testing.T) {
	for reference, want := range map[string]string{
		"images/rhel9": "images/rhel9",
		"docker://registry.example.com/a@sha256:00":       "docker://registry.example.com/a@sha256:00",
		"docker://a@sha256:00":                            "docker://a@sha256:00",
		"https://example.com/a.qcow2":                     "https://example.com/a.qcow2",
		"https://user:pass@example.com:8443/a@b.qcow2":    "https://***@example.com:8443/a@b.qcow2",
		"https://token@example.com":                       "https://***@example.com",
		"https://us@er:pass@example.com/a":                "https://***@example.com/a",
		"https://example.com/a?X-Amz-Signature=abc":       "https://example.com/a?***",
		"s3://key:secret@bucket.example.com/a?versionId=": "s3://***@bucket.example.com/a?***",
		"registry.example.com/tools/rescue:1":             "registry.example.com/tools/rescue:1",
	} {
		require.Equal(t, want, secret.Masked(reference))
		require.Equal(t, strings.Contains(want, "***@"), secret.InURL(reference), reference)
	}
}

func TestMaskedAddress(t *testing.T) {
	for text, want := range map[string]string{
		"user:pass@example.com/a":       "***",
		"example.com/a":                 "example.com/a",
		"ftp://user:pass@example.com/a": "ftp://***@example.com/a",
	} {
		require.Equal(t, want, secret.MaskedAddress(text))
	}
}

func TestMaskedIn(t *testing.T) {
	for text, want := range map[string]string{
		"":     "",
		"a: b": "a: b",
		`{"url":"https://u:p@example.com/a?sig=1","size":"x"}`: `{"url":"https://***@example.com/a?***","size":"x"}`,
		"https://u:p@a.example/x?y=z, s3://k:s@b.example":      "https://***@a.example/x?*** s3://***@b.example",
	} {
		require.Equal(t, want, secret.MaskedIn(text))
	}
}
