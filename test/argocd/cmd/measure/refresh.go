package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// refresh is a request to refresh all Applications of a repository after a commit. All have the
// manifest-generate-paths of the request, whose Path is that of one of them.
type refresh struct {
	Directories []string // of the Applications in the repository
	Files       []string // to which the commit adds a comment
	Parallel    int      // number of Applications that are refreshed at the same time
	Recurse     bool     // whether the directories contain manifests, which Argo CD reads itself
}

// refresh makes the commit, refreshes all Applications and returns the total cost.
func (s servers) refresh(ctx context.Context, asked request) (answer, error) {
	asked.Calls = 1 // cost returns the mean of the calls
	synced, err := head(ctx, asked.Repository)
	if err != nil {
		return answer{}, err
	}
	if err := change(ctx, asked.Repository, asked.Refresh.Files); err != nil {
		return answer{}, err
	}
	before, err := s.used(asked)
	if err != nil {
		return answer{}, err
	}
	hits, start := s.repo.CacheHits(), time.Now()
	size, err := s.refreshAll(ctx, asked, synced)
	if err != nil {
		return answer{}, err
	}
	got, err := s.cost(asked, before, time.Since(start))
	got.Rendered = len(asked.Refresh.Directories) - (s.repo.CacheHits() - hits)
	got.Message = size
	return got, err
}

// refreshAll refreshes the Applications, several at the same time, and returns the size of their manifests in bytes.
func (s servers) refreshAll(ctx context.Context, asked request, synced string) (int64, error) {
	queue := make(chan string, len(asked.Refresh.Directories))
	for _, directory := range asked.Refresh.Directories {
		queue <- directory
	}
	close(queue)
	sizes, failures := make([]int64, asked.Refresh.Parallel), make([]error, asked.Refresh.Parallel)
	var workers sync.WaitGroup
	for i := range asked.Refresh.Parallel {
		workers.Go(func() {
			for directory := range queue {
				size, err := s.refreshOne(ctx, asked, directory, synced)
				if err != nil {
					failures[i] = fmt.Errorf("%s: %w", directory, err)
					return
				}
				sizes[i] += size
			}
		})
	}
	workers.Wait()
	var total int64
	for _, size := range sizes {
		total += size
	}
	return total, errors.Join(failures...)
}

func (s servers) refreshOne(ctx context.Context, asked request, directory, synced string) (size int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	application := asked.application()
	application.Name = strings.ReplaceAll(directory, "/", "-") // a part of the key in the cache
	application.Path = directory
	manifests, err := s.repo.Refresh(ctx, application, synced)
	for _, manifest := range manifests {
		size += int64(len(manifest))
	}
	if err == nil && len(manifests) == 0 {
		err = errors.New("no manifests")
	}
	return size, err
}

// head returns the commit that is checked out.
func head(ctx context.Context, repository string) (string, error) {
	text, err := exec.CommandContext(ctx, "git", "-C", repository, "rev-parse", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("reading the commit of %s: %w", repository, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// change commits a new comment at the end of each of the files.
func change(ctx context.Context, repository string, files []string) error {
	for _, name := range files {
		path := filepath.Join(repository, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, append(text, "# changed\n"...), 0o644); err != nil {
			return err
		}
	}
	return commit(ctx, repository)
}
