import {
  type Artifact,
  fold,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TurnEvent,
} from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpenTurn } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const fragments = [
  '',
  'a',
  '"',
  '\\',
  '"}',
  '"},{"text":"',
  '</script>',
  '\u2028',
  '\u0000',
  '\ud83d',
  '\ude00',
  '😀',
  '\n',
  ',\n',
  '|',
  '%1',
  'x'.repeat(600),
];
const text = fc.array(fc.constantFrom(...fragments), { maxLength: 4 }).map((chosen) => chosen.join(''));
const value = fc.oneof(
  fc.constantFrom(null, 1e21, 2 ** 53 + 2, 5e-324, true),
  fc.constant([]),
  fc.constant({}),
  text,
  text.map((it) => ({ text: it })),
);
/** Made through JSON, so that `__proto__` is an ordinary key. */
const metadata = fc
  .array(fc.tuple(fc.constantFrom('k', '', '1', '__proto__', 'toString', '"'), value), { maxLength: 3 })
  .map(
    (entries): Record<string, unknown> =>
      JSON.parse(`{${entries.map(([key, it]) => `${JSON.stringify(key)}:${JSON.stringify(it)}`)}}`),
  );
const optional = <T>(name: string, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc
    .option(arbitrary, { nil: undefined, freq: 1 })
    .map((it): Record<string, T> => (it === undefined ? {} : { [name]: it }));

const plain = text.map((it): Part => ({ text: it }));
const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: plain },
  fc.tuple(text, fc.constantFrom('text/plain', 'text/markdown')).map(([it, mediaType]) => ({ text: it, mediaType })),
  text.map((it) => ({ text: it, filename: 'f' })),
  fc.tuple(text, metadata).map(([it, data]) => ({ text: it, metadata: data })),
  value.map((data) => ({ data })),
);
const parts = fc.oneof({ weight: 2, arbitrary: part.map((it) => [it]) }, fc.array(part, { maxLength: 3 }));
const messageId = fc.tuple(fc.constantFrom('a', 'b', '"'), fc.nat(8)).map(([name, n]) => name + n);
const message = fc
  .tuple(messageId, parts, optional('metadata', metadata))
  .map(([id, its, data]): Message => ({ messageId: id, role: 'ROLE_AGENT', parts: its, ...data }));
const artifact = fc
  .tuple(
    fc.constantFrom('a', 'b', '__proto__'),
    parts,
    optional('name', text),
    optional('metadata', metadata),
    optional('extensions', fc.constantFrom(['u:1'], ['u:2'])),
  )
  .map(([artifactId, its, ...rest]): Artifact => Object.assign({ artifactId, parts: its }, ...rest));

const artifactEvent = fc
  .tuple(artifact, fc.integer({ min: 0, max: 3 }), fc.boolean(), optional('metadata', metadata))
  .map(
    ([it, append, lastChunk, data]): TurnEvent => ({
      kind: 'artifact',
      artifact: it,
      append: append > 0,
      lastChunk,
      ...data,
    }),
  );
const statusEvent = fc
  .tuple(
    fc.constantFrom('TASK_STATE_WORKING' as const, 'TASK_STATE_AUTH_REQUIRED' as const),
    optional('message', message),
    optional('metadata', metadata),
  )
  .map(([state, withMessage, data]): TurnEvent => ({ kind: 'status', state, settles: false, ...withMessage, ...data }));
const event = fc.oneof({ weight: 3, arbitrary: artifactEvent }, { weight: 1, arbitrary: statusEvent });

type Step = { kind: 'publish'; events: TurnEvent[] } | { kind: 'take-over' } | { kind: 'message'; text: string };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(event, { minLength: 1, maxLength: 5 }).map((events): Step => ({ kind: 'publish', events })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'take-over' }) },
  { weight: 1, arbitrary: text.map((it): Step => ({ kind: 'message', text: it })) },
);

const onTheWire = <T>(object: T): T => JSON.parse(JSON.stringify(object));

