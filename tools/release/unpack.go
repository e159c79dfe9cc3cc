package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/vmrender/vmrender/tools/release/image"
	"github.com/vmrender/vmrender/tools/release/program"
)

// unpackImage assembles the image of one platform, without a base, and unpacks it into a
// directory: for the Dockerfile, and for tests that run the programs without a container
// engine. The sources do not have to be a clone.
func unpackImage(ctx context.Context, flags *flag.FlagSet, args []string) error {
	root := flags.String("root", ".", "directory of the repository")
	dir := flags.String("dir", "", "directory to unpack into")
	platform := flags.String("platform", "linux/amd64", "platform")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("no directory to unpack into; set -dir")
	}
	p, err := program.ParsePlatform(*platform)
	if err != nil {
		return err
	}
	index, _, err := image.Source{Root: *root, Platforms: []program.Platform{p}, Base: bases(ctx, "")}.Assemble(ctx)
	if err != nil {
		return err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	img, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		return err
	}
	if err := image.Unpack(img, *dir); err != nil {
		return fmt.Errorf("unpacking the image: %w", err)
	}
	_, err = fmt.Println(manifest.Manifests[0].Digest)
	return err
}
