package catalog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
)

// The table of architectures has only known keys and names operating systems that exist.
func TestArchitectures(t *testing.T) {
	require.Equal(t, []string{"amd64", "arm64", "s390x"}, builtinArch().names)
	for _, name := range builtinArch().names {
		require.Empty(t, strict[Arch](builtinArch().get(name), name))
		require.Subset(t, builtinOS().names, Architecture(name).Unpublished)
	}
	require.Nil(t, Architecture("riscv64"))
	for _, name := range builtinTraits().names {
		var trait Trait
		decode(builtinTraits().get(name), &trait)
		require.Subset(t, builtinArch().names, trait.Only, name)
		for arch, over := range trait.Arch {
			require.NotNil(t, Architecture(arch), "%s of %s", arch, name)
			require.Empty(t, strict[Trait](over, name))
		}
	}
}

// On each architecture, each operating system has only hardware that exists there.
// Otherwise it lacks a trait, which is an error for its VMs.
func TestOperatingSystemsFitEveryArchitecture(t *testing.T) {
	s := builtins(t)
	for _, name := range builtinArch().names {
		arch := Architecture(name)
		for _, row := range s.ListOS() {
			t.Run(name+"/"+row.Name, func(t *testing.T) {
				os := s.OSOn(row.Name, name)
				require.Equal(t, row.Family == "windows" && name != DefaultArch, len(os.Lacking) > 0, os.Lacking)
				if os.Lacking != nil {
					return
				}
				require.Contains(t, arch.DiskBuses, os.DiskBus)
				require.Contains(t, arch.CDROMBuses(), os.CDROMBus)
				require.Contains(t, arch.NICModels, os.NICModel)
				if firmware := os.Defaults.Get("firmware", "type").Str(); arch.Firmware == nil {
					require.Empty(t, firmware)
				} else {
					require.Contains(t, arch.Firmware, firmware)
				}
				require.Equal(t, name != "s390x", os.Spec.Get("domain", "features", "acpi") != nil)
				for _, input := range items(os.Spec.Get("domain", "devices", "inputs")) {
					require.True(t, name != "s390x" || input.Get("bus").Text == "virtio")
				}
			})
		}
	}
	require.Same(t, s.OS("rhel9"), s.OSOn("rhel9", "amd64"))
	require.Equal(t, "amd64", s.OSOn("rhel9", "riscv64").Arch)
}

// An operating system has the image that exists on the cluster and for the architecture.
func TestImagesOfClusters(t *testing.T) {
	const systems = "os: {mine: {from: fedora}, rhel9: {image: {registry: docker://x/y:1}}}\n"
	var diags source.Diagnostics
	user := source.Parse(&source.File{Data: []byte(systems)}, &diags)[0]
	openShift, plain := New(user, &diags), NewPlain(user, &diags)
	require.Empty(t, texts(&diags))
	image := func(s *Set, name, arch string) string {
		os := s.OSOn(name, arch)
		if os.Image == nil {
			return ""
		}
		return os.Image.String()
	}
	for _, test := range []struct{ name, arch, openShift, plain string }{
		{"fedora", "amd64", "dataSource " + bootSources + "fedora", "registry docker://quay.io/containerdisks/fedora:43"},
		{"mine", "arm64", "dataSource " + bootSources + "fedora", "registry docker://quay.io/containerdisks/fedora:43"},
		{"rhel8", "amd64", "dataSource " + bootSources + "rhel8", ""},
		{"windows2022", "amd64", "dataSource " + bootSources + "win2k22", ""},
		{"rhel9", "amd64", "registry docker://x/y:1", "registry docker://x/y:1"},
		{
			"debian12", "arm64", "registry docker://quay.io/containerdisks/debian:12",
			"registry docker://quay.io/containerdisks/debian:12",
		},
		{"debian12", "s390x", "", ""},
	} {
		require.Equal(t, test.openShift, image(openShift, test.name, test.arch), test)
		require.Equal(t, test.plain, image(plain, test.name, test.arch), test)
	}
	for _, name := range builtinImages().names {
		require.True(t, slices.Contains(builtinOS().names, name), name)
		require.Empty(t, strict[Source](builtinImages().get(name), name))
		require.True(t, IsBootSource(openShift.OS(name).Image), "%s needs no other image", name)
	}
}

func items(n *source.Node) []*source.Node {
	if n == nil {
		return nil
	}
	return n.Items
}
