package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzOriginURL(f *testing.F) {
	f.Add("[remote \"origin\"]\n\turl = https://git.example.com/a.git\n")
	f.Add("[remote \"other\"]\nurl=x\n[ remote \"origin\" ]\nURL = \"y\" # z\n")
	f.Fuzz(func(t *testing.T, config string) {
		found := originURL(config)
		require.Contains(t, config, found)
		require.NotContains(t, found, "\n")
	})
}
