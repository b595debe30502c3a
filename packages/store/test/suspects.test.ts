import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { type Consumer, type JobOutcome, type Store, TurnFenced, type TurnJob } from '../src/index.ts';
import { accepted, userMessage } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

/** Short locks: a death is noticed after one. */
const settings = { lockMs: 300 };

interface Life {
  readonly onDeath: () => void;
  /** Of the agent, instead of the deployment's. */
  readonly maxAttempts?: number | undefined;
}

/** Runs turns, and crashes with all of them on a message with the text `poison`. */
class MortalProcess {
  readonly #store: Store;
  readonly #dead = Promise.withResolvers<void>();
  readonly #consumer: Consumer;
  readonly #onDeath: () => void;
  readonly #maxAttempts: number | undefined;
  isDead = false;

  private constructor(store: Store, { onDeath, maxAttempts }: Life) {
    this.#store = store;
    this.#onDeath = onDeath;
    this.#maxAttempts = maxAttempts;
    const run = (job: TurnJob): Promise<JobOutcome> =>
      Promise.race([this.#run(job), this.#dead.promise.then(() => 'left' as const)]);
    const options = { agent: 'echo', concurrency: 10, run, onError: () => undefined, maxAttempts };
    this.#consumer = store.turns.consume(options);
  }

  static async start(store: Store, life: Life): Promise<MortalProcess> {
    const process = new MortalProcess(await testStore(store.settings), life);
    await process.#consumer.start();
    return process;
  }

  async stop(): Promise<void> {
    await this.#consumer.stop();
  }

  async #run(job: TurnJob): Promise<JobOutcome> {
    const hooks = { onCancel: () => undefined, onFenced: () => undefined, maxAttempts: this.#maxAttempts };
    const turn = await this.#store.turns.begin(job, 0, hooks);
    if (typeof turn === 'string') return 'done';
    const [{ text }] = turn.start.message.parts as [{ text: string }];
    await new Promise((resolve) => setTimeout(resolve, text === 'poison' ? 10 : 30));
    if (this.isDead) return 'left';
    if (text === 'poison') await this.#die();
    else await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true }).catch(ignoreEnd);
    return 'left';
  }

  async #die(): Promise<void> {
    this.isDead = true;
    this.#onDeath();
    await this.#store.stop();
    this.#dead.resolve();
    await this.stop();
  }
}

function ignoreEnd(error: unknown): void {
  if (!(error instanceof TurnFenced)) throw error;
}

test.each([
  { poisons: 1, attempts: 'the deployment allows 3', deployment: 3 },
  { poisons: 5, attempts: 'the deployment allows 3', deployment: 3 },
  { poisons: 20, attempts: 'the deployment allows 3', deployment: 3 },
  { poisons: 5, attempts: 'the deployment allows 9 and the agent 2', deployment: 9, agent: 2 },
])(
  'of $poisons messages at once that kill their process each ends FAILED, and takes no other one with it: $attempts',
  async ({ poisons, deployment, agent: maxAttempts }) => {
    const store = await testStore({ ...settings, maxAttempts: deployment });
    let [isOver, deaths] = [false, 0];
    const processes: Promise<MortalProcess>[] = [];
    const start = (): void => {
      const onDeath = (): void => {
        deaths++;
        if (!isOver) start();
      };
      const born = MortalProcess.start(store, { onDeath, maxAttempts });
      processes.push(born);
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
    await until(ended, { what: 'all have ended', timeoutMs: 60_000, everyMs: 100 });
    isOver = true;
    const expected = texts.map((text) => (text === 'poison' ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED'));
    expect(await states()).toEqual(expected);
    expect(deaths).toBeGreaterThanOrEqual(poisons);
    await Promise.all(processes.map(async (born) => (await born).stop()));
  },
  90_000,
);
