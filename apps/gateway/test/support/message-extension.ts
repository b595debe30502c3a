import type { Message, Task } from '@switchyard/protocol';
import type { AgentAnnouncement } from '@switchyard/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { card } from './agents.ts';
import type { Binding } from './bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from './bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './bindings/over-http.ts';
import { call, get, userMessage } from './client.ts';
import { grpcAddressOf } from './grpc-address.ts';
import { openStage, type Stage } from './stage.ts';

// Extensions by which a message asks for something: a skill, a priority, a time to live.

/** A gateway with gRPC that knows these agents, for all tests of a file. */
export class AgentsStage {
  #opened: { readonly stage: Stage; readonly grpc: GrpcBinding } | undefined;
  readonly #agents: readonly AgentAnnouncement[];

  /** The bindings ask the first one. */
  constructor(agents: readonly (Partial<AgentAnnouncement> & { readonly id: string })[]) {
    this.#agents = agents.map((agent) => ({ card, repliesWithMessage: false, concurrency: 1, ...agent }));
    beforeAll(() => this.#open());
    afterAll(() => this.#close());
  }

  get stage(): Stage {
    if (!this.#opened) throw new Error('Before the tests there is no gateway');
    return this.#opened.stage;
  }

  get bindings(): readonly Binding[] {
    if (!this.#opened) throw new Error('Before the tests there is no gateway');
    return [overJsonRpc(this.url()), overRest(this.url()), this.#opened.grpc];
  }

  url(agent = this.#agents[0]?.id): string {
    return `${this.stage.url}/agents/${agent}`;
  }

  async #open(): Promise<void> {
    const stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
    await stage.store.registry.announce(this.#agents, 'someone');
    this.#opened = { stage, grpc: overGrpc(await grpcAddressOf(stage.url), this.#agents[0]?.id ?? '') };
    for (const { id } of this.#agents)
      await until(async () => (await get(`${this.url(id)}/tasks`)).status === 200, { what: `${id} is known` });
  }

  async #close(): Promise<void> {
    this.#opened?.grpc[Symbol.dispose]();
    await this.#opened?.stage[Symbol.asyncDispose]();
  }
}

interface AskOptions {
  readonly of?: 'message' | 'request';
  readonly message?: Partial<Message>;
  readonly returnImmediately?: boolean;
}

/** A request that asks for `hint` by the extension, in the metadata of its message or its own. */
export function asking(uri: string, hint: unknown, options: AskOptions = {}) {
  const { of = 'message', message = {}, returnImmediately = true } = options;
  const metadata = { [uri]: hint };
  return {
    message: userMessage('hello', { ...(of === 'message' && { metadata }), ...message }),
    configuration: { returnImmediately },
    ...(of === 'request' && { metadata }),
  };
}

export const taskIn = (outcome: unknown): Task => (outcome as { result: { task: Task } }).result.task;

interface MessageExtension {
  readonly uri: string;
  readonly used: AgentsStage;
  readonly right: readonly object[];
  readonly wrong: readonly unknown[];
  /** Where a client may ask. */
  readonly of: readonly ('message' | 'request')[];
  /** Expects that a task that was created since then was asked for this; undefined: for nothing. */
  readonly expectAsked: (taskId: string, hint: object | undefined, since: number) => Promise<void>;
}

/** What is the same for all of them. */
export function itAsksByMessage({ uri, used, right, wrong, of, expectAsked }: MessageExtension): void {
  const headers = { 'a2a-extensions': uri };

  it(`is in the metadata of the ${of.join(' or of the ')}, over every binding`, async () => {
    for (const { invoke } of used.bindings)
      for (const place of of)
        for (const hint of right) {
          const since = Date.now();
          const params = asking(uri, hint, { of: place });
          await expectAsked(taskIn(await invoke({ operation: 'SendMessage', params, headers })).id, hint, since);
        }
  });

  it('is the same for a client of version 0.3', async () => {
    const [hint = {}] = right;
    const since = Date.now();
    const message = {
      ...asking(uri, hint).message,
      kind: 'message',
      role: 'user',
      parts: [{ kind: 'text', text: '?' }],
    };
    const params = { message, configuration: { blocking: false } };
    const { body } = await call<{ result: Task }>(used.url(), 'message/send', params, { 'x-a2a-extensions': uri });
    await expectAsked(body.result.id, hint, since);
  });

  it('must have the right form, or the error names the field, over every binding', async () => {
    const violations = [expect.stringContaining(`message.metadata["${uri}"]`)];
    for (const operation of ['SendMessage', 'SendStreamingMessage'])
      for (const hint of wrong)
        for (const { invoke } of used.bindings)
          expect(await invoke({ operation, params: asking(uri, hint), headers })).toMatchObject({
            error: { reason: 'INVALID_PARAMS', violations },
          });
  });

  it('is ignored if the request does not activate the extension', async () => {
    for (const { invoke } of used.bindings)
      for (const hint of [right[0], wrong[0]]) {
        const outcome = await invoke({ operation: 'SendMessage', params: asking(uri, hint) });
        await expectAsked(taskIn(outcome).id, undefined, Date.now());
      }
  });
}
