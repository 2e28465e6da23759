# One image for all of Bullpen: gateway, worker, migrations, simulator and the command line. docker-compose.yml runs it.
#
# It builds with BuildKit and with the old builder, and needs no build secrets. Behind a mirror or a proxy with a certificate of
# its own, name a base image that knows it: docker build --build-arg NODE_IMAGE=registry.example.com/node:24-bookworm-slim .
ARG NODE_IMAGE=node:24-bookworm-slim

# Only what decides which packages are installed, so that a change of the sources does not install them again.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /src
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete && find . -type d -empty -delete

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY --from=manifests /src ./
RUN npm ci
COPY . .
RUN npm run --silent build
# Leaves what runs: no sources, no types, no test harnesses. Optional packages are the embedded PostgreSQL (here it is a server of
# its own) and tools that Prisma's client names as peers; ripgrep's program for this platform is one, too, and is needed.
RUN mv node_modules/@vscode /tmp/ \
  && npm prune --omit=dev --omit=optional \
  && rm -rf node_modules/@vscode node_modules/.cache apps/bench apps/faults libs/testing \
  && mv /tmp/@vscode node_modules/ \
  && find apps libs -mindepth 2 -maxdepth 2 \
       ! -name dist ! -name bin ! -name node_modules ! -name package.json -exec rm -rf {} + \
  && find apps libs -name '*.js.map' ! -path '*/node_modules/*' -delete \
  && find node_modules -xtype l -delete \
  && mkdir /out && mv package.json node_modules apps libs prisma /out/

FROM ${NODE_IMAGE}
# git and the certificates are for commands of agents, bubblewrap gives each a box; tini hands on signals and takes in orphans.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
# A program that its user may run but not read is closed to that user's other processes: commands of agents run as the same
# user as the worker, and must not find its secrets in /proc/PID/environ.
RUN chmod 0711 /usr/bin/tini "$(readlink -f "$(command -v node)")"
COPY --from=build /out /app
# Named volumes take over owner and mode of these folders.
RUN ln -s /app/apps/cli/bin/bullpen.js /usr/local/bin/bullpen \
  && install -d -o 1000 -g 1000 -m 0700 /data /data/workspaces /data/homes /data/outputs /data/extensions \
  && install -d -o 1000 -g 1000 -m 0755 /projects
ENV NODE_ENV=production BULLPEN_HOME=/data
WORKDIR /app
# By number, so that an orchestrator can see that it is not root; the base image names it `node`.
USER 1000:1000
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["bullpen", "--help"]
