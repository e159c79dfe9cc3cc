# For builders that need a Dockerfile, such as Docker, Kaniko, Buildah or a BuildConfig of OpenShift. The files,
# the user and the entrypoint are those of `make image`, which needs no container engine; the digest differs.
FROM golang:1.26.8 AS build
COPY . /src
RUN go -C /src/tools/release run -buildvcs=false . unpack -root /src -dir /image -platform "linux/$(go env GOARCH)" \
    && chmod -R a-w /image

# For a base image, for example with a CA, use `make image BASE=`, or replace scratch.
FROM scratch
COPY --from=build /image /
ENV PATH=/usr/local/bin:/usr/bin:/bin
USER 999
ENTRYPOINT ["/var/run/argocd/argocd-cmp-server"]
LABEL org.opencontainers.image.title="vmrender" \
      org.opencontainers.image.description="Renders fleets of KubeVirt virtual machines, as a plugin of Argo CD" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/vmrender/vmrender"
