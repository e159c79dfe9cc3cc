// Package dockerfile judges the repository's Dockerfile, by the linter and the
// compiler of Docker's own builder (moby/buildkit), without a builder that runs.
package dockerfile

import (
	"context"
	"fmt"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
)

// Lint returns what the linter has to say about a Dockerfile, a line each.
func Lint(ctx context.Context, text []byte) ([]string, error) {
	found, err := dockerfile2llb.DockerfileLint(ctx, text, options(text))
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, w := range found.Warnings {
		line := int32(0)
		if w.Location != nil && len(w.Location.Ranges) > 0 {
			line = w.Location.Ranges[0].Start.Line
		}
		problems = append(problems, fmt.Sprintf("Dockerfile:%d: %s: %s", line, w.RuleName, w.Detail))
	}
	if found.Error != nil {
		problems = append(problems, "Dockerfile: "+found.Error.Message)
	}
	return problems, nil
}

// Config returns what the built image says to whoever runs it.
func Config(ctx context.Context, text []byte) (ocispecs.ImageConfig, error) {
	_, image, _, _, err := dockerfile2llb.Dockerfile2LLB(ctx, text, options(text))
	if err != nil {
		return ocispecs.ImageConfig{}, err
	}
	return image.Config.ImageConfig, nil
}

func options(text []byte) dockerfile2llb.ConvertOpt {
	platform := ocispecs.Platform{OS: "linux", Architecture: "amd64"}
	source := llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", text)
	source.Definition = new(llb.Definition) // where the file came from: from nowhere
	return dockerfile2llb.ConvertOpt{
		Config: dockerui.Config{
			TargetPlatforms: []ocispecs.Platform{platform},
			BuildPlatforms:  []ocispecs.Platform{platform},
		},
		SourceMap:    source,
		MetaResolver: anyImage{},
	}
}

// anyImage says the same of every base image, so that no registry is asked.
type anyImage struct{}

// ResolveImageConfig returns the configuration of an image that has a path and
// nothing else.
func (anyImage) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	const config = `{"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/usr/bin:/bin"]}}`
	return ref, digest.FromString(config), []byte(config), nil
}
