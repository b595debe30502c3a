import { randomUUID } from 'node:crypto';
import { Credentials } from '@switchyard/access';
import { Conversations } from '@switchyard/conversations';
import type { OpenTurn } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEventStream } from '../../../tests/support/event-stream.ts';
import { until } from '../../../tests/support/until.ts';
import type { ApiKey } from '../src/index.ts';
import { defaultResourceSettings } from '../src/settings/limit-settings.ts';
import { card } from './support/agents.ts';
import { type ErrorBody, get, post, type Sent, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

interface Shown {
  readonly conversationId: string;
  readonly state: string;
  readonly lastSeq: number;
  readonly hasMore?: boolean;
  readonly events: readonly { readonly seq: number; readonly turn?: number }[];
}

const keyOf = (subject: string): ApiKey => ({ key: `key-of-${subject}`, subject, tenant: 'default', scopes: [] });
const alice = { 'x-api-key': 'key-of-alice' };
const bob = { 'x-api-key': 'key-of-bob' };

let stage: Stage;
let there: string;

beforeAll(async () => {
  const auth = { keys: [keyOf('alice'), keyOf('bob')] } as const;
  stage = await openStage({
    gateway: { auth, resources: { ...defaultResourceSettings, streams: { total: 3, perTenant: 3, perPrincipal: 3 } } },
  });
  there = await stage.another({ auth });
});

afterAll(() => stage[Symbol.asyncDispose]());

/** Stores a conversation of alice with this many turns; the test plays the worker. */
async function conversation(
  turns: number,
  toAgent = 'oracle',
): Promise<{ id: string; turn: OpenTurn; contextId: string }> {
  const contextId = randomUUID();
  const message = userMessage('talk', { contextId });
  const { body } = await post<Sent>(
    `${stage.url}/message:send`,
    { message, configuration: { returnImmediately: true } },
    alice,
  );
  const turn = await stage.beginTurn(body.task.id);
  const id = await new Conversations(stage.store.inside).open(turn, { seed: 'one', toAgent, maxTurns: 3 });
  for (let number = 0; number < turns; number++) await say(turn, id, number);
  return { id, turn, contextId };
}

const say = (turn: OpenTurn, id: string, number: number): Promise<void> =>
  new Conversations(stage.store.inside).append(turn, id, {
    seq: number + 1,
    event: {
      conversationId: id,
      fromAgent: 'echo',
      toAgent: 'oracle',
      turn: number,
      maxTurns: 3,
      text: 'hi\nthere',
      phase: 'turn',
      taskId: turn.start.taskId,
    },
    nextTurn: number + 1,
    isEnd: false,
  });

const end = (turn: OpenTurn, id: string, seq: number): Promise<void> =>
  new Conversations(stage.store.inside).append(turn, id, {
    seq,
    event: { conversationId: id, fromAgent: 'echo', toAgent: 'oracle', phase: 'complete' },
    nextTurn: seq,
    isEnd: true,
  });

const urlOf = (id: string, base = stage.url): string => `${base}/conversations/${id}`;
const refusedFields = ({ error }: ErrorBody) =>
  error.details?.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));

