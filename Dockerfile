# The image of Argo CD's sidecar, and of the Jobs that vmrender renders.
# plugin/README.md says how to build it.

# The builder has Go and nothing else is asked of it.
ARG BUILDER=golang:1.26
# Argo CD as it is released links its programs statically, so nothing is needed
# beneath ours. For a build of it that does not, see plugin/openshift-gitops.
ARG BASE=scratch

FROM --platform=$BUILDPLATFORM ${BUILDER} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=devel
ARG REVISION=unknown
# The same sources, version and revision give the same bytes: no paths, no time.
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -buildvcs=false -ldflags="-s -w -buildid= -X main.version=${VERSION} -X main.commit=${REVISION}" -o /out/ ./cmd/...

FROM ${BASE}
ARG VERSION=devel
ARG REVISION=unknown
LABEL org.opencontainers.image.title="vmrender" \
    org.opencontainers.image.description="Renders fleets of KubeVirt virtual machines, as a plugin of Argo CD" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.source="https://github.com/vmrender/vmrender" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"
ENV PATH=/usr/local/bin:/usr/bin:/bin
COPY --from=build --chmod=0555 /out/ /usr/local/bin/
COPY --chmod=0444 plugin/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
# As Argo CD's repo-server, with which the sidecar shares a directory.
USER 999
# Argo CD's init container puts it there. Jobs give another command.
ENTRYPOINT ["/var/run/argocd/argocd-cmp-server"]
