package dockerfile_test

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/dockerfile"
)

const root = "../.."

func text(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	require.NoError(t, err)
	return string(data)
}

func TestLint(t *testing.T) {
	problems, err := dockerfile.Lint(t.Context(), []byte(text(t)))
	require.NoError(t, err)
	require.Empty(t, problems)
}

// Mistakes in the same Dockerfile show that the linter can find some.
func TestLintFindsMistakes(t *testing.T) {
	for rule, edit := range map[string][2]string{
		"JSONArgsRecommended":          {`ENTRYPOINT ["/var/run/argocd/argocd-cmp-server"]`, "ENTRYPOINT /var/run/argocd/argocd-cmp-server"},
		"WorkdirRelativePath":          {"WORKDIR /src", "WORKDIR src"},
		"UndefinedVar":                 {"FROM ${BASE}\n", "FROM ${BASE}\nENV HOME=${HOEM}\n"},
		"FromAsCasing":                 {" AS build", " as build"},
		"StageNameCasing":              {"AS build", "AS Build"},
		"LegacyKeyValueFormat":         {"ENV PATH=", "ENV PATH "},
		"MultipleInstructionsDisallow": {"USER 999\n", "USER 999\nENTRYPOINT [\"/vmrender\"]\n"},
		"SecretsUsedInArgOrEnv":        {"USER 999\n", "USER 999\nENV TOKEN=1\n"},
		"unknown instruction: COPPY":   {"COPY . .", "COPPY . ."},
	} {
		t.Run(rule, func(t *testing.T) {
			broken := strings.Replace(text(t), edit[0], edit[1], 1)
			require.NotEqual(t, text(t), broken)
			problems, err := dockerfile.Lint(t.Context(), []byte(broken))
			require.NoError(t, err)
			require.Contains(t, strings.Join(problems, "\n"), rule)
		})
	}
}

// TestConfig is what the sidecar and the Jobs rely on.
func TestConfig(t *testing.T) {
	config, err := dockerfile.Config(t.Context(), []byte(text(t)))
	require.NoError(t, err)
	require.Equal(t, "999", config.User, "by number: Kubernetes must see that it is not root")
	require.Equal(t, []string{"/var/run/argocd/argocd-cmp-server"}, config.Entrypoint)
	require.Contains(t, config.Env, "PATH=/usr/local/bin:/usr/bin:/bin")
	for _, label := range []string{"title", "description", "licenses", "source", "version", "revision"} {
		require.NotEmpty(t, config.Labels["org.opencontainers.image."+label], label)
	}
	for line := range strings.Lines(text(t)) {
		if copied := regexp.MustCompile(`^(?:COPY|ADD) (?:--chmod=\d+ )?([a-z]\S*) `).FindStringSubmatch(line); copied != nil {
			require.FileExists(t, filepath.Join(buildContext(t), copied[1]), line)
		}
	}
}

// TestContextBuilds runs the image's go build on what .dockerignore lets through,
// in two directories: it has all that is needed, and the same sources give the
// same bytes.
func TestContextBuilds(t *testing.T) {
	build := regexp.MustCompile(`(?m)^RUN CGO_ENABLED=0 GOOS=\S+ GOARCH=\S+ (go build .*) -o /out/ \./cmd/\.\.\.$`).FindStringSubmatch(text(t))
	require.NotNil(t, build, "the Dockerfile builds in another way than this test knows")
	var sums [2]map[string][sha256.Size]byte
	for i := range sums {
		out := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", build[1]+" -o "+out+"/ ./cmd/...")
		cmd.Dir = buildContext(t)
		cmd.Env = append(os.Environ(), "VERSION=1.2.3", "REVISION=0123456789abcdef", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOOS=linux", "GOARCH=amd64")
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, string(said))
		sums[i] = sumsOf(t, out)
		line, err := exec.CommandContext(t.Context(), filepath.Join(out, "vmrender"), "version").Output()
		require.NoError(t, err)
		require.Contains(t, string(line), "vmrender 1.2.3 (commit 0123456789ab), ")
	}
	require.Contains(t, sums[0], "vmrender")
	require.Contains(t, sums[0], "vmrender-cmp")
	require.Equal(t, sums[0], sums[1])
}

func sumsOf(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	sums := map[string][sha256.Size]byte{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		sums[e.Name()] = sha256.Sum256(data)
	}
	return sums
}

// buildContext is a copy of the repository without what .dockerignore leaves out.
func buildContext(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join(root, ".dockerignore"))
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // nothing was written to it
	patterns, err := ignorefile.ReadAll(f)
	require.NoError(t, err)
	ignored, err := patternmatcher.New(patterns)
	require.NoError(t, err)

	dir := t.TempDir()
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return err
		}
		skip, err := ignored.MatchesOrParentMatches(rel)
		switch {
		case err != nil:
			return err
		case skip && e.IsDir():
			return fs.SkipDir
		case skip || !e.Type().IsRegular():
			return nil
		}
		return copyFile(path, filepath.Join(dir, rel))
	}))
	return dir
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
