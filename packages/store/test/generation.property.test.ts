import { fold, isTerminal, type StreamResponse, type Task, type TurnEvent } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FeedItem, OpenTurn, TaskReading } from '../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

// The number of a task's last event is its generation in A2A 1.1 (docs/a2a-1-1.md): each event has the next number, and
// each change of the task is one event.

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
  | { readonly kind: 'publish'; readonly events: readonly TurnEvent[] }
  | { readonly kind: 'message' | 'ask' | 'take-over' | 'complete' | 'give-back' };

const event = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }).map((size) => chunk('x'.repeat(size))) },
  fc.constantFrom(chunk('anew', false), status('WORKING'), status('WORKING', 'on it'), status('AUTH_REQUIRED')),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(event, { minLength: 1, maxLength: 40 }).map((events): Step => ({ kind: 'publish', events })),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'message' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'ask' }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'take-over' }, { kind: 'complete' }, { kind: 'give-back' }) },
);

/** Follows the task in the background, and collects the items. */
function follow(taskId: string) {
  const items: FeedItem[] = [];
  const ended = (async () => {
    for await (const item of store.feeds.follow(alice, taskId)) items.push(item);
  })();
  return { items, ended };
}

/** A task on which random steps are run, and the fold of its events. */
class TaskUnderTest {
  readonly taskId: string;
  #turn: OpenTurn | undefined;
  #job = 1;
  #started = 0;
  #folded: Task;
  /** The number of the last folded event. */
  #seq = 1;

  private constructor(task: Task) {
    this.taskId = task.id;
    this.#folded = task;
  }

  static async begin(): Promise<TaskUnderTest> {
    const { task = '', seq } = await accepted(store, alice);
    expect(seq).toBe(1);
    const created = new TaskUnderTest(JSON.parse(task));
    await created.#begin();
    return created;
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'message') await this.#send();
    else if (this.#turn) await this.#runInTurn(step, this.#turn);
    await this.check();
  }

  /** Checks that each event since the last check has the next number, and that the task is the fold of its events. */
  async check(): Promise<TaskReading> {
    const reading = await store.tasks.read(alice, this.taskId);
    if (!reading) throw new Error('the task does not exist');
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
      await this.run({ kind: 'complete' });
    }
  }

  async #send(): Promise<void> {
    const { statusAndMessage } = await accepted(store, alice, userMessage('more', { taskId: this.taskId }));
    if (statusAndMessage === undefined) return;
    this.#job++;
    await this.#begin();
  }

  async #runInTurn({ kind, ...step }: Step, turn: OpenTurn): Promise<void> {
    if (kind === 'take-over') return this.#begin();
    if (kind === 'give-back') {
      await turn.handBack(false);
      return this.#begin();
    }
    const events =
      kind === 'publish' && 'events' in step ? step.events : [outcomes[kind === 'ask' ? 'ask' : 'complete']];
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

test('each event of a task has the next number, each change is one event, for early and late followers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), fc.nat(9), async (steps, late) => {
      const task = await TaskUnderTest.begin();
      const readers = [follow(task.taskId)];
      for (const [i, one] of steps.entries()) {
        if (i === late) readers.push(follow(task.taskId));
        await task.run(one);
        if (isTerminal((await task.check()).state)) break;
      }
      await task.end();
      const { seq } = await task.check();
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
});
