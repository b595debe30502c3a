import { type HttpServer, openHttpServer } from '../../../tests/support/http-server.ts';
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
  readonly #seen = new Map<string, Set<number>>();
  #server: HttpServer | undefined;
  #requests = 0;

  static async start(): Promise<PushReceiver> {
    const receiver = new PushReceiver();
    receiver.#server = await openHttpServer((request, response) => {
      request.resume().once('end', () => {
        const fails = receiver.#requests++ % 50 === 49;
        if (!fails) receiver.#note(String(request.headers['x-a2a-delivery-id']));
        response.writeHead(fails ? 503 : 200).end();
      });
    });
    return receiver;
  }

  get url(): string {
    return `${this.#server?.url}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
  }

  /**
   * Checks the deliveries for a task with this many events: each at least once, the first time in order.
   * @param mayLoseEvents a fail-over may have lost some after their delivery
   */
  async problemsOf(taskId: string, events: number, mayLoseEvents = false): Promise<string[]> {
    const came = (): number[] => [...(this.#seen.get(taskId) ?? [])];
    const arrived = (): boolean => came().includes(events);
    await until(arrived, { what: 'the last push', timeoutMs: ARRIVES_WITHIN_MS, everyMs: 50 }).catch(() => undefined);
    const seqs = came();
    const isComplete = mayLoseEvents ? seqs.length >= events : seqs.length === events;
    const isWhole = isComplete && seqs.every((seq, index) => seq === index + 1);
    return isWhole ? [] : [`${taskId}: of ${events} events came ${seqs}`];
  }

  /** A delivery id is `<task>:<webhook>:<seq>`. A set keeps the order of the first deliveries. */
  #note(deliveryId: string): void {
    const [taskId = '', , seq = ''] = deliveryId.split(':');
    const seen = this.#seen.get(taskId) ?? new Set();
    this.#seen.set(taskId, seen.add(Number.parseInt(seq, 10)));
  }
}
