import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWK } from 'jose';

/** Publishes keys on this machine. */
export interface KeyServer {
  readonly url: string;
  requests(): number;
  close(): Promise<void>;
}

export async function openKeyServer(keys: readonly JWK[]): Promise<KeyServer> {
  let requests = 0;
  const server = createServer((_req, res) => {
    requests++;
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    requests: () => requests,
    close: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}
