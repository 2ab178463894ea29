# One image for every role: api, worker, all, simulator, migrate, and each command of malipo. docs/operating/install.md shows its use.
# The result has Node, the C library and Malipo: no shell, no package manager, no development dependencies. It runs as uid 65532 and
# writes nothing below /.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/sdk/package.json packages/sdk/
COPY packages/server/package.json packages/server/
COPY packages/simulator/package.json packages/simulator/

FROM packages AS dashboard
# For a builder behind a proxy with its own certificate authority: the path of its PEM inside the build.
ARG NODE_EXTRA_CA_CERTS=
RUN npm ci --prefer-offline --no-audit --no-fund --workspace=packages/dashboard
COPY tsconfig.json ./
COPY packages/dashboard packages/dashboard
RUN cd packages/dashboard && NODE_ENV=production node /app/node_modules/vite/bin/vite.js build --logLevel warn

FROM packages AS root
ARG NODE_EXTRA_CA_CERTS=
RUN npm ci --prefer-offline --no-audit --no-fund --omit=dev \
  --workspace=packages/cli --workspace=packages/sdk --workspace=packages/server --workspace=packages/simulator
COPY packages packages
COPY --from=dashboard /app/packages/dashboard/dist packages/dashboard/dist
COPY deploy/image/assemble deploy/image/start.ts LICENSE ./
RUN sh assemble /root-of-image

FROM scratch
COPY --from=root /root-of-image /
ENV NODE_ENV=production HOME=/tmp MALIPO_HOST=0.0.0.0 MALIPO_PORT=8080 SIMULATOR_HOST=0.0.0.0 SIMULATOR_PORT=4010
WORKDIR /app
USER 65532:65532
EXPOSE 8080 4010
ENTRYPOINT ["/usr/local/bin/node", "/app/start.ts"]
CMD ["--help"]
