import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { defineAgent } from '@switchyard/agent';
import { testGateway } from '@switchyard/cli/testing';
import { openAiModel } from '@switchyard/executor-openai';
import { AddressPolicy, guardedClient } from '@switchyard/outgoing';
import { startTraces } from '@switchyard/telemetry';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../examples/coding-team/model/scripted-model.ts';
import { type ReceivedSpan, spansFrom, startCollector, type TestCollector } from '../support/collector.ts';
import { openHttpServer } from '../support/http-server.ts';
import { userMessage } from '../support/messages.ts';
import { post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';

const members = ['agent', 'product', 'design', 'frontend', 'backend'];
const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;
const tracestate = 'vendor=a';

interface Traced {
  readonly spans: readonly ReceivedSpan[];
  /** The header traceparent of each webhook call. */
  readonly pushed: readonly (string | undefined)[];
  readonly states: readonly (string | undefined)[];
  /** The log lines of all processes. */
  readonly log: string;
}

let folder: string;
let model: ScriptedModel;
let traced: Record<'link' | 'parent', Traced>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-traces-'));
  model = await startScriptedModel(() => undefined);
  const [link, parent] = await Promise.all([trace('link'), trace('parent')]);
  traced = { link, parent };
});

afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a message with a webhook to the coding team, and waits for the answer. */
async function trace(queue: string): Promise<Traced> {
  await using collector = await startCollector();
  await using receiver = await startReceiver();
  await using stack = await start(queue, collector);
  await post(
    `${stack.urls[0]}/message:send`,
    {
      message: userMessage('Build a todo list'),
      configuration: { taskPushNotificationConfig: { url: receiver.url } },
    },
    { traceparent, tracestate },
  );
  await receiver.ended;
  // Spans are exported before a process ends.
  await stack.stop();
  const log = stack.programs.map((program) => program.output()).join('\n');
  return { spans: collector.spans, pushed: receiver.traceParents, states: receiver.traceStates, log };
}

function start(queue: string, { url }: TestCollector): Promise<Stack> {
  return startStack({
    redisUrl: inject('redisUrl'),
    agents: members.map((name) => `examples/coding-team/${name}.ts`),
    env: {
      DEFAULT_AGENT: 'coding-team',
      OPENAI_BASE_URL: model.baseURL,
      OPENAI_MODEL: 'scripted',
      WORKSPACES: join(folder, `workspaces-${queue}`),
      CODER_STEP_MS: '10',
      CODING_SANDBOX: 'off',
      PUSH_ALLOW_HTTP: 'on',
      PUSH_ALLOW_HOSTS: '127.0.0.1',
      PUSH_CLEAR: 'on',
      PUSH_VERIFY: 'off',
      TRACES: 'otlp',
      TRACES_URL: url,
      TRACE_QUEUE: queue,
    },
  });
}

