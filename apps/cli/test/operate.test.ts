import { Ops } from '@switchyard/operators';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { userMessage } from '../../../tests/support/messages.ts';
import { key, type OperatedGateway, openOperatedGateway, scope } from './support/operated-gateway.ts';
import { json, run } from './support/run.ts';

// The commands for operators, against a gateway.

let stage: OperatedGateway;
let env: Record<string, string>;

beforeAll(async () => {
  stage = await openOperatedGateway();
  env = {
    SWITCHYARD_OPERATOR_URL: stage.adminUrl,
    ADMIN_KEY: key,
    REDIS_URL: inject('redisUrl'),
    KEY_PREFIX: stage.store.settings.prefix,
    A2ACLI_AGENT_CARD: stage.url,
  };
});

afterAll(() => stage[Symbol.asyncDispose]());

async function scheduled(cron = '0 9 * * *'): Promise<string> {
  const schedule = { cron, timeZone: 'Europe/Berlin', at: new Date(Date.now() + 3_600_000).toISOString() };
  const acceptance = await stage.store.tasks.accept(scope, { message: userMessage('hello'), schedule });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

/** A task whose only attempt was lost. */
async function dead(): Promise<string> {
  const id = await stage.submit();
  await stage.begin(id);
  await stage.begin(id, 2);
  return id;
}

async function ended(): Promise<string> {
  const id = await stage.submit();
  const turn = await stage.begin(id);
  if (typeof turn === 'string') throw new Error(turn);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  return id;
}

describe('usage', () => {
  it('shows what was used of models, by agent, tenant, model or day', async () => {
    const turn = await stage.begin(await stage.submit());
    if (typeof turn === 'string') throw new Error(turn);
    await turn.recordUsage({ model: 'small', inputTokens: 100, outputTokens: 10, calls: 1, microUsd: 2_500_000 });
    await turn.recordUsage({ model: 'large', inputTokens: 1, calls: 1, unpricedCalls: 1 });
    const { out } = await run(['usage', '--by', 'model', '--since', '2d'], { env });
    expect(out).toMatch(/^Days: \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d \(UTC\)\nMODEL +COST +TOKENS IN +TOKENS OUT/);
    expect(out).toMatch(/^small +2.50 USD +100 +10 +1 +0$/m);
    expect(out).toMatch(/^total +2.50 USD +101 +10 +2 +1$/m);
    const { document } = await json(['usage', '--tenant', 'nobody'], { env });
    expect(document).toMatchObject({ by: 'agent', rows: [] });
    expect((await run(['usage', '--since', 'ever'], { env })).code).toBe(2);
  });
});

describe('schedules', () => {
  it('are listed, shown, paused, resumed and ended', async () => {
    const id = await scheduled();
    const list = await run(['schedules'], { env });
    expect(list.out).toMatch(/^Schedules: 1\nID +AGENT +OWNER +STATE +NEXT +CRON +LAST\n/);
    expect(list.out).toMatch(
      new RegExp(`^${id} +echo +default/anonymous +active +\\S+ +0 9 \\* \\* \\* \\(Europe/Berlin\\)`, 'm'),
    );
    expect((await run(['schedules', 'pause', id], { env })).out).toContain('State: paused\n');
    expect((await json(['schedules', 'show', id], { env })).document).toMatchObject({
      scheduleId: id,
      state: 'paused',
    });
    expect((await run(['schedules', 'resume', id], { env })).out).toContain('State: active\n');
    expect((await run(['schedules', 'end', id], { env })).out).toBe(`Ended: ${id}\n`);
    const gone = await json(['schedules', 'show', id], { env });
    expect([gone.code, gone.document.error]).toMatchObject([
      1,
      { code: 'SWITCHYARD_ERR_NOT_FOUND', hint: expect.stringContaining('switchyard schedules') },
    ]);
  });

  it('are changed several at once, each with its own result', async () => {
    const [first, second] = [await scheduled(), await scheduled()];
    const { code, document } = await json(['schedules', 'end', first, 'no-such-id', second], { env });
    expect([code, document.results]).toMatchObject([
      1,
      [
        { id: first, result: { scheduleId: first } },
        { id: 'no-such-id', error: { code: 'SWITCHYARD_ERR_NOT_FOUND' } },
        { id: second, result: { scheduleId: second } },
      ],
    ]);
    expect((await json(['schedules'], { env })).document.schedules).toEqual([]);
  });
});

describe('schedules without a key of operators', () => {
  it('are those of the client, at the path for clients', async () => {
    const client = { env: { A2ACLI_AGENT_CARD: stage.url } };
    const id = await scheduled();
    expect((await run(['schedules'], client)).out).toMatch(new RegExp(`^${id} +echo +you +active `, 'm'));
    expect((await run(['schedules', 'pause', id], client)).out).toContain('State: paused\n');
    const shown = await json(['schedules', 'show', id], client);
    expect([shown.document.state, shown.document.subject]).toEqual(['paused', undefined]);
    expect((await run(['schedules', 'end', id], client)).out).toBe(`Ended: ${id}\n`);
    const gone = await run(['schedules', 'show', id], client);
    expect([gone.code, gone.err]).toEqual([1, expect.stringMatching(/NOT_FOUND[\s\S]*switchyard schedules/)]);
    const tenant = await run(['schedules', '--tenant', 'acme'], client);
    expect([tenant.code, tenant.err]).toEqual([2, expect.stringContaining('ADMIN_KEY')]);
  });

  it('are not asked for where operators are named: the error says which key is missing', async () => {
    const { A2ACLI_AGENT_CARD = '', SWITCHYARD_OPERATOR_URL = '' } = env;
    const { code, err } = await run(['schedules'], { env: { A2ACLI_AGENT_CARD, SWITCHYARD_OPERATOR_URL } });
    expect([code, err]).toEqual([4, expect.stringContaining("no operator's key")]);
  });
});

describe('A scheduled task', () => {
  it('is listed with its start, and its cancel says what becomes of the schedule', async () => {
    const id = await scheduled('* * * * * *');
    const list = await run(['task', 'list'], { env });
    expect(list.out).toMatch(/^TASK +CONTEXT +STATE +UPDATED +STARTS\n/);
    expect(list.out).toMatch(new RegExp(`^${id} .* \\d{4}-\\S+Z +\\d{4}-\\S+Z$`, 'm'));
    const canceled = await run(['task', 'cancel', id], { env });
    expect([canceled.code, canceled.err]).toEqual([0, `The schedule ${id} has ended with this task.\n`]);
    const [first, second] = [await ended(), await scheduled()];
    const several = await json(['task', 'cancel', first, second], { env });
    expect([several.code, several.document.results]).toMatchObject([
      1,
      [
        { id: first, error: { code: 'TaskNotCancelableError' } },
        { id: second, result: { id: second } },
      ],
    ]);
  });
});

describe('Several ids', () => {
  it('of dead letters are retried or deleted, and the exit code says whether one failed', async () => {
    const [first, second, third] = [await dead(), await dead(), await dead()];
    const retried = await run(['dead', 'retry', first, second], { env });
    expect([retried.code, retried.out.match(/^Retried: /gm)?.length]).toEqual([0, 2]);
    const deleted = await run(['dead', 'delete', 'nothing', third], { env });
    expect([deleted.code, deleted.out, deleted.err]).toEqual([
      1,
      `Deleted: ${third}\n`,
      expect.stringMatching(/^Id: nothing\nError: .*\nReason: There is no dead letter "nothing"/),
    ]);
    expect(deleted.err).toContain('Hint: switchyard dead list');
  });

  it('of tasks are rerun and deleted', async () => {
    const [first, second] = [await ended(), await ended()];
    const { document } = await json(['task', 'rerun', first, second, '--text', 'another text'], { env });
    const started: string[] = document.results.map(({ result }: { result: { taskId: string } }) => result.taskId);
    const task = await new Ops(stage.store).tasks.contents(started[0] ?? '');
    expect([started.length, task]).toEqual([2, expect.stringContaining('another text')]);
    const deleted = await run(['task', 'delete', first, second, started[0] ?? ''], { env });
    expect([deleted.code, deleted.out]).toEqual([1, `Deleted: ${first}\nDeleted: ${second}\n`]);
    expect(await new Ops(stage.store).tasks.record(first)).toBeUndefined();
  });

  it('of keys are revoked', async () => {
    const make = async () => (await json(['keys', 'create', '--subject', 'ada'], { env })).document.id;
    const [first, second] = [await make(), await make()];
    const { out, code } = await run(['keys', 'revoke', first, second], { env });
    expect([code, out.match(/^Revoked: /gm)?.length]).toEqual([0, 2]);
  });
});

describe('A retry of all dead letters', () => {
  it('shows with --dry-run what it would retry, and changes nothing', async () => {
    const id = await dead();
    const { out, code } = await run(['dead', 'retry', '--all', '--agent', 'echo', '--dry-run'], { env });
    expect([code, out]).toEqual([0, expect.stringMatching(/^Would-Retry: [1-9]\d*\nID +KIND/)]);
    expect(out).toContain(id);
    expect((await run(['dead', 'delete', id], { env })).code).toBe(0);
  });

  it('asks at a terminal, and needs --yes elsewhere', async () => {
    await dead();
    const all = ['dead', 'retry', '--all'];
    const script = await run(all, { env });
    expect([script.code, script.err]).toEqual([2, expect.stringContaining('--yes')]);
    const no = await run(all, { env, stdin: 'n\n', isAtTerminal: true });
    expect([no.code, no.err]).toEqual([1, expect.stringMatching(/^Retry 1 dead letters\? \[y\/N\] /)]);
    expect((await run(all, { env, stdin: 'y\n', isAtTerminal: true })).code).toBe(0);
    await dead();
    expect((await run([...all, '--yes'], { env })).code).toBe(0);
    expect((await run(all, { env })).out).toContain('Done: 0 of 0');
  });

  it.each([
    [['dead', 'retry', '--all', '--agent', 'nobody', '--yes']],
    [['dead', 'list', '--agent', 'nobody']],
    [['schedules', '--agent', 'nobody']],
  ])('and other filters refuse an unknown agent, and name the known ones: %j', async (words) => {
    const { code, err } = await run(words, { env });
    expect([code, err]).toEqual([2, expect.stringMatching(/--agent nobody: there is no such agent; there are .*echo/)]);
  });
});

describe('A key', () => {
  it('with a scope that neither the gateway nor an agent knows is a usage error that names the scopes', async () => {
    const make = ['keys', 'create', '--subject', 'bob', '--scopes', 'sned,read'];
    const wrong = await json(make, { env });
    expect([wrong.code, wrong.document.error]).toMatchObject([
      2,
      { message: expect.stringMatching(/^--scopes sned: there are send, read, cancel, push, events, priority, admin/) },
    ]);
    expect((await json([...make, '--any-scope'], { env })).document.scopes).toEqual(['sned', 'read']);
  });

  it('comes with a warning where no one asks for keys', async () => {
    const { err } = await run(['keys', 'create', '--subject', 'bob'], { env });
    expect(err).toContain('warning: No one asks for keys: the gateway has AUTH=none');
  });
});

it('agents lists agents, addresses and skills without the key of operators', async () => {
  const { A2ACLI_AGENT_CARD } = env;
  const { out, code } = await run(['agents'], { env: { A2ACLI_AGENT_CARD } });
  expect([code, out]).toEqual([0, expect.stringContaining(`Address: ${stage.url}/agents/echo\n`)]);
  expect(out).toMatch(/^Agent: echo \(default\)\nName: /m);
  const { document } = await json(['agents'], { env: { A2ACLI_AGENT_CARD } });
  const echo = document.agents.find(({ id }: { id: string }) => id === 'echo');
  expect(echo).toMatchObject({ url: `${stage.url}/agents/echo`, skills: expect.any(Array) });
});

it('agents lists the public catalogue where clients need keys, and all with a key', async () => {
  const auth = { keys: [{ key: 'a-key-for-a-client-0123', subject: 'alice', tenant: 'acme', scopes: [] }] };
  await using guarded = await openOperatedGateway(auth);
  const at = { A2ACLI_AGENT_CARD: guarded.url };
  const without = await json(['agents'], { env: at });
  expect([without.code, without.err]).toEqual([0, expect.stringContaining('public catalogue')]);
  expect(without.document.agents).toMatchObject([{ id: 'echo', url: `${guarded.url}/agents/echo` }]);
  const all = await json(['agents'], { env: { ...at, A2ACLI_API_KEY: 'a-key-for-a-client-0123' } });
  expect(all.document.agents.length).toBeGreaterThan(without.document.agents.length);
  expect((await json(['agents'], { env: { ...at, A2ACLI_API_KEY: 'wrong' } })).code).toBe(4);
});

it.each([
  [['queue', 'pause', 'nobody'], 'There is no agent "nobody"', 'switchyard queue'],
  [['dead', 'retry', 'nothing'], 'There is no dead letter "nothing"', 'switchyard dead list'],
  [['why', 'nothing'], 'The task does not exist or is not accessible: nothing', 'switchyard search'],
  [['task', 'rerun', 'nothing'], 'The task does not exist or is not accessible: nothing', 'switchyard search'],
])('What is not there is named, with where to look: %j', async (words, message, hint) => {
  const { code, document } = await json(words, { env });
  expect(code).toBe(1);
  expect(document.error).toMatchObject({ message, hint: expect.stringContaining(hint) });
});

describe('A turn that waits', () => {
  const schema = JSON.stringify({ type: 'object', required: ['by'], properties: { by: { type: 'string' } } });

  async function waiting(): Promise<string> {
    const id = await stage.submit();
    const turn = await stage.begin(id);
    if (typeof turn === 'string') throw new Error(turn);
    await stage.store.waits.begin(turn, { key: 'event approval 1', event: 'approval' });
    await turn.suspend({
      dueMs: Number.POSITIVE_INFINITY,
      events: [{ name: 'approval', schema }],
      waits: [{ event: 'approval' }],
    });
    return id;
  }

  it('says what it waits for, and is given its event', async () => {
    const id = await waiting();
    const { out } = await run(['why', id], { env });
    expect(out).toContain('Finding: suspended\n');
    expect(out).toContain('Why: The turn waits for the event "approval". It holds no worker.\n');
    expect(out).toContain(`Do: switchyard task event ${id} approval '<JSON>'\n`);
    const wrong = await run(['task', 'event', id, 'aproval', '{}'], { env });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('it waits for approval')]);
    const text = await run(['task', 'event', id, 'approval', 'yes'], { env });
    expect([text.code, text.err]).toEqual([2, expect.stringContaining('not JSON')]);
    const incomplete = await run(['task', 'event', id, 'approval', '{"name":"Ann"}'], { env });
    expect([incomplete.code, incomplete.err]).toEqual([1, expect.stringContaining('data.by')]);
    const given = await run(['task', 'event', id, 'approval', '{"by":"Ann"}'], { env });
    expect(given.out).toBe('Event: approval: the task goes on\n');
  });
});
