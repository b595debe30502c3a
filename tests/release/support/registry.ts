import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A registry of our packages only, for commands that need published packages: `npm create @switchyard`. */
export interface Registry extends AsyncDisposable {
  /** A line for npm's configuration: our scope comes from here, everything else from the usual registry. */
  readonly npmrc: string;
}

/** @param build the folder in which `npm run pack` puts packages and tarballs */
export async function startRegistry(build: string): Promise<Registry> {
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(url);
    answer(path, response).catch(() => response.writeHead(404).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const root = `http://127.0.0.1:${port}`;

  async function answer(path: string, response: ServerResponse): Promise<void> {
    const [, tarball] = /^\/tarballs\/([\w.-]+\.tgz)$/.exec(path) ?? [];
    if (tarball !== undefined) return void createReadStream(join(build, 'tarballs', tarball)).pipe(response);
    const [, name = ''] = /^\/@switchyard\/([\w-]+)$/.exec(path) ?? [];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await packument(name)));
  }

  async function packument(name: string): Promise<object> {
    const manifest = JSON.parse(await readFile(join(build, 'npm', name, 'package.json'), 'utf8'));
    const { version } = manifest;
    const file = `switchyard-${name}-${version}.tgz`;
    const integrity = createHash('sha512')
      .update(await readFile(join(build, 'tarballs', file)))
      .digest('base64');
    const dist = { tarball: `${root}/tarballs/${file}`, integrity: `sha512-${integrity}` };
    return { name: manifest.name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }

  return {
    npmrc: `@switchyard:registry=${root}\n`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
