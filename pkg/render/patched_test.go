package render_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// rootName matches the name of a content-named root disk.
var rootName = regexp.MustCompile(`it-root-[0-9a-f]+`)

// A patch of a disk or its DataVolume applies by the disk's name, both to separate
// DataVolumes and to templates.
func TestPatchedDisks(t *testing.T) {
	data := keys{
		"size": "5Gi", "overrides": keys{"errorPolicy": "ignore", "disk": keys{"pciAddress": "0000:01:01.0"}},
		"dataVolume": keys{
			"metadata": keys{"annotations": keys{"example.org/a": "b"}}, "spec": keys{"priorityClassName": "low"},
		},
	}
	for name, keep := range map[string]bool{"own": true, "template": false} {
		t.Run(name, func(t *testing.T) {
			text, diags := rendered(t, keys{
				"cpu": 2, "memory": "4Gi", "disks": keys{"data": data, "logs": "1Gi"}, "lifecycle": keys{"keepDisks": keep},
			})
			require.Empty(t, diags.Sorted())
			require.Contains(t, text,
				`{"name":"data","disk":{"bus":"virtio","pciAddress":"0000:01:01.0"},"errorPolicy":"ignore"}`)
			require.Contains(t, text, `{"name":"logs","disk":{"bus":"virtio"}}`)
			require.Contains(t, text, `"example.org/a":"b"`)
			require.Contains(t, text, `"priorityClassName":"low"`)
		})
	}
}

// A patch of the DataVolume of a content-named disk is part of the content, so another
// patch results in another disk.
func TestPatchedContent(t *testing.T) {
	root := func(class string) string {
		volume := keys{"spec": keys{"priorityClassName": class}}
		text, diags := rendered(t, keys{
			"cpu": 2, "memory": "4Gi", "lifecycle": "cattle", "disks": keys{"root": keys{"dataVolume": volume}},
		})
		require.False(t, diags.HasErrors(), "%v", diags.Sorted())
		return rootName.FindString(text)
	}
	require.NotEmpty(t, root("low"))
	require.NotEqual(t, root("low"), root("high"))
}

// A null in a patch removes the rendered value.
func TestPatchedNull(t *testing.T) {
	source := keys{"registry": "docker://x/y", "secret": "s"}
	text, diags := rendered(t, keys{"cpu": 2, "memory": "4Gi", "disks": keys{"data": keys{
		"size": "5Gi", "source": source, "dataVolume": keys{"spec": keys{"source": keys{"registry": keys{"secretRef": nil}}}},
	}}})
	require.Empty(t, diags.Sorted())
	require.NotContains(t, text, "secretRef")
}
