import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** A server for tests, on a free loopback port. */
export async function openHttpServer(
  answer: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>,
): Promise<HttpServer> {
  const server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}
