import { openHttpServer } from '../../../tests/support/http-server.ts';
import { eventually } from './lateness.ts';

const ARRIVES_WITHIN_MS = 60_000;

/** Settings with which gateways and workers deliver to it. */
export const pushSettings = {
  PUSH_ALLOW_HTTP: 'true',
  PUSH_ALLOW_HOSTS: '127.0.0.0/8',
  PUSH_BACKOFF_MS: '200',
} as const;

export type PushReceiver = Awaited<ReturnType<typeof startPushReceiver>>;

/** A webhook that records the events of each task in order, and sometimes fails. */
export async function startPushReceiver() {
  /** A set keeps the order of the first deliveries. */
  const seen = new Map<string, Set<number>>();
  let requests = 0;
  const server = await openHttpServer((request, response) => {
    request.resume().once('end', () => {
      const fails = requests++ % 50 === 49;
      // A delivery id is `<task>:<webhook>:<seq>`.
      const [taskId = '', , seq = ''] = String(request.headers['x-a2a-delivery-id']).split(':');
      if (!fails) seen.set(taskId, (seen.get(taskId) ?? new Set()).add(Number.parseInt(seq, 10)));
      response.writeHead(fails ? 503 : 200).end();
    });
  });
  return {
    url: `${server.url}/`,
    [Symbol.asyncDispose]: server.close,
    /**
     * Checks the deliveries for a task with this many events: each at least once, and first deliveries in order.
     * @param mayLoseEvents whether a fail-over may have lost some after their delivery
     */
    async problemsOf(taskId: string, events: number, mayLoseEvents = false): Promise<string[]> {
      const came = (): number[] => [...(seen.get(taskId) ?? [])];
      const arrived = (): boolean => came().includes(events);
      await eventually(arrived, { what: 'the last push', timeoutMs: ARRIVES_WITHIN_MS, everyMs: 50 }).catch(
        () => undefined,
      );
      const seqs = came();
      const isComplete = mayLoseEvents ? seqs.length >= events : seqs.length === events;
      const isWhole = isComplete && seqs.every((seq, index) => seq === index + 1);
      return isWhole ? [] : [`${taskId}: of ${events} events came ${seqs}`];
    },
  };
}
