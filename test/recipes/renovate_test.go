package recipes

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manager is a custom manager of Renovate, as far as it finds images.
type manager struct {
	CustomType, DatasourceTemplate    string
	ManagerFilePatterns, MatchStrings []string
}

// The expressions of docs/how-to/update-images.md find each image of a fleet, with its tag or digest; Renovate leaves out
// those that have neither (renovate 44.121.2, lib/modules/manager/custom/utils.ts). It compiles expressions with RE2
// (lib/util/regex.ts), whose syntax is that of Go.
func TestRenovateFindsImages(t *testing.T) {
	m := renovate(t)
	require.Equal(t, "regex", m.CustomType)
	require.Equal(t, "docker", m.DatasourceTemplate)
	file := regexp.MustCompile(strings.Trim(m.ManagerFilePatterns[0], "/"))
	require.True(t, file.MatchString("sites/a/fleet.yaml"))
	require.True(t, file.MatchString("fleets/sites/a/prod/vms.yaml"))
	require.False(t, file.MatchString("mysites/a.yaml"))
	digest := "sha256:" + strings.Repeat("0f", 32)
	fleet := `catalog:
  images:
    web: {registry: docker://registry.example.com/golden/web:1.2.3-rc_1, secret: pull}
    db: {registry: "docker://registry.example.com:5000/golden/db@` + digest + `"}
    plain:
      registry: docker://quay.io/containerdisks/fedora
    http: {url: https://example.com/a.img}
`
	image := regexp.MustCompile(m.MatchStrings[0])
	var found []map[string]string
	for _, match := range image.FindAllStringSubmatch(fleet, -1) {
		groups := map[string]string{}
		for i, name := range image.SubexpNames() {
			if name != "" && match[i] != "" {
				groups[name] = match[i]
			}
		}
		found = append(found, groups)
	}
	require.Equal(t, []map[string]string{
		{"depName": "registry.example.com/golden/web", "currentValue": "1.2.3-rc_1"},
		{"depName": "registry.example.com:5000/golden/db", "currentDigest": digest},
		{"depName": "quay.io/containerdisks/fedora"},
	}, found)
}

// renovate returns the custom manager that the page shows.
func renovate(t *testing.T) manager {
	t.Helper()
	page, err := os.ReadFile("../../docs/how-to/update-images.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```json\n")
	require.True(t, found)
	block, _, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	var config struct{ CustomManagers []manager }
	require.NoError(t, json.Unmarshal([]byte(block), &config))
	require.Len(t, config.CustomManagers, 1)
	return config.CustomManagers[0]
}
