import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { type Consumer, type JobOutcome, type Store, TurnFenced, type TurnJob } from '../src/index.ts';
import { accepted, userMessage } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

/** Short leases, so that a crash is noticed soon. */
const settings = { leaseMs: 300 };

interface ProcessOptions {
  readonly onCrash: () => void;
  /** The attempts of the agent's retry policy. */
  readonly maxAttempts?: number | undefined;
}

/** Runs turns, and crashes with all of them on a message with the text `poison`. */
class CrashingProcess {
  readonly #store: Store;
  readonly #crashed = Promise.withResolvers<void>();
  readonly #consumer: Consumer<TurnJob>;
  readonly #onCrash: () => void;
  hasCrashed = false;

  private constructor(store: Store, { onCrash, maxAttempts }: ProcessOptions) {
    this.#store = store;
    this.#onCrash = onCrash;
    const run = (job: TurnJob): Promise<JobOutcome> =>
      Promise.race([this.#run(job), this.#crashed.promise.then(() => 'removed' as const)]);
    const options = { queue: 'echo', concurrency: 10, run, onError: () => undefined, maxAttempts };
    this.#consumer = store.turns.consume(options);
  }

  static async start(store: Store, options: ProcessOptions): Promise<CrashingProcess> {
    const process = new CrashingProcess(await testStore(store.settings), options);
    await process.#consumer.start();
    return process;
  }

  async stop(): Promise<void> {
    await this.#consumer.stop();
  }

  async #run(job: TurnJob): Promise<JobOutcome> {
    const turn = await job.begin({ onCancel: () => undefined, onFenced: () => undefined });
    if (typeof turn === 'string') return 'done';
    const [{ text }] = turn.start.message.parts as [{ text: string }];
    await new Promise((resolve) => setTimeout(resolve, text === 'poison' ? 10 : 30));
    if (this.hasCrashed) return 'removed';
    if (text === 'poison') await this.#crash();
    else await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true }).catch(ignoreEnd);
    return 'removed';
  }

  async #crash(): Promise<void> {
    this.hasCrashed = true;
    this.#onCrash();
    await this.#store.stop();
    this.#crashed.resolve();
    await this.stop();
  }
}

const hooks = { onCancel: () => undefined, onFenced: () => undefined };

function ignoreEnd(error: unknown): void {
  if (!(error instanceof TurnFenced)) throw error;
}

test.each([
  { poisons: 1, attempts: 'the deployment allows 3', deployment: 3 },
  { poisons: 5, attempts: 'the deployment allows 3', deployment: 3 },
  { poisons: 20, attempts: 'the deployment allows 3', deployment: 3 },
  { poisons: 5, attempts: 'the deployment allows 9 and the agent 2', deployment: 9, agent: 2 },
])(
  '$poisons concurrent messages that crash their process fail, and no other message does ($attempts)',
  async ({ poisons, deployment, agent: maxAttempts }) => {
    const store = await testStore({ ...settings, maxAttempts: deployment });
    let [isOver, crashes] = [false, 0];
    const processes: Promise<CrashingProcess>[] = [];
    const start = (): void => {
      const onCrash = (): void => {
        crashes++;
        if (!isOver) start();
      };
      processes.push(CrashingProcess.start(store, { onCrash, maxAttempts }));
    };
    const texts = Array.from({ length: 2 * poisons + 10 }, (_, n) =>
      n % 2 && n < 2 * poisons ? 'poison' : 'innocent',
    );
    const tasks = await Promise.all(texts.map((text) => accepted(store, alice, userMessage(text))));
    start();
    start();
    const states = () => Promise.all(tasks.map(async ({ taskId }) => (await store.tasks.read(alice, taskId))?.state));
    const ended = async () =>
      (await states()).every((state) => state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_FAILED');
    await until(ended, { what: 'all tasks have ended', timeoutMs: 60_000, everyMs: 100 });
    isOver = true;
    const expected = texts.map((text) => (text === 'poison' ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED'));
    expect(await states()).toEqual(expected);
    expect(crashes).toBeGreaterThanOrEqual(poisons);
    await Promise.all(processes.map(async (process) => (await process).stop()));
  },
);

test.each([
  ['alone', false, 'exhausted'],
  ['beside others', true, 'turn'],
])('a last attempt that ran %s when its process died is followed by one more only then', async (_, isShared, then) => {
  const store = await testStore({ maxAttempts: 1 });
  const { taskId } = await accepted(store, alice);
  const start = { queue: 'echo', taskId, job: 1 };
  const begin = async (started: number, token: string): Promise<string> => {
    const turn = await store.turns.jobOf({ ...start, started, token }).begin(hooks);
    return typeof turn === 'string' ? turn : 'turn';
  };
  const token = 'p1:echo/0:alone:1';
  expect(await begin(1, token)).toBe('turn');
  if (isShared) await store.turns.jobOf({ ...start, started: 1, token }).share();
  expect(await begin(2, 'p2:echo/0:alone:1')).toBe(then);
  // Also if that one is shared: a message that kills its process does so once more at most.
  await store.turns.jobOf({ ...start, started: 2, token: 'p2:echo/0:alone:1' }).share();
  expect(await begin(3, 'p3:echo/0:alone:1')).toBe(isShared ? 'exhausted' : 'stale');
});
