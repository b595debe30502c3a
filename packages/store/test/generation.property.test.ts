import { fold, isTerminal, type StreamResponse, type Task, type TurnEvent } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FeedItem, OpenTurn, TaskReading } from '../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

// The number of a task's last event is its generation in A2A 1.1 (docs/a2a-1-1.md): one for each event, one event for
// each change, whatever happens to the task.

const store = await testStore({ inlineTextBytes: 200, maxInbox: 1_000, maxAttempts: 100 });
const redis = testRedis();

const chunk = (text: string, append = true): TurnEvent => ({
  kind: 'artifact',
  artifact: { artifactId: 'report', parts: [{ text }] },
  append,
  lastChunk: false,
});
const status = (state: 'WORKING' | 'AUTH_REQUIRED' | 'INPUT_REQUIRED' | 'COMPLETED', text?: string): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: state === 'INPUT_REQUIRED' || state === 'COMPLETED',
  ...(text !== undefined && { message: agentMessage(text) }),
});

type Step =
  | { readonly kind: 'say'; readonly events: readonly TurnEvent[] }
  | { readonly kind: 'message' | 'ask' | 'take-over' | 'complete' | 'give-back' };

const event = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }).map((size) => chunk('x'.repeat(size))) },
  fc.constantFrom(chunk('anew', false), status('WORKING'), status('WORKING', 'on it'), status('AUTH_REQUIRED')),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(event, { minLength: 1, maxLength: 40 }).map((events): Step => ({ kind: 'say', events })),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'message' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'ask' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'take-over' }, { kind: 'complete' }, { kind: 'give-back' }) },
);

/** Follows the task from where it is; `seqs` grows. */
function follow(taskId: string) {
  const items: FeedItem[] = [];
  const ended = (async () => {
    for await (const item of store.feeds.follow(alice, taskId)) items.push(item);
  })();
  return { items, ended };
}

class Walk {
  readonly taskId: string;
  #turn: OpenTurn | undefined;
  #job = 1;
  #started = 0;
  /** The fold of all events, and their number. */
  #folded: Task;
  #seq = 1;

  private constructor(task: Task) {
    this.taskId = task.id;
    this.#folded = task;
  }

  static async begin(): Promise<Walk> {
    const { task = '', seq } = await accepted(store, alice);
    expect(seq).toBe(1);
    const walk = new Walk(JSON.parse(task));
    await walk.#begin();
    return walk;
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'message') await this.#send();
    else if (this.#turn) await this.#work(step, this.#turn);
    await this.check();
  }

  /** Each event since the last time has the next number, and what they add up to is the task. */
  async check(): Promise<TaskReading> {
    const reading = await store.tasks.read(alice, this.taskId);
    if (!reading) throw new Error('the task is gone');
    const key = `${store.settings.prefix}{s0}:t:${this.taskId}:e`;
    const entries = await redis.xrange(key, `${this.#seq + 1}-0`, '+');
    for (const [id, [, json = '']] of entries) {
      this.#seq++;
      expect(Number.parseInt(id, 10)).toBe(this.#seq);
      const event: StreamResponse = JSON.parse(json);
      this.#folded = fold(this.#folded, event);
    }
    expect(reading.seq).toBe(this.#seq);
    const { history: _, ...task }: Task = JSON.parse(reading.task?.toString() ?? '');
    const { history: __, ...folded } = this.#folded;
    expect(task).toEqual(JSON.parse(JSON.stringify(folded)));
    return reading;
  }

  async end(): Promise<void> {
    while (!isTerminal((await this.check()).state)) {
      if (!this.#turn) await this.#send();
      await this.take({ kind: 'complete' });
    }
  }

  async #send(): Promise<void> {
    const { statusAndMessage } = await accepted(store, alice, userMessage('more', { taskId: this.taskId }));
    if (statusAndMessage === undefined) return;
    this.#job++;
    await this.#begin();
  }

  async #work({ kind, ...step }: Step, turn: OpenTurn): Promise<void> {
    if (kind === 'take-over') return this.#begin();
    if (kind === 'give-back') {
      await turn.release(false);
      return this.#begin();
    }
    const events = kind === 'say' && 'events' in step ? step.events : [outcomes[kind === 'ask' ? 'ask' : 'complete']];
    await Promise.all(events.map((event) => turn.publish(event)));
    await turn.flush();
    if (turn.ending === undefined) return;
    this.#turn = undefined;
    if (turn.ending === 'more') await this.#begin();
  }

  async #begin(): Promise<void> {
    this.#started++;
    this.#turn = await begun(store, this.taskId, { job: this.#job, started: this.#started });
  }
}

const outcomes = { ask: status('INPUT_REQUIRED', 'what?'), complete: status('COMPLETED', 'done') };

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('each event of a task is one number, each change one event, for who follows and for who comes late', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), fc.nat(9), async (steps, late) => {
      const walk = await Walk.begin();
      const readers = [follow(walk.taskId)];
      for (const [i, one] of steps.entries()) {
        if (i === late) readers.push(follow(walk.taskId));
        await walk.take(one);
        if (isTerminal((await walk.check()).state)) break;
      }
      await walk.end();
      const { seq } = await walk.check();
      for (const { items, ended } of readers) {
        await ended;
        const [first, ...others] = items;
        expect(first?.kind).toBe('task');
        expect(others.every(({ kind }) => kind === 'event')).toBe(true);
        expect(items.map((item) => item.seq)).toEqual(numbers(first?.seq ?? 0, seq));
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 100) },
  );
}, 120_000);
