import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { hasKey, isAddressOrLocalhost, isLoopback, SettingsError } from '@switchyard/settings';
import { WorkerMetrics } from './metrics.ts';

export interface MetricsSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The key for `/metrics`, which reveals load and names of agents. Unset: no key is required. */
  readonly key?: string | undefined;
}

/** `GET /metrics` and `GET /healthz` of a worker. */
export class MetricsPort {
  readonly metrics = new WorkerMetrics();
  readonly #settings: MetricsSettings;
  readonly #http: Server;

  constructor(settings: MetricsSettings) {
    this.#settings = settings;
    this.#http = createServer(serveMetrics(this.metrics, settings));
  }

  /** @returns the port on which it listens. @throws {SettingsError} it cannot listen there */
  async open(): Promise<number> {
    const { host, port } = this.#settings;
    this.#http.listen(port, host);
    await once(this.#http, 'listening').catch((error: Error) => {
      throw new SettingsError([`METRICS_PORT: this worker cannot have the port (${error.message})`]);
    });
    const address = this.#http.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (!this.#http.listening) return;
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }
}

function serveMetrics(metrics: WorkerMetrics, { host, key }: MetricsSettings): RequestListener {
  return (req, res) => {
    // DNS rebinding: an attacker's name may resolve to this machine; a web page under it could read the response.
    if (isLoopback(host) && !isAddressOrLocalhost(req.headers.host ?? 'localhost'))
      return void res.writeHead(403).end();
    if (req.method !== 'GET') return void res.writeHead(405, { Allow: 'GET' }).end();
    if (req.url === '/healthz')
      return void res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"ok"}');
    if (req.url !== '/metrics') return void res.writeHead(404).end();
    if (key && !hasKey(req.headers, key))
      return void res.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="switchyard metrics"' }).end();
    metrics.render(req.headers.accept).then(
      ({ type, text }) => res.writeHead(200, { 'Content-Type': type }).end(text),
      () => res.writeHead(500).end(),
    );
  };
}