describe('a conversation', () => {
  it('gets 404 for a key that may use only one of its agents', async () => {
    const { id, contextId } = await conversation(1);
    const asked = async (agents: string[]) => {
      const { key } = await new Credentials(stage.store.inside).create({
        tenant: 'default',
        subject: 'alice',
        scopes: [],
        agents,
      });
      const list = `${stage.url}/conversations?contextId=${contextId}`;
      const { body } = await get<{ conversations: Shown[] }>(list, { 'x-api-key': key });
      return [(await get(urlOf(id), { 'x-api-key': key })).status, body.conversations.length];
    };
    expect(await asked(['echo', 'oracle'])).toEqual([200, 1]);
    expect(await asked(['echo'])).toEqual([404, 0]);
    expect(await asked(['oracle'])).toEqual([404, 0]);
  });

  it('gets 403 for a key without the scopes that the card of one of its agents requires, as tasks of that agent do', async () => {
    const requirement = { schemes: { oauth: { list: ['cook'] } } };
    const chef = { id: 'chef', card: { ...card, securityRequirements: [requirement] } };
    await stage.store.registry.announce([{ ...chef, repliesWithMessage: false, concurrency: 1 }], 'kitchen');
    const { id } = await conversation(0, 'chef');
    const asked = async (scopes: string[]) => {
      const { key } = await new Credentials(stage.store.inside).create({ tenant: 'default', subject: 'alice', scopes });
      const urls = [`${stage.url}/agents/chef/tasks`, urlOf(id)];
      return Promise.all(urls.map(async (url) => (await get(url, { 'x-api-key': key })).status));
    };
    await until(async () => (await asked(['read', 'cook']))[0] === 200, { what: 'the gateway knows the chef' });
    expect([await asked(['read']), await asked(['read', 'cook'])]).toEqual([
      [403, 403],
      [200, 200],
    ]);
  });

  it('is returned with its events by any gateway', async () => {
    const { id, turn, contextId } = await conversation(1);
    await end(turn, id, 2);
    const { status, body } = await get<Shown>(urlOf(id, there), alice);
    const { taskId } = turn.start;
    const common = { timestamp: expect.any(String), conversationId: id, fromAgent: 'echo', toAgent: 'oracle' };
    expect([status, body]).toEqual([
      200,
      {
        conversationId: id,
        contextId,
        fromAgent: 'echo',
        toAgent: 'oracle',
        maxTurns: 3,
        taskId,
        state: 'complete',
        lastSeq: 2,
        events: [
          { ...common, seq: 1, turn: 0, maxTurns: 3, text: 'hi\nthere', phase: 'turn', taskId },
          { ...common, seq: 2, phase: 'complete' },
        ],
      },
    ]);
  });

  it('gets 304 for a known ETag', async () => {
    const { id, turn } = await conversation(1);
    const etag = (await get(urlOf(id), alice)).headers.get('etag') ?? '';
    expect((await get(urlOf(id), { ...alice, 'if-none-match': etag })).status).toBe(304);
    await say(turn, id, 1);
    expect((await get<Shown>(urlOf(id), { ...alice, 'if-none-match': etag })).body.lastSeq).toBe(2);
  });

  it('exists only for its own principal', async () => {
    const { id, contextId } = await conversation(1);
    for (const headers of [bob, { ...bob, accept: 'text/event-stream' }]) {
      const { status, body } = await get<ErrorBody>(urlOf(id), headers);
      expect([status, body.error.status]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await get(`${stage.url}/conversations?contextId=${contextId}`, bob)).body).toEqual({ conversations: [] });
    expect((await get(urlOf(id), {})).status).toBe(401);
    expect((await get(`${stage.url}/conversations?contextId=${contextId}`, {})).status).toBe(401);
  });

  it('is listed by its context, without its events', async () => {
    const { id, contextId } = await conversation(2);
    const { body } = await get<{ conversations: Shown[] }>(`${stage.url}/conversations?contextId=${contextId}`, alice);
    expect(body.conversations).toEqual([expect.objectContaining({ conversationId: id, state: 'open', lastSeq: 2 })]);
    expect(body.conversations[0]).not.toHaveProperty('events');
  });

  it('cannot be changed', async () => {
    const { status, headers } = await post(urlOf('any'), {}, alice);
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });

  it.each([
    ['conversations', ['contextId']],
    ['conversations?contextId=', ['contextId']],
    ['conversations?contextId=a&limit=0', ['limit']],
    ['conversations?contextId=a&limit=101', ['limit']],
  ])('are refused with the name of the wrong field: %s', async (path, fields) => {
    const { status, body } = await get<ErrorBody>(`${stage.url}/${path}`, alice);
    expect([status, refusedFields(body)]).toEqual([400, fields]);
  });
});

describe('the stream of a conversation', () => {
  it('sends the earlier events, then live ones, and ends with the conversation', async () => {
    const { id, turn } = await conversation(1);
    const stream = await openEventStream(urlOf(id, there), { headers: alice });
    const seqs: number[] = [];
    for await (const { id: seq, text } of stream) {
      seqs.push(Number(seq));
      expect(JSON.parse(text)).toMatchObject({ seq, conversationId: id });
      if (seqs.length === 1) await say(turn, id, 1);
      if (seqs.length === 2) await end(turn, id, 3);
    }
    expect([stream.headers['content-type'], seqs]).toEqual(['text/event-stream', [1, 2, 3]]);
  });

  it('resumes after Last-Event-ID', async () => {
    const { id, turn } = await conversation(3);
    await end(turn, id, 4);
    const resumed = await openEventStream(urlOf(id), { headers: alice, lastEventId: 2 });
    expect((await resumed.rest()).map(({ id: seq }) => seq)).toEqual([3, 4]);
    const queried = await openEventStream(`${urlOf(id)}?lastEventId=3`, { headers: alice });
    expect((await queried.rest()).map(({ id: seq }) => seq)).toEqual([4]);
    // Tells an EventSource not to reconnect.
    expect((await openEventStream(urlOf(id), { headers: alice, lastEventId: 4 })).status).toBe(204);
  });

  it('starts again if Last-Event-ID is beyond the stored events, which a fail-over has lost', async () => {
    const { id, turn } = await conversation(1);
    await end(turn, id, 2);
    const resumed = await openEventStream(urlOf(id), { headers: alice, lastEventId: 7 });
    expect((await resumed.rest()).map(({ id: seq }) => seq)).toEqual([1, 2]);
  });

  it('refuses an invalid Last-Event-ID', async () => {
    const { id } = await conversation(1);
    const headers = { ...alice, accept: 'text/event-stream', 'last-event-id': 'x' };
    const { status, body } = await get<ErrorBody>(urlOf(id), headers);
    expect([status, refusedFields(body)]).toEqual([400, ['Last-Event-ID']]);
  });

  it('answers HEAD at once, without opening a stream', async () => {
    const { id } = await conversation(1);
    const headers = { ...alice, accept: 'text/event-stream' };
    const response = await fetch(urlOf(id), { method: 'HEAD', headers, signal: AbortSignal.timeout(2_000) });
    const type = response.headers.get('content-type');
    expect([response.status, type, await response.text()]).toEqual([200, 'application/json', '']);
  });

  it('counts towards the limit of open streams', async () => {
    const { id } = await conversation(1);
    const open = await Promise.all([1, 2, 3].map(() => openEventStream(urlOf(id), { headers: alice })));
    const { status } = await get(urlOf(id), { ...alice, accept: 'text/event-stream' });
    for (const stream of open) stream.cut();
    expect(status).toBe(503);
  });
});
