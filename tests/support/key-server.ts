import type { JWK } from 'jose';
import { openHttpServer } from './http-server.ts';

/** Publishes keys on a loopback port. */
export interface KeyServer {
  readonly url: string;
  requests(): number;
  close(): Promise<void>;
}

export async function openKeyServer(keys: readonly JWK[]): Promise<KeyServer> {
  let requests = 0;
  const server = await openHttpServer((_req, res) => {
    requests++;
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  });
  return { url: `${server.url}/jwks.json`, requests: () => requests, close: server.close };
}
