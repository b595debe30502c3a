import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../../tests/support/until.ts';

const ARRIVES_WITHIN_MS = 60_000;

/** Settings with which gateways and workers deliver to it. */
export const pushSettings = {
  PUSH_ALLOW_HTTP: 'true',
  PUSH_ALLOW_HOSTS: '127.0.0.0/8',
  PUSH_BACKOFF_MS: '200',
} as const;

/** A webhook that records the events of each task in order, and sometimes fails, as webhooks do. */
export class PushReceiver implements AsyncDisposable {
  readonly #seen = new Map<string, number[]>();
  readonly #http = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const fails = this.#requests++ % 50 === 49;
      if (!fails) this.#note(String(request.headers['x-a2a-delivery-id']));
      response.writeHead(fails ? 503 : 200).end();
    });
  });
  #requests = 0;

  async start(): Promise<string> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, 'close');
  }

  /**
   * Checks the deliveries for a task with this many events: each at least once, the first time in order.
   * @param mayLoseEvents a fail-over may have lost some after their delivery
   */
  async problemsOf(taskId: string, events: number, mayLoseEvents = false): Promise<string[]> {
    const arrived = (): boolean => this.#firstOf(taskId).includes(events);
    await until(arrived, { what: 'the last push', timeoutMs: ARRIVES_WITHIN_MS, everyMs: 50 }).catch(() => undefined);
    const came = this.#firstOf(taskId);
    const isComplete = mayLoseEvents ? came.length >= events : came.length === events;
    const isWhole = isComplete && came.every((seq, index) => seq === index + 1);
    return isWhole ? [] : [`${taskId}: of ${events} events came ${came}`];
  }

  /** A delivery id is `<task>:<webhook>:<seq>`. */
  #note(deliveryId: string): void {
    const [taskId = '', , seq] = deliveryId.split(':');
    const seen = this.#seen.get(taskId) ?? [];
    this.#seen.set(taskId, [...seen, Number.parseInt(seq ?? '', 10)]);
  }

  #firstOf(taskId: string): number[] {
    return [...new Set(this.#seen.get(taskId))];
  }
}
