import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port and prints its URL, as every peer does when it is ready. */
export function listen(handler: RequestListener): void {
  const server = createServer(handler).listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
  });
}
