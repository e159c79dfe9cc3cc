package adopt

import (
	"regexp"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// spelling is one way in which others write the name of an operating system, in lower case.
type spelling struct {
	names   string // alternatives, after anything but a letter
	version string // alternatives, or one of the constants
	entry   string // of the built-in catalog
	// within is the beginning of the entries that stronger or weaker evidence may name
	// instead, because this spelling does not specify which; "linux" is all that are not Windows.
	within string
}

const (
	anyVersion = ""     // whatever follows
	noVersion  = `\D*$` // no digit follows
	rhelNames  = "rhel|redhat|red hat enterprise linux"
	oracleName = "oraclelinux|oracle linux|ol"
	slesNames  = "sles|sle|suse linux enterprise"
	winNames   = "windows|win|mswindows"
	serverName = winNames + "|server"
)

// spellings are read from the top: the first that matches counts. Their sources are the
// names of common-instancetypes' preferences (7c1e305, README.md) and of common-templates
// and their libosinfo ids (9e21fc2, generate-templates.yaml), of DataSources
// (hyperconverged-cluster-operator, assets/dataImportCronTemplates), of the images in
// containerdisks (cmd/medius/common/registry.go), the files of the vendors' cloud images,
// forklift's maps of guests (d42511bb2, osMap in pkg/controller/plan/adapter), and the ids
// of os-release and, for Windows, of QEMU's guest agent (qga/commands-win32.c).
var spellings = []spelling{
	// The disks with drivers for Windows: by KubeVirt, Fedora, and SUSE.
	{names: "virtio-container-disk|virtio-win|vmdp", version: anyVersion, entry: "windows", within: "windows"},
	{names: rhelNames, version: "7", entry: "rhel7"},
	{names: rhelNames, version: "8", entry: "rhel8"},
	{names: rhelNames, version: "9", entry: "rhel9"},
	{names: rhelNames, version: "10", entry: "rhel10"},
	{names: rhelNames, version: anyVersion, entry: "linux", within: "rhel"},
	{names: "centos", version: "9", entry: "centos-stream9"}, // there is no other CentOS 9
	{names: "centos", version: "10", entry: "centos-stream10"},
	{names: "centos", version: anyVersion, entry: "linux", within: "centos"},
	{names: "fedora", version: anyVersion, entry: "fedora"},
	{names: "ubuntu", version: `20(?:\.?04)?`, entry: "ubuntu20.04"},
	{names: "ubuntu", version: `22(?:\.?04)?`, entry: "ubuntu22.04"},
	{names: "ubuntu", version: `24(?:\.?04)?`, entry: "ubuntu24.04"},
	{names: "ubuntu", version: noVersion, entry: "ubuntu24.04", within: "ubuntu"},
	{names: "ubuntu", version: anyVersion, entry: "linux", within: "ubuntu"},
	{names: "focal", version: anyVersion, entry: "ubuntu20.04"},
	{names: "jammy", version: anyVersion, entry: "ubuntu22.04"},
	{names: "noble", version: anyVersion, entry: "ubuntu24.04"},
	{names: "debian", version: "12", entry: "debian12"},
	{names: "debian", version: "13", entry: "debian13"},
	{names: "debian", version: noVersion, entry: "debian13", within: "debian"},
	{names: "debian", version: anyVersion, entry: "linux", within: "debian"},
	{names: "bookworm", version: anyVersion, entry: "debian12"},
	{names: "trixie", version: anyVersion, entry: "debian13"},
	{names: "opensuse", version: "tumbleweed", entry: "opensuse-tumbleweed"},
	{names: "opensuse", version: "leap|15|16", entry: "opensuse-leap"},
	{names: "opensuse", version: anyVersion, entry: "opensuse-leap", within: "opensuse"},
	{names: slesNames, version: "15", entry: "sles15"},
	{names: slesNames, version: noVersion, entry: "sles15", within: "sles"},
	{names: slesNames, version: anyVersion, entry: "linux", within: "sles"},
	{names: oracleName, version: "8", entry: "oraclelinux8"},
	{names: oracleName, version: "9", entry: "oraclelinux9"},
	{names: "oraclelinux|oracle", version: noVersion, entry: "oraclelinux9", within: "oraclelinux"},
	{names: "oraclelinux|oracle", version: anyVersion, entry: "linux", within: "oraclelinux"},
	{names: winNames, version: "10", entry: "windows10"},
	{names: winNames, version: "11", entry: "windows11"},
	{names: serverName, version: "(?:2k|20)16", entry: "windows2016"},
	{names: serverName, version: "(?:2k|20)19", entry: "windows2019"},
	{names: serverName, version: "(?:2k|20)22", entry: "windows2022"},
	{names: serverName, version: "(?:2k|20)25", entry: "windows2025"},
	{names: "windows|win|mswindows", version: anyVersion, entry: "windows", within: "windows"},
	{names: "linux|cirros|alpine|rocky|alma|flatcar", version: anyVersion, entry: "linux", within: "linux"},
}

// filler is what is between a name and its version.
const filler = `(?:[-._ /:]|server|stream|generic|cloud|guest|image|linux|base|minimal)*`

// expressions are the expressions of the spellings, in their order.
var expressions = func() []func() *regexp.Regexp {
	out := make([]func() *regexp.Regexp, len(spellings))
	for i, s := range spellings {
		expr := `(?:^|[^a-z])(?:` + s.names + `)`
		switch s.version {
		case anyVersion, noVersion:
			expr += s.version
		default:
			expr += filler + `(?:` + s.version + `)(?:\D|$)`
		}
		out[i] = lazyregexp.New(expr)
	}
	return out
}()

// noise is what looks like a version but is not: architectures, releases of templates,
// and digests.
var noise = lazyregexp.New(`x86[-_]?64|amd64|aarch64|arm64|s390x|\bv\d+(?:\.\d+)+|@sha256:[0-9a-f]*`)

// spelled returns the spelling of a text: the name of a system, of a template, or of an
// image, of which the file's own name counts first, and the server's not at all.
func spelled(text string) (spelling, bool) {
	path := noise().ReplaceAllString(pathOf(strings.ToLower(text)), "")
	for _, part := range []string{path[strings.LastIndexByte(path, '/')+1:], path} {
		for i, matches := range expressions {
			if matches().MatchString(part) {
				return spellings[i], true
			}
		}
	}
	return spelling{}, false
}

// pathOf returns a URL or the reference of an image without its server and its query.
func pathOf(text string) string {
	_, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		rest = text
	}
	rest, _, _ = strings.Cut(rest, "?")
	server, path, hasPath := strings.Cut(rest, "/")
	if hasPath && (isURL || strings.ContainsAny(server, ".:")) {
		return path
	}
	return rest
}

// allows reports whether an entry is one of those that the spelling may stand for.
func (s spelling) allows(entry string) bool {
	isWindows := strings.HasPrefix(entry, "windows")
	return s.within == "linux" && !isWindows || s.within != "" && strings.HasPrefix(entry, s.within)
}
