package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/vmrender/vmrender/tools/release/image"
	"github.com/vmrender/vmrender/tools/release/program"
)

// pushImage assembles the image, pushes it, and prints its name with the digest.
func pushImage(ctx context.Context, flags *flag.FlagSet, args []string) error {
	root := flags.String("root", ".", "directory of the repository")
	tag := flags.String("image", "", "name of the image, with a tag")
	base := flags.String("base", "", "image to lay the programs over; they need none")
	platforms := flags.String("platforms", "linux/amd64,linux/arm64", "platforms, separated by commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *tag == "" {
		return errors.New("no name for the image; set IMAGE, such as registry.example.com/vmrender:1")
	}
	ref, err := name.NewTag(*tag, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("invalid image %q; expected REGISTRY/NAME:TAG: %w", *tag, err)
	}
	source := image.Source{Root: *root, Base: bases(ctx, *base)}
	for text := range strings.SplitSeq(*platforms, ",") {
		p, err := program.ParsePlatform(text)
		if err != nil {
			return err
		}
		source.Platforms = append(source.Platforms, p)
	}
	// Before the minutes that building takes.
	if err := remote.CheckPushPermission(ref, authn.DefaultKeychain, http.DefaultTransport); err != nil {
		return fmt.Errorf("%s cannot be pushed: %w", ref, err)
	}
	pushed, info, err := push(ctx, source, ref)
	if err != nil {
		return err
	}
	if info.Modified {
		fmt.Fprintln(os.Stderr, "warning: the checkout has changes that are not committed")
	}
	_, err = fmt.Println(pushed)
	return err
}

// push assembles an image, pushes it under a tag, and returns its name with the digest. It
// uses the credentials of "docker login", "podman login", or "helm registry login".
func push(ctx context.Context, source image.Source, tag name.Tag) (name.Digest, program.Info, error) {
	index, info, err := source.Assemble(ctx)
	if err == nil {
		err = info.CheckCommit()
	}
	if err != nil {
		return name.Digest{}, info, err
	}
	progress("pushing %s", tag)
	if err := remote.WriteIndex(tag, index, options(ctx)...); err != nil {
		return name.Digest{}, info, fmt.Errorf("pushing %s: %w", tag, err)
	}
	digest, err := index.Digest()
	return tag.Context().Digest(digest.String()), info, err
}

func options(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}

// progress tells users what takes time now.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// bases returns a function that finds the base for a platform, when its image is about to be built.
func bases(ctx context.Context, base string) func(program.Platform) (v1.Image, error) {
	return func(p program.Platform) (v1.Image, error) {
		progress("building for %s", p)
		if base == "" {
			return nil, nil //nolint:nilnil // no base is a valid answer
		}
		ref, err := name.ParseReference(base)
		if err != nil {
			return nil, fmt.Errorf("invalid base %q: %w", base, err)
		}
		img, err := remote.Image(ref, append(options(ctx), remote.WithPlatform(v1.Platform{OS: p.OS, Architecture: p.Arch}))...)
		if err != nil {
			return nil, fmt.Errorf("reading the base for %s: %w", p, err)
		}
		return img, nil
	}
}
