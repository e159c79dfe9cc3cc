package plugin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd/plugin"
)

func ExampleDynamicAnnouncements() {
	for _, a := range plugin.DynamicAnnouncements([]string{"net.mtu", "tier"}) {
		fmt.Println(a.Name, a.CollectionType, a.Tooltip)
	}
	// Output:
	// vars map Vars for templates by dotted key; they override those of all files. The files set net.mtu, tier
}

func TestWriteAnnouncements(t *testing.T) {
	var out strings.Builder
	require.NoError(t, plugin.WriteAnnouncements(&out, slices.Repeat([]string{"tier"}, 60)))
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &list))
	require.Len(t, list, 1)
	require.NotContains(t, list[0], "map")
	require.Contains(t, list[0]["tooltip"], "tier, tier and 10 others")
}

// Argo CD shows a parameter twice if both lists contain it.
func TestAnnouncements(t *testing.T) {
	types := map[string]string{}
	all := append(plugin.StaticAnnouncements(), plugin.DynamicAnnouncements(nil)...)
	for _, a := range all {
		types[a.Name] = a.CollectionType
		require.NotEmpty(t, a.Title)
		require.NotEmpty(t, a.Tooltip)
	}
	require.Len(t, types, len(all))
	require.Equal(t, map[string]string{
		"namespace": "string", "vm": "array", "overlay": "array", "defaults": "map", "vars": "map", "layer": "string",
	}, types)
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteAnnouncementsFails(t *testing.T) {
	require.ErrorIs(t, plugin.WriteAnnouncements(full{}, nil), errFull)
}
