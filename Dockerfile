# One image for every part: the command chooses. TypeScript runs as it is (Node 24), so nothing is compiled.
#
#   docker build -t switchyard .
#   docker run switchyard apps/gateway/src/main.ts
#   docker run switchyard apps/worker/src/main.ts --agents examples/echo/agent.ts

FROM node:24.21-bookworm-slim AS packages
WORKDIR /app
# Only what decides which packages are installed: a change of code keeps this layer.
COPY package.json package-lock.json ./
COPY packages/protocol/package.json packages/protocol/
COPY packages/outgoing/package.json packages/outgoing/
COPY packages/store/package.json packages/store/
COPY packages/agent/package.json packages/agent/
COPY packages/create/package.json packages/create/
COPY packages/executor-command/package.json packages/executor-command/
COPY packages/executor-openai/package.json packages/executor-openai/
COPY packages/executor-remote/package.json packages/executor-remote/
COPY packages/executor-sdk/package.json packages/executor-sdk/
COPY packages/signatures/package.json packages/signatures/
COPY packages/settings/package.json packages/settings/
COPY packages/operator-api/package.json packages/operator-api/
COPY packages/telemetry/package.json packages/telemetry/
COPY packages/local/package.json packages/local/
COPY apps/gateway/package.json apps/gateway/
COPY apps/worker/package.json apps/worker/
COPY apps/cli/package.json apps/cli/
COPY apps/console/package.json apps/console/
COPY examples/coding-team/package.json examples/coding-team/
COPY examples/conformance/package.json examples/conformance/
COPY examples/device-assessment/package.json examples/device-assessment/
COPY examples/echo/package.json examples/echo/
COPY examples/hello/package.json examples/hello/
COPY examples/ping-pong/package.json examples/ping-pong/
COPY examples/pizza/package.json examples/pizza/
COPY examples/remote/package.json examples/remote/
COPY examples/sdk-pizza/package.json examples/sdk-pizza/
COPY workshop/package.json workshop/
# Not npm ci, for the reason given in scripts/setup.mjs; no dependency of the running system needs its install script.
RUN npm install --omit=dev --no-save --ignore-scripts --no-audit --no-fund

# What builds the console is not in the image: its files are.
FROM packages AS console
RUN npm install --include=dev --no-save --ignore-scripts --no-audit --no-fund
COPY packages packages
COPY apps/console apps/console
COPY scripts/console scripts/console
RUN node scripts/console/build.ts

FROM node:24.21-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app ./
COPY packages packages
COPY apps apps
COPY examples examples
COPY --from=console /app/apps/console/dist apps/console/dist
USER node
EXPOSE 4000
# Node handles SIGTERM itself; run with --init (compose: init: true) so that what an agent starts is reaped.
ENTRYPOINT ["node"]
CMD ["apps/gateway/src/main.ts"]
