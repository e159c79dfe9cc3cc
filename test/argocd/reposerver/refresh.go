package reposerver

import (
	"context"
	"strings"

	"github.com/argoproj/argo-cd/v3/common"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/reposerver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/app/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Refresh makes the calls of the application controller for an Application
// that was compared with a commit, after the repository has got newer ones
// (argo-cd v3.2.11, controller/state.go, GetRepoObjs), and returns one JSON
// manifest per object. If none of its paths has changed since, repo-server
// returns the cached manifests of the earlier commit.
func (s *Server) Refresh(ctx context.Context, a Application, synced string) ([]string, error) {
	revision := "HEAD"
	if a.Paths != "" {
		updated, err := s.client.UpdateRevisionForPaths(ctx, &apiclient.UpdateRevisionForPathsRequest{
			Repo:              &v1alpha1.Repository{Repo: a.url()},
			Revision:          revision,
			SyncedRevision:    synced,
			NoRevisionCache:   true,
			Paths:             a.refreshPaths(),
			AppLabelKey:       common.LabelKeyAppInstance,
			AppName:           a.Name,
			Namespace:         a.Namespace,
			ApplicationSource: a.source(),
			KubeVersion:       kubeVersion,
			ApiVersions:       apiVersions,
			TrackingMethod:    string(v1alpha1.TrackingMethodAnnotation),
		})
		if err != nil {
			return nil, err
		}
		if updated.Revision != "" {
			revision = updated.Revision
		}
	}
	return s.generate(ctx, a, revision)
}

// refreshPaths returns the paths in the repository whose changes matter to the Application.
func (a Application) refreshPaths() []string {
	annotated := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{
		Annotations: map[string]string{v1alpha1.AnnotationKeyManifestGeneratePaths: a.Paths},
	}}
	return path.GetSourceRefreshPaths(annotated, *a.source())
}

// CacheHits returns the number of requests that were answered from the cache of
// manifests. Repo-server has no metric for it, so they are counted in its log
// (argo-cd v3.2.11, reposerver/repository/repository.go, getManifestCacheEntry).
func (s *Server) CacheHits() int { return strings.Count(s.Log(), "manifest cache hit: ") }
