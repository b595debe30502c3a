import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Credentials } from '@switchyard/access';
import { Conversations as StoredConversations } from '@switchyard/conversations';
import type { Task } from '@switchyard/protocol';
import { deploymentOf } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted, begun } from '../../../../tests/support/store/drive.ts';
import { get, post, userMessage } from '../support/client.ts';
import { Deployments, headersOf, sendAs, subjects } from './support.ts';

// A deployment with more shards takes the place of another one, which keeps what it has.

const deployments = new Deployments();
const [alice = ''] = subjects;
let before: string;
let after: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
  const files = { url: `file://${folder}`, maxFileBytes: 1_000, maxBytesPerPrincipal: 10_000 };
  await deployments.add(0);
  await deployments.add(1, { shards: 4 });
  const soon = Date.now() + 3_600_000;
  before = await deployments.open([
    { number: 0, share: 1, closedAt: soon },
    { number: 1, share: 1, opensAt: soon },
  ]);
  const past = Date.now() - 1_000;
  after = await deployments.open(
    [
      { number: 0, share: 1, closedAt: past },
      { number: 1, share: 1, opensAt: past },
    ],
    { files },
  );
});

afterAll(async () => {
  await deployments[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Page {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/** All pages of a list. */
async function pagesOf(url: string, query = ''): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let token = ''; ; ) {
    const path = `${url}/tasks?pageSize=3${query}${token && `&pageToken=${encodeURIComponent(token)}`}`;
    const { body } = await get<Page>(path, headersOf(alice));
    pages.push(body);
    token = body.nextPageToken;
    if (token === '') return pages;
  }
}

describe('After a deployment is closed', () => {
  it('new tasks are in the other one, and those of its contexts in it', async () => {
    const old = await sendAs(before, alice);
    expect(deploymentOf(old.id)).toBe(0);
    const [next, further] = [
      await sendAs(after, alice),
      await sendAs(after, alice, userMessage('more', { contextId: old.contextId ?? '' })),
    ];
    expect([next, further].map(({ id }) => deploymentOf(id))).toEqual([1, 0]);
    const inNext = await sendAs(after, alice, userMessage('more', { contextId: next.contextId ?? '' }));
    expect(deploymentOf(inNext.id)).toBe(1);
  });

  it('a context that a client named stays where it began', async () => {
    const [contextId, other] = [`of-alice-${randomUUID()}`, `of-alice-${randomUUID()}`];
    await sendAs(before, alice, userMessage('first', { contextId }));
    expect(deploymentOf((await sendAs(after, alice, userMessage('second', { contextId }))).id)).toBe(0);
    const begun = await sendAs(after, alice, userMessage('first', { contextId: other }));
    expect(deploymentOf(begun.id)).toBe(1);
    expect(deploymentOf((await sendAs(after, alice, userMessage('second', { contextId: other }))).id)).toBe(1);
  });

  it('also for another agent', async () => {
    const contextId = `of-alice-${randomUUID()}`;
    await sendAs(`${before}/agents/guest`, alice, userMessage('first', { contextId }));
    expect(deploymentOf((await sendAs(after, alice, userMessage('second', { contextId }))).id)).toBe(0);
  });

  it('a message that is sent again gets its first answer, by id and by Idempotency-Key', async () => {
    for (const more of [{}, { contextId: `of-alice-${randomUUID()}` }]) {
      const message = userMessage('once', more);
      const first = await sendAs(before, alice, message);
      expect((await sendAs(after, alice, message)).id).toBe(first.id);
    }
    const headers = { ...headersOf(alice), 'idempotency-key': randomUUID() };
    const send = async (url: string) => {
      const message = { ...userMessage('once'), messageId: randomUUID() };
      const body = { message, configuration: { returnImmediately: true } };
      return post<{ task: Task }>(`${url}/message:send`, body, headers);
    };
    const [first, again] = [await send(before), await send(after)];
    expect(again.body.task.id).toBe(first.body.task.id);
    const conflict = { message: userMessage('another') };
    expect((await post(`${after}/message:send`, conflict, headers)).status).toBe(409);
  });

  it('files are of both: a task of either gets a file that was uploaded afterwards', async () => {
    const upload = await fetch(`${after}/files`, { method: 'POST', body: 'plain', headers: headersOf(alice) });
    const { part } = (await upload.json()) as { part: { url: string } };
    const old = await sendAs(before, alice);
    const message = { ...userMessage('look'), parts: [part], taskId: old.id };
    expect((await sendAs(after, alice, message)).id).toBe(old.id);
    const next = await sendAs(after, alice, { ...userMessage('look'), parts: [part] });
    expect(deploymentOf(next.id)).toBe(1);
    const marks = (await readdir(folder, { recursive: true })).filter((name) => name.includes('task-')).join();
    for (const { id } of [old, next]) expect(marks).toContain(id);
  });

  it('a file is not marked for a task that no deployment can have', async () => {
    const upload = await fetch(`${after}/files`, { method: 'POST', body: 'plain', headers: headersOf(alice) });
    const { part } = (await upload.json()) as { part: { url: string } };
    const taskId = '9d3f8a52-6d70-8055-b1aa-0123456789ab';
    const message = { ...userMessage('look'), parts: [part], taskId };
    const { status } = await post(`${after}/message:send`, { message }, headersOf(alice));
    expect(status).toBe(404);
    expect((await readdir(folder, { recursive: true })).join()).not.toContain(taskId);
  });

  it('lists have the tasks of both, in one order and page by page', async () => {
    for (let n = 0; n < 4; n++) {
      await sendAs(before, alice);
      await sendAs(after, alice);
    }
    const pages = await pagesOf(after);
    const listed = pages.flatMap(({ tasks }) => tasks);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(new Set(pages.map(({ totalSize }) => totalSize))).toEqual(new Set([listed.length]));
    const times = listed.map(({ status }) => status.timestamp ?? '');
    expect(times).toEqual([...times].sort().reverse());
    const numbers = listed.map(({ id }) => deploymentOf(id));
    expect(numbers.filter((number) => number === 0).length).toBeGreaterThanOrEqual(4);
    expect(numbers.filter((number) => number === 1).length).toBeGreaterThanOrEqual(4);
  });

  it('a page token of before the change holds', async () => {
    const { body } = await get<Page>(`${before}/tasks?pageSize=2`, headersOf(alice));
    const rest = await get<Page>(`${after}/tasks?pageSize=100&pageToken=${body.nextPageToken}`, headersOf(alice));
    expect(rest.status).toBe(200);
    const ids = new Set(body.tasks.map(({ id }) => id));
    expect(rest.body.tasks.some(({ id }) => ids.has(id))).toBe(false);
  });
});

describe('A deployment that its principals have left, and no movedAt says so', () => {
  it('has its contexts, their messages and their lists', async () => {
    const own = await deployments.open([{ number: 1, share: 1 }]);
    const left = await deployments.open([
      { number: 0, share: 1 },
      { number: 1, share: 1, tenants: ['acme'] },
    ]);
    const old = await sendAs(own, alice);
    const contextId = old.contextId ?? '';
    const next = await sendAs(left, alice, userMessage('more', { contextId }));
    expect([old, next].map(({ id }) => deploymentOf(id))).toEqual([1, 1]);
    const [page] = await pagesOf(left, `&contextId=${contextId}`);
    expect(page?.tasks.map(({ id }) => id)).toEqual([next.id, old.id]);
    const id = await conversation(next.id);
    const { body } = await get<Conversations>(`${left}/conversations?contextId=${contextId}`, headersOf(alice));
    expect(body.conversations.map(({ conversationId }) => conversationId)).toEqual([id]);
  });
});

describe('Conversations in a context of two deployments', () => {
  it('are listed together: those that go on first, then the latest ended', async () => {
    const contextId = `of-alice-${randomUUID()}`;
    const principal = { tenant: 'default', subject: alice, scopes: [] };
    const taskIn = async (number: number): Promise<string> => {
      const scope = { principal, agent: 'echo' };
      return (await accepted(deployments.storeOf(number), scope, userMessage('talk', { contextId }))).taskId;
    };
    const ended: string[] = [];
    for (const number of [0, 1, 0, 1]) ended.unshift(await conversation(await taskIn(number), { isEnded: true }));
    const open = [await conversation(await taskIn(0)), await conversation(await taskIn(1))];
    const path = `${after}/conversations?contextId=${contextId}`;
    const { body } = await get<Conversations>(path, headersOf(alice));
    const ids = body.conversations.map(({ conversationId }) => conversationId);
    expect(new Set(ids.slice(0, 2))).toEqual(new Set(open));
    expect(ids.slice(2)).toEqual(ended);
  });
});

interface Conversations {
  readonly conversations: readonly { readonly conversationId: string }[];
}

/** Opens a conversation in a turn of the task. @returns its id */
async function conversation(taskId: string, { isEnded = false } = {}): Promise<string> {
  const conversations = new StoredConversations(deployments.storeOf(deploymentOf(taskId)).inside);
  const turn = await begun(deployments.storeOf(deploymentOf(taskId)), taskId);
  const id = await conversations.open(turn, { seed: 'one', toAgent: 'oracle', maxTurns: 3 });
  const event = { conversationId: id, fromAgent: 'echo', toAgent: 'oracle', phase: 'complete' };
  if (isEnded) await conversations.append(turn, id, { seq: 1, event, nextTurn: 1, isEnd: true });
  return id;
}

describe('A gateway whose clock is behind', () => {
  it('finds what one whose clock is ahead has put into the next deployment', async () => {
    const soon = Date.now() + 30_000;
    const behind = await deployments.open([
      { number: 0, share: 1, closedAt: soon },
      { number: 1, share: 1, opensAt: soon },
    ]);
    const contextId = `of-alice-${randomUUID()}`;
    for (const message of [userMessage('once'), userMessage('once', { contextId })]) {
      const first = await sendAs(after, alice, message);
      expect(deploymentOf(first.id)).toBe(1);
      expect((await sendAs(behind, alice, message)).id).toBe(first.id);
      const { body } = await get<Page>(`${behind}/tasks?contextId=${first.contextId}`, headersOf(alice));
      expect(body.tasks.map(({ id }) => id)).toEqual([first.id]);
    }
    expect(deploymentOf((await sendAs(behind, alice, userMessage('more', { contextId }))).id)).toBe(1);
    expect(deploymentOf((await sendAs(behind, alice)).id)).toBe(0);
  });
});

describe('A deployment that will be opened again', () => {
  it('until then keeps its contexts and messages, and its tasks are listed', async () => {
    const back = Date.now() + 3_600_000;
    const url = await deployments.open([
      { number: 0, share: 1, closedAt: Date.now() - 1_000, opensAt: back },
      { number: 1, share: 1, closedAt: back },
    ]);
    const message = userMessage('once');
    const old = await sendAs(before, alice, message);
    expect((await sendAs(url, alice, message)).id).toBe(old.id);
    const { body } = await get<Page>(`${url}/tasks`, headersOf(alice));
    expect(body.tasks.map(({ id }) => id)).toContain(old.id);
    expect(deploymentOf((await sendAs(url, alice)).id)).toBe(1);
  });
});

describe('While the closed deployment is away', () => {
  it('requests that it may know are refused for now, and the other’s tasks are read', async () => {
    const task = await sendAs(after, alice);
    const past = Date.now() - 2 * 24 * 3_600_000;
    const placed = [
      { number: 0, share: 1, closedAt: past },
      { number: 1, share: 1 },
    ];
    const url = await deployments.open([...placed].reverse(), { away: [0] });
    expect((await get(`${url}/tasks/${task.id}`, headersOf(alice))).status).toBe(200);
    expect((await get(`${url}/tasks`, headersOf(alice))).status).toBe(503);
    // It has forgotten all messageIds, so that messages without a context need it no more.
    expect(deploymentOf((await sendAs(url, alice)).id)).toBe(1);
    const inItsContext = await sendAs(url, alice, userMessage('x', { contextId: task.contextId ?? '' }));
    expect(deploymentOf(inItsContext.id)).toBe(1);
    const named = { message: userMessage('x', { contextId: 'of-alice' }), configuration: { returnImmediately: true } };
    expect((await post(`${url}/message:send`, named, headersOf(alice))).status).toBe(503);
  });
});

describe('Stored keys', () => {
  it('are found in whatever deployment they were created', async () => {
    const placed = [
      { number: 0, share: 1 },
      { number: 1, share: 1 },
    ];
    const url = await deployments.open(placed, { auth: { keys: [] } });
    for (const number of [0, 1]) {
      const draft = { tenant: 'default', subject: `owner-${number}`, scopes: [] };
      const { key, credential } = await new Credentials(deployments.storeOf(number).inside).create(draft);
      expect((await get(`${url}/tasks`, { 'x-api-key': key })).status).toBe(200);
      expect((await get(`${url}/tasks`, { 'x-api-key': `${key.slice(0, -1)}_` })).status).toBe(401);
      await new Credentials(deployments.storeOf(number).inside).revoke(credential.id);
      await expect.poll(async () => (await get(`${url}/tasks`, { 'x-api-key': key })).status).toBe(401);
    }
  });
});
