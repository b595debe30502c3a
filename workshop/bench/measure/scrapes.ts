import { freePort } from '@switchyard/local';

const EVERY_MS = 5_000;
/** As Prometheus asks. */
const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';

/** Asks a gateway and a worker for their metrics every five seconds. */
export class Scrapes implements Disposable {
  /** With which both have metrics. */
  readonly env: Readonly<Record<string, string>>;
  /** That were answered. */
  count = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(adminPort: number, metricsPort: number) {
    const key = 'a-key-for-the-bench';
    this.env = { ADMIN_PORT: `${adminPort}`, ADMIN_KEY: key, METRICS_PORT: `${metricsPort}`, METRICS_KEY: `${key}-2` };
    const headers = { accept, authorization: `Bearer ${key}-2` };
    const scrape = async (port: number): Promise<void> => {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
      await response.text();
      if (response.ok) this.count++;
    };
    this.#timer = setInterval(() => {
      // While rows are measured without a worker, it does not answer.
      for (const port of [adminPort, metricsPort]) scrape(port).catch(() => undefined);
    }, EVERY_MS).unref();
  }

  static async begin(): Promise<Scrapes> {
    return new Scrapes(await freePort(), await freePort());
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
