import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { resumableStreamsUri, type Task } from '@switchyard/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { get, submit } from '../support/rest.ts';
import { type SdkBinding, type SeenEvent, sdkBindings, toSeen } from '../support/sdk-clients.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// The official clients over every binding, while their gateway and the workers are killed: they continue at the other
// gateway (docs/extensions/resumable-streams.md, docs/guarantees.md).

let stack: Stack;

const lines = 300;

async function killGateway(): Promise<void> {
  const [doomed] = stack.gateways;
  doomed?.kill('SIGKILL');
  await doomed?.exited;
}

async function replaceWorkers(): Promise<void> {
  for (const worker of stack.workers) worker.kill('SIGKILL');
  await Promise.all([stack.addWorker(), stack.addWorker()]);
}

/** The gateway that all clients use: the one that has run longest. */
const gateway = (): string => stack.urls[0] ?? '';

/** Waits for the replacement of a killed gateway. */
const nextGateway = (dead: string): Promise<string> =>
  until(() => gateway() !== dead && gateway(), { what: 'another gateway runs' });

/** A client that follows a task, and resumes after its last event whenever its stream breaks. */
class Follower {
  readonly seen: SeenEvent[] = [];
  breaks = 0;
  taskId = '';
  /** Rejects if a stream cannot be resumed. */
  ended: Promise<void> = Promise.resolve();
  readonly #binding: SdkBinding;

  constructor(binding: SdkBinding) {
    this.#binding = binding;
  }

  async start(): Promise<void> {
    this.taskId = await (await this.#binding.at(gateway())).send(String(lines));
    this.ended = this.#follow();
    // Awaited by the test of its binding.
    this.ended.catch(() => undefined);
  }

  async #follow(): Promise<void> {
    for (;;) {
      const url = gateway();
      try {
        const events = (await this.#binding.at(url)).follow(this.taskId, this.seen.at(-1)?.id);
        for await (const event of events) this.seen.push(event);
        if (this.seen.at(-1)?.what === 'completed') return;
        throw new Error('the stream has ended before the task');
      } catch (error) {
        if (++this.breaks > 2) throw error;
        await nextGateway(url);
      }
    }
  }
}

/** Resolves when each client has received this many more events. */
async function allSeeMore(followers: readonly Follower[], more: number): Promise<void> {
  const counts = followers.map(({ seen }) => seen.length);
  const doAll = (): boolean => followers.every(({ seen }, i) => seen.length >= (counts[i] ?? 0) + more);
  await until(doAll, { what: `each client has ${more} events more`, timeoutMs: 20_000 });
}

/** Whether the turn has started again after at least twenty events. */
const isBegunAgain = ({ seen }: Follower): boolean => seen.findLastIndex(({ what }) => what === 'line 1\n') > 20;

describe('A stream whose gateway, then its workers, then the next gateway are killed', () => {
  const followers = new Map(sdkBindings.map((binding) => [binding.name, new Follower(binding)]));

  beforeAll(async () => {
    stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['typist'], gateways: 2, workers: 2 });
    const all = [...followers.values()];
    await Promise.all(all.map((follower) => follower.start()));
    await allSeeMore(all, 20);
    await killGateway();
    await allSeeMore(all, 10);
    await Promise.all([replaceWorkers(), stack.addGateway()]);
    await until(() => all.every(isBegunAgain), { what: 'each turn starts again', timeoutMs: 20_000 });
    await killGateway();
    await Promise.allSettled(all.map(({ ended }) => ended));
  });

  afterAll(() => stack.stop());

  it.each([...followers])('continues over %s without losing or repeating an event', async (_, follower) => {
    await follower.ended;
    const { seen, taskId } = follower;
    const url = `${gateway()}/tasks/${taskId}:subscribe`;
    const stream = await openEventStream(url, { headers: { 'a2a-extensions': resumableStreamsUri }, lastEventId: 0 });
    const stored = (await stream.rest()).map(({ text }) => toSeen(JSON.parse(text)));
    const [first, ...others] = seen;
    // The first event is the task, as it was after that event.
    const position = stored.findIndex(({ id }) => id === first?.id);
    expect(position).toBeGreaterThanOrEqual(0);
    expect(others).toEqual(stored.slice(position + 1));
    expect(others.length).toBeGreaterThan(lines);
    expect([follower.breaks, isBegunAgain(follower)]).toEqual([2, true]);
  });
});

/** A task of the pilot, steered over one binding. The blocking call of its first message waits until it has landed. */
class Flight {
  readonly #binding: SdkBinding;
  readonly #contextId = randomUUID();
  readonly #headers = { 'idempotency-key': randomUUID() };

