# One image for gateway and worker, selected by the command (gateway, worker or all). Your agents: docs/deploy.md.
#
#   docker build -t switchyard:0.1 .
#   docker run -e REDIS_URL=… -e AUTH=api-key -e API_KEYS=… -p 4000:4000 switchyard:0.1 gateway
#   docker run -e REDIS_URL=… -v ./agents:/agents:ro switchyard:0.1 worker

FROM node:24.21-bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends tini
WORKDIR /src
COPY . .
# No runtime dependency needs its install script.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error
RUN npm run --silent pack && node scripts/image/build.ts /image

# Debian's C library and certificates, no shell, no package manager. Its tag has no version: rebuild to get fixes.
FROM gcr.io/distroless/cc-debian12:nonroot
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Switchyard" \
      org.opencontainers.image.description="A message-queue-driven A2A gateway with async workers" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /usr/local/bin/node /usr/bin/tini /usr/bin/
COPY --from=build /image /
# In a container nobody can connect to loopback. Beyond loopback a gateway needs AUTH (or ALLOW_ANONYMOUS).
ENV NODE_ENV=production HOST=0.0.0.0 METRICS_PORT=9464
USER 65532:65532
EXPOSE 4000 4001 9464
HEALTHCHECK --interval=5s --timeout=3s --retries=3 --start-period=10s CMD ["node", "/app/health.mjs"]
# tini reaps orphaned processes of agents' programs, which Node as process 1 would not.
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/switchyard.mjs"]
CMD ["gateway"]
