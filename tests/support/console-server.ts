import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveConsole } from '@switchyard/gateway';
import express from 'express';
import { buildConsole } from '../../scripts/console/build-console.ts';

/** Serves the console, built from the sources of now, over an API of a test. */
export async function openConsoleServer(api: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  await buildConsole();
  const app = express();
  app.use('/console', serveConsole()).use((req, res) => api(req, res));
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