/** The event as subscribers receive it, and as `fold` expects it. */
function response(event: TurnEvent, { id: taskId, contextId = '' }: Task, timestamp: string): StreamResponse {
  const data = event.metadata ? { metadata: { ...event.metadata } } : {};
  if (event.kind === 'artifact') {
    const { artifact: it, append, lastChunk } = event;
    return {
      artifactUpdate: {
        taskId,
        contextId,
        artifact: it,
        ...(append && { append }),
        ...(lastChunk && { lastChunk }),
        ...data,
      },
    };
  }
  const withMessage = event.message ? { message: { ...event.message, taskId, contextId } } : {};
  return { statusUpdate: { taskId, contextId, status: { state: event.state, timestamp, ...withMessage }, ...data } };
}

const store = await testStore({ inlineTextBytes: 200, largeTextBytes: 900, maxInbox: 1_000, maxAttempts: 100 });
const redis = testRedis();

/** A task and the fold of its events and messages. */
class FoldedTask {
  #folded: Task;
  #turn: OpenTurn;
  #seen = 1;
  #started = 1;

  private constructor(task: Task, turn: OpenTurn) {
    this.#folded = task;
    this.#turn = turn;
  }

  static async begin(): Promise<FoldedTask> {
    const { taskId, task = '' } = await accepted(store, alice);
    return new FoldedTask(JSON.parse(task), await begun(store, taskId));
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'take-over') await this.#takeOver();
    if (step.kind === 'message') await this.#send(userMessage(step.text));
    if (step.kind === 'publish') await this.#publish(step.events);
    await this.#expectStored();
  }

  async #takeOver(): Promise<void> {
    this.#turn = await begun(store, this.#folded.id, { started: ++this.#started });
    this.#foldAll(await this.#fresh());
  }

  async #send(message: Message): Promise<void> {
    const { id: taskId, contextId = '', history = [] } = this.#folded;
    await accepted(store, alice, { ...message, taskId });
    this.#folded = { ...this.#folded, history: [...history, { ...message, taskId, contextId }] };
  }

  async #publish(events: TurnEvent[]): Promise<void> {
    await Promise.all(events.map((one) => this.#turn.publish(one)));
    await this.#turn.flush();
    const fresh = await this.#fresh();
    const timestamp = (i: number): string => fresh[i]?.statusUpdate?.status.timestamp ?? '';
    expect(fresh).toEqual(events.map((one, i) => onTheWire(response(one, this.#folded, timestamp(i)))));
    this.#foldAll(fresh);
  }

  async #fresh(): Promise<StreamResponse[]> {
    const key = `${store.settings.prefix}{s0}:t:${this.#folded.id}:e`;
    const entries = await redis.xrange(key, `${this.#seen + 1}-0`, '+');
    this.#seen += entries.length;
    return entries.map(([, [, json]]) => JSON.parse(json ?? ''));
  }

  #foldAll(events: StreamResponse[]): void {
    this.#folded = events.reduce((task, one) => fold(task, one), this.#folded);
  }

  async #expectStored(): Promise<void> {
    const { id } = this.#folded;
    const whole = await store.tasks.read(alice, id);
    expect(JSON.parse(whole?.task?.toString() ?? '')).toEqual(onTheWire(this.#folded));
    const { artifacts: _, history = [], ...rest } = onTheWire(this.#folded);
    for (const historyLength of [0, 1, 3]) {
      const part = await store.tasks.read(alice, id, { historyLength, includeArtifacts: false });
      const latest = historyLength ? { history: history.slice(-historyLength) } : {};
      expect(JSON.parse(part?.task?.toString() ?? '')).toEqual({ ...rest, ...latest });
    }
  }
}

describe('the snapshot of a task', () => {
  test('is the fold of its events and messages, in any batches, also after a takeover', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const task = await FoldedTask.begin();
        for (const one of steps) await task.run(one);
      }),
      { numRuns: Number(process.env.RUNS ?? 150) },
    );
  });
});