/** A webhook. `ended`: it received the task's last event. */
async function startReceiver() {
  const traceParents: (string | undefined)[] = [];
  const traceStates: (string | undefined)[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const server = await openHttpServer(async (req, res) => {
    const body = await text(req);
    traceParents.push(req.headers.traceparent?.toString());
    traceStates.push(req.headers.tracestate?.toString());
    res.end();
    if (body.includes('TASK_STATE_COMPLETED')) resolve();
  });
  return { url: `${server.url}/`, ended, traceParents, traceStates, [Symbol.asyncDispose]: server.close };
}

const named = (spans: Iterable<ReceivedSpan>, pattern: RegExp): ReceivedSpan[] =>
  [...spans].filter(({ name }) => pattern.test(name));

function only(spans: Iterable<ReceivedSpan>, pattern: RegExp): ReceivedSpan {
  const [span, ...others] = named(spans, pattern);
  if (!span || others.length > 0) throw new Error(`there is not one span ${pattern}`);
  return span;
}

const parentOf = ({ traceId, parentId }: ReceivedSpan) => ({ traceId, spanId: parentId });

describe.each(['link', 'parent'] as const)('a coding team, TRACE_QUEUE=%s', (queue) => {
  it("is in the caller's trace, or in traces that link to it", () => {
    const { spans } = traced[queue];
    const operation = only(spans, /^SendMessage$/);
    expect(operation).toMatchObject({ kind: 2, attributes: { 'a2a.method.name': 'SendMessage' } });
    expect(parentOf(operation)).toEqual(caller);
    const reached = spansFrom(operation, spans);
    expect(spans.filter((span) => !reached.has(span))).toEqual([]);
  });
});

describe('a turn', () => {
  it('is its own trace, linked to the send', () => {
    const { spans } = traced.link;
    const send = only(spans, /^send coding-team$/);
    const process = only(spans, /^process coding-team$/);
    expect(process).toMatchObject({ parentId: '', links: [{ traceId: caller.traceId, spanId: send.spanId }], kind: 5 });
    expect(process.traceId).not.toBe(caller.traceId);
  });

  it("is part of its caller's trace while the caller waits, with TRACE_QUEUE=parent", () => {
    const { spans } = traced.parent;
    const send = only(spans, /^send coding-team$/);
    const process = only(spans, /^process coding-team$/);
    expect(process).toMatchObject({ traceId: caller.traceId, parentId: send.spanId, links: [] });
    expect(new Set(named(spans, /^(?:call|process|step|chat)/).map(({ traceId }) => traceId))).toEqual(
      new Set([caller.traceId]),
    );
  });

  it('has attributes for task, message, context and agent, named by the conventions', () => {
    const { spans } = traced.link;
    const send = only(spans, /^send coding-team$/).attributes;
    const invoked = only(spans, /^invoke_agent Coding team$/);
    expect(parentOf(invoked).spanId).toBe(only(spans, /^process coding-team$/).spanId);
    expect(invoked.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'coding-team',
      'gen_ai.agent.name': 'Coding team',
      'gen_ai.conversation.id': send['gen_ai.conversation.id'],
      'a2a.task.id': send['a2a.task.id'],
      'a2a.task.state': 'TASK_STATE_COMPLETED',
      'a2a.message.id': send['messaging.message.id'],
      'switchyard.attempt': 1,
    });
    expect(send).toMatchObject({ 'messaging.system': 'switchyard', 'messaging.destination.name': 'coding-team' });
  });

  it('contains its requests to the model, in the step that sends them', () => {
    const { spans } = traced.link;
    const chats = named(spans, /^chat scripted$/);
    expect(chats.length).toBeGreaterThan(0);
    for (const chat of chats)
      expect(chat).toMatchObject({
        kind: 3,
        attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'scripted' },
      });
    const [step] = named(spans, /^step plan/);
    expect(chats.map(({ parentId }) => parentId)).toContain(step?.spanId);
  });
});

describe('log lines', () => {
  it('of operations and turns have their trace id', () => {
    const { spans, log } = traced.link;
    const { traceId } = only(spans, /^process coding-team$/);
    expect(log).toMatch(new RegExp(`"app":"worker".*"traceId":"${traceId}"`));
    expect(log).toMatch(new RegExp(`"app":"gateway".*"traceId":"${caller.traceId}"`));
  });
});

describe('a webhook', () => {
  it('is called in the trace of the message that registered it', () => {
    const { spans, pushed, states } = traced.link;
    const pushes = named(spans, /^push http:\/\/127\.0\.0\.1/);
    expect(pushes.length).toBeGreaterThan(0);
    const sent = pushes.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
    expect(pushed.toSorted()).toEqual(sent.toSorted());
    expect(new Set(states)).toEqual(new Set([tracestate]));
    expect(new Set(pushes.map(({ traceId }) => traceId))).toEqual(new Set([caller.traceId]));
  });
});

describe('without a collector', () => {
  it("passes the caller's trace on to models, other agents and their requests", async () => {
    await startTraces({ collector: undefined }, { service: 'test', onError: () => undefined });
    await using server = await startReceiver();
    const outgoing = guardedClient({
      policy: new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.1'] }),
      timeoutMs: 5_000,
      maxBytes: 1_000,
    });
    const card = { description: 'Asks.', version: '1.0.0', skills: [] };
    const asking = defineAgent({
      id: 'asking',
      card: { ...card, name: 'Asking' },
      async execute(turn) {
        const { text } = openAiModel({ model: 'none', baseURL: server.url });
        await text({ prompt: 'Are you there?', signal: turn.signal }).catch(() => undefined);
        return turn.complete((await turn.call('asked', 'And you?')).text);
      },
    });
    const asked = defineAgent({
      id: 'asked',
      card: { ...card, name: 'Asked' },
      execute: async (turn) => turn.complete(String((await outgoing.fetch(server.url)).status)),
    });
    await using gateway = await testGateway({ agents: [asking, asked], redisUrl: inject('redisUrl') });
    await post(`${gateway.url}/message:send`, { message: userMessage('Hello') }, { traceparent, tracestate });
    await post(`${gateway.url}/message:send`, { message: userMessage('Hello') });
    await outgoing.destroy();
    expect(server.traceParents).toEqual([traceparent, traceparent, undefined, undefined]);
    expect(server.traceStates).toEqual([tracestate, tracestate, undefined, undefined]);
  });
});