  constructor(binding: SdkBinding) {
    this.#binding = binding;
  }

  /** Repeating it is the same call, by its key. @returns the id of the landed task */
  async call(): Promise<string> {
    const options = { contextId: this.#contextId, isBlocking: true, headers: this.#headers };
    return (await this.#binding.at(gateway())).send('start', options);
  }

  async send(text: string): Promise<void> {
    const [task] = await this.tasks();
    await (await this.#binding.at(gateway())).send(text, { taskId: task?.id ?? '' });
  }

  async tasks(): Promise<readonly Task[]> {
    return (await get<{ tasks: Task[] }>(`${gateway()}/tasks?contextId=${this.#contextId}`)).body.tasks;
  }

  async untilSaid(text: string): Promise<void> {
    const what = `the pilot says ${text} over ${this.#binding.name}`;
    const says = async (): Promise<boolean> => textOf((await this.tasks())[0]?.status.message) === text;
    await until(says, { what, timeoutMs: 20_000 });
  }
}

describe('A steered task whose gateway and workers are killed during its blocking call', () => {
  const flights = new Map(sdkBindings.map((binding) => [binding.name, new Flight(binding)]));
  const ofAll = (act: (flight: Flight) => Promise<void>) => Promise.all([...flights.values()].map(act));
  const callAll = () =>
    Promise.allSettled([...flights].map(async ([name, flight]) => ({ name, id: await flight.call() })));
  let answered: Map<string, string>;

  beforeAll(async () => {
    stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['pilot'], gateways: 2, workers: 2 });
    const calls = callAll();
    await ofAll((flight) => flight.untilSaid('in the air'));
    await ofAll((flight) => flight.send('left'));
    await ofAll((flight) => flight.untilSaid('told left'));
    await killGateway();
    expect((await calls).map(({ status }) => status)).toEqual(sdkBindings.map(() => 'rejected'));
    const callsAgain = callAll();
    await replaceWorkers();
    await ofAll((flight) => flight.send('right'));
    await ofAll((flight) => flight.untilSaid('told right'));
    await ofAll((flight) => flight.send('land'));
    const fulfilled = (await callsAgain).flatMap((call) => (call.status === 'fulfilled' ? call.value : []));
    answered = new Map(fulfilled.map(({ name, id }) => [name, id]));
  });

  afterAll(() => stack.stop());

  it.each([...flights])(
    'answers a retry over %s with its outcome, and the agent got every message',
    async (name, flight) => {
      const tasks = await flight.tasks();
      expect(tasks.map(({ id, status }) => [id, status.state, textOf(status.message)])).toEqual([
        [answered.get(name), 'TASK_STATE_COMPLETED', 'start, left, right, land'],
      ]);
    },
  );
});

describe('An MCP tool call whose gateway is killed', () => {
  beforeAll(async () => {
    const env = { MCP: 'on' };
    stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['pilot'], gateways: 2, env });
  });

  afterEach(() => stack.addGateway());

  afterAll(() => stack.stop());

  const eras = { modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } }, legacy: {} } as const;

  it.each(Object.entries(eras))(
    'can be repeated by a client of the %s revisions: the same task continues',
    async (_, options) => {
      const contextId = randomUUID();
      const call = async (heard: (text: string) => void, signal?: AbortSignal) => {
        const client = new Client({ name: 'test', version: '1' }, options);
        await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway()}/mcp`)));
        const asked = { name: 'pilot', arguments: { message: 'start', contextId } };
        const _meta = { 'switchyard/messageId': contextId };
        return client.callTool(
          { ...asked, _meta },
          { onprogress: ({ message = '' }) => heard(message), ...(signal && { signal }) },
        );
      };
      // The SDK's client does not notice the broken stream of a call, so the test aborts it.
      const gone = new AbortController();
      const first = call((text) => {
        if (text === 'in the air') void killGateway().then(() => gone.abort());
      }, gone.signal);
      await expect(first).rejects.toThrow();
      const { promise: heardAgain, resolve } = Promise.withResolvers<string>();
      const again = call(resolve);
      expect(await heardAgain).toBe('in the air');
      const { body } = await get<{ tasks: Task[] }>(`${gateway()}/tasks?contextId=${contextId}`);
      const ids = body.tasks.map(({ id }) => id);
      const [taskId = ''] = ids;
      await submit(gateway(), { ...userMessage('land'), taskId });
      const { content, structuredContent } = await again;
      expect([ids.length, Object(structuredContent).taskId]).toEqual([1, taskId]);
      expect(content).toEqual([{ type: 'text', text: 'start, land' }]);
    },
  );
});
