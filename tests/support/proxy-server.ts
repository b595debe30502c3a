import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface TestProxyOptions {
  /** `user:password` that it wants. Default: none. */
  readonly credentials?: string;
  /** Answers everything with this status. */
  readonly refusal?: number;
  /** Resolves every name to this machine, unlike its clients. Default: the requested port of 127.0.0.1. */
  readonly portOf?: (host: string) => number;
}

export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** `CONNECT agents.test:443`, `GET http://agents.test/x`. */
  readonly requests: readonly string[];
}

/** An HTTP proxy as companies have it: CONNECT for TLS, absolute URLs for plain HTTP, and names that only it knows. */
export async function openProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const requests: string[] = [];
  const sockets = new Set<Duplex>();
  const { portOf } = options;

  function refusalOf({ headers }: IncomingMessage): number | undefined {
    const { credentials, refusal } = options;
    const isKnown =
      credentials === undefined ||
      headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`;
    return isKnown ? refusal : 407;
  }

  function forward(req: IncomingMessage, res: ServerResponse): void {
    requests.push(`${req.method} ${req.url}`);
    const status = refusalOf(req) ?? (URL.canParse(req.url ?? '') ? undefined : 400);
    if (status !== undefined) {
      req.resume();
      return void res.writeHead(status, { 'proxy-status': 'test; error=http_request_denied' }).end('no');
    }
    const { hostname, port, pathname, search } = new URL(req.url ?? '');
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = req.headers;
    const to = { host: '127.0.0.1', port: portOf?.(hostname) ?? (port || 80), path: pathname + search };
    const sent = request({ ...to, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    sent.on('error', () => res.writeHead(502, { 'proxy-status': 'test; error=connection_refused' }).end());
    req.pipe(sent);
  }

  function tunnel(req: IncomingMessage, client: Duplex): void {
    requests.push(`CONNECT ${req.url}`);
    sockets.add(client);
    client.on('error', () => undefined);
    const status = refusalOf(req);
    if (status !== undefined) return void client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const { hostname, port } = new URL(`http://${req.url}`);
    const server = connect(portOf?.(hostname) ?? (Number(port) || 80), '127.0.0.1');
    server.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
    client.on('close', () => server.destroy());
  }

  const proxy = createServer(forward).on('connect', tunnel);
  proxy.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
