import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorClient, taskPageSchema } from '@switchyard/operator-api';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { json, lines, run } from './support/run.ts';

// The commands for operators, against a stand-in for their API.

let api: StandInApi;
let env: Record<string, string>;

beforeAll(async () => {
  api = await openStandInApi({ tasks: 20 });
  env = { SWITCHYARD_OPERATOR_URL: api.url, ADMIN_KEY: api.key };
});

afterAll(() => api[Symbol.asyncDispose]());

describe('queue', () => {
  it('lists the waiting tasks of each agent', async () => {
    const { out, code } = await run(['queue'], { env });
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^AGENT +STATE +WORKERS +WAITING/)]);
    expect(out).toMatch(/^pizza +/m);
    expect(out).toMatch(/ PRIORITIES\n[\s\S]*^pizza .* 2 high, 9 normal, 1 low\n/m);
    expect((await json(['queue', 'list'], { env })).document.agents[0].id).toEqual(expect.any(String));
  });

  it('pauses and resumes an agent', async () => {
    expect((await run(['queue', 'pause', 'pizza'], { env })).out).toMatch(/^Agent: pizza is paused/);
    expect((await run(['queue', 'resume', 'pizza'], { env })).out).toBe('Agent: pizza is resumed\n');
    expect(api.requests.slice(-2).map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/admin/agents/pizza:pause'],
      ['POST', '/admin/agents/pizza:resume'],
    ]);
  });
});

describe('dead', () => {
  it('lists dead letters by filter', async () => {
    const { out } = await run(['dead', 'list', '--agent', 'kitchen', '--page-size', '5'], { env });
    expect(out).toMatch(/^Dead-Letters: \d+\nID +KIND +AGENT/);
    expect(api.requests.at(-1)?.query).toEqual({ agent: 'kitchen', pageSize: '5' });
  });

  it('prints the command for the next page with the same filter', async () => {
    const page = { deadLetters: [], totalSize: 9, nextPageToken: 'next' };
    api.answer('/admin/dead-letters', page);
    const { out } = await run(['dead', 'list', '--reason', 'no answer', '--page-token', 'first'], { env });
    expect(out).toContain("Next: switchyard dead list --reason 'no answer' --page-size 100 --page-token next\n");
  });

  it('that command, and those of other lists, are of the same deployment', async () => {
    await using own = await openStandInApi({ tasks: 1 });
    const page = { totalSize: 9, nextPageToken: 'next' };
    own.answer('/admin/dead-letters', { ...page, deadLetters: [] });
    own.answer('/admin/schedules', { ...page, schedules: [] });
    own.answer('/admin/tasks', { ...page, tasks: [], isPartial: false });
    const at = { env: { SWITCHYARD_OPERATOR_URL: own.url, ADMIN_KEY: own.key } };
    const following = '--deployment 1 --page-size 5 --page-token next\n';
    for (const words of [['dead', 'list'], ['schedules', 'list'], ['search']]) {
      const { out } = await run([...words, '--deployment', '1', '--page-size', '5'], at);
      expect(out).toContain(`Next: switchyard ${words.join(' ')} ${following}`);
    }
    const { err } = await run(['tenant', 'export', 'beta', '--deployment', '1', '--page-token', 'x'], at);
    expect(err).toContain('to go on: switchyard tenant export beta --deployment 1 --page-token x\n');
  });

  it('retries one dead letter, or all of a filter with progress', async () => {
    expect((await run(['dead', 'retry', 'some:id'], { env })).out).toMatch(/^Retried: some:id\nTask: /);
    const { document } = await json(['dead', 'retry', '--all', '--agent', 'pizza', '--yes'], { env });
    expect(document).toMatchObject({ isDone: true });
    expect(api.requests.at(-1)?.body).toEqual({ agent: 'pizza' });
    const { events } = await lines(['dead', 'retry', '--all', '--yes'], { env });
    expect([events.length > 1, events.at(-1)]).toEqual([true, document]);
  });

  it('requires an id or --all, and a known kind', async () => {
    for (const words of [[], ['x', '--all'], ['--all', '--kind', 'cat']])
      expect((await run(['dead', 'retry', ...words], { env })).code).toBe(2);
    const wrong = await run(['dead', 'retry', '--all', '--kind', 'cat'], { env });
    expect(wrong.err).toContain('--kind must be turn or webhook');
  });
});

describe('search', () => {
  it('finds tasks by the terms of the console', async () => {
    const words = ['agent:pizza', 'state:completed,failed', '--page-size', '5'];
    const { out, code } = await run(['search', ...words], { env });
    expect(code).toBe(0);
    expect(out).toMatch(/^Tasks: \d+\nTASK +AGENT +STATE +AT +TENANT +SUBJECT +TEXT\n/);
    expect(api.requests.at(-1)?.query).toEqual({
      agent: 'pizza',
      state: 'TASK_STATE_COMPLETED,TASK_STATE_FAILED',
      pageSize: '5',
      contents: 'true',
    });
    expect((await json(['search', ...words], { env })).document).toMatchObject({ isPartial: false });
  });

  it('takes words in quotes, whether the shell has left the quotes or not, and continues a search', async () => {
    await using own = await openStandInApi({ tasks: 1 });
    own.answer('/admin/tasks', { tasks: [], totalSize: 10_000, nextPageToken: 'next', isPartial: true });
    for (const words of [
      ['text:two words', 'text:-draft', 'text:or', 'text:bill'],
      ['text:"two words" text:-draft', 'text:or text:bill'],
    ]) {
      const { out } = await run(['search', ...words], {
        env: { SWITCHYARD_OPERATOR_URL: own.url, ADMIN_KEY: own.key },
      });
      expect(own.requests.at(-1)?.query.text).toBe('"two words" -draft or bill');
      expect(out).toBe(
        'Tasks: 10000 or more\n' +
          `Next: switchyard search 'text:"two words" text:-draft text:or text:bill' --page-size 50 --page-token next\n`,
      );
    }
  });

  it('says why a word may not be found', async () => {
    await using own = await openStandInApi({ tasks: 1 });
    own.answer('/admin/tasks', { tasks: [], totalSize: 0, nextPageToken: '', isPartial: false });
    const search = (...words: string[]) =>
      run(['search', ...words], { env: { SWITCHYARD_OPERATOR_URL: own.url, ADMIN_KEY: own.key } });
    const [word, text, agent] = [await search('pizza'), await search('text:pizza'), await search('state:failed')];
    expect([word, text, agent].map(({ out }) => out)).toEqual(['Tasks: 0\n', 'Tasks: 0\n', 'Tasks: 0\n']);
    expect([word, text, agent].map(({ err }) => err)).toEqual([
      'Hint: A word alone is the id of a task; text:pizza finds words in messages and artifacts.\n',
      'Hint: text: finds whole words, in ended tasks that are in the archive.\n',
      '',
    ]);
  });

  it('names a term that it does not understand, and an agent that is not there', async () => {
    const unknown = await run(['search', 'colour:red'], { env });
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There are is: state:')]);
    const wrong = await run(['search', 'agent:piza'], { env });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('there is no such agent')]);
  });
});

describe('archive', () => {
  it('says in plain words what there is, and how far copying is', async () => {
    const { out } = await run(['archive'], { env });
    expect(out).toBe(
      'Tasks: 12345\nSize: 33 MiB\nOldest: 2026-02-01T00:00:00.000Z\nCopied: no task has ended\nLeft out: t7\nLeft out: t3\n',
    );
    api.answer('/admin/archive', { archive: { tasks: 1, bytes: 1, delayMs: 61_500, leftOut: [] } });
    expect((await run(['archive', 'status'], { env })).out).toContain('Copied: all that ended more than 62 s ago\n');
    expect((await json(['archive'], { env })).document).toEqual({
      archive: { tasks: 1, bytes: 1, delayMs: 61_500, leftOut: [] },
    });
    api.answer('/admin/archive', {});
    expect((await run(['archive'], { env })).out).toBe('Archive: none: ARCHIVE_URL is not set\n');
  });

  it('verifies its copies, goes on after a gateway has stopped, and exits with 1 if something is wrong', async () => {
    const { code, out } = await run(['archive', 'verify'], { env });
    expect(code).toBe(1);
    expect(out).toContain('Checked: 40\nMissing: 1: the archive does not have it\nDifferent: 1: ');
    expect(out).toMatch(/\nTASK +PROBLEM +REPAIRED\n\S+ +missing +no\n\S+ +different +no\n$/);
    expect(api.requests.slice(-2).map(({ query }) => query)).toEqual([
      { sample: '10000' },
      { sample: '10000', pageToken: 'page-1' },
    ]);
    const { document } = await json(['archive', 'verify', '--all'], { env });
    expect(document).toMatchObject({ isWell: false, checked: 40, problems: [{ problem: 'missing' }, {}] });
    expect(api.requests.at(-1)?.query.sample).toBe('0');
    expect((await run(['archive', 'verify', '--sample', 'some'], { env })).code).toBe(2);
  });

  it('repairs them', async () => {
    const { code, out } = await run(['archive', 'verify', '--repair', '--sample', '50'], { env });
    expect([code, out]).toEqual([0, expect.stringContaining('Missing: 1, 1 repaired: ')]);
    expect(api.requests.at(-1)).toMatchObject({ method: 'POST', body: { sample: 50 } });
  });

  it('asks before it lets workers copy everything again', async () => {
    expect((await run(['archive', 'recopy'], { env })).err).toContain('Nobody can be asked here');
    expect((await run(['archive', 'recopy', '--yes'], { env })).out).toContain('workers copy again');
    await run(['archive', 'recopy', '--since', '2026-01-31T12:00:00Z'], { env });
    expect(api.requests.slice(-2).map(({ path, body }) => [path, body])).toEqual([
      ['/admin/archive:recopy', {}],
      ['/admin/archive:recopy', { since: '2026-01-31T12:00:00Z' }],
    ]);
    api.answer('/admin/archive', { archive: { tasks: 7, bytes: 1, leftOut: [] } });
    // The stand-in ends the first stream early, as a gateway does after ten minutes.
    expect((await run(['archive', 'recount'], { env })).out).toContain('Tasks: 7\n');
    expect(api.requests.slice(-3, -1)).toMatchObject(
      [1, 2].map(() => ({ method: 'POST', path: '/admin/archive:recount' })),
    );
    expect((await run(['archive', 'forget', '-y'], { env })).out).toBe('Archive: forgotten\n');
  });
});

describe('tenant export', () => {
  const wanted = [1, 2].map(
    (n) => `{"tenant":"acme","task":{"id":"00000000-0000-4000-8000-00000000000${n}","n":1.0}}\n`,
  );

  it('writes a line for each task to stdout, as the gateway has it, over several connections', async () => {
    const { out, err, code } = await run(['tenant', 'export', 'acme', '--subject', 'ada'], { env });
    expect([code, out, err]).toEqual([0, wanted.join(''), '2 tasks\n']);
    expect(api.requests.slice(-2).map(({ query }) => query)).toEqual([
      { subject: 'ada' },
      { subject: 'ada', pageToken: 'page-1' },
    ]);
  });

  it('writes a file that has its name when all are written, and says how to go on if it broke off', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-export-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'acme.jsonl');
    const { out } = await run(['tenant', 'export', 'acme', file], { env });
    expect(out).toBe(`File: ${file}\nTasks: 2\n`);
    expect(await readFile(file, 'utf8')).toBe(wanted.join(''));
    expect((await stat(file)).mode & 0o077).toBe(0);

    // It goes on from the token, and appends.
    await writeFile(`${file}.part`, wanted[0] ?? '');
    await run(['tenant', 'export', 'acme', file, '--page-token', 'page-1'], { env });
    expect(await readFile(file, 'utf8')).toBe(wanted.join(''));
    expect(await readdir(folder)).toEqual(['acme.jsonl']);

    const words = ['tenant', 'export', 'beta', file, '--since', '2026-01-31T12:00:00Z', '--page-token', 'x'];
    const broken = await run(words, { env });
    expect(broken.code).toBe(1);
    expect(broken.err).toContain(`Not all was written; to go on: switchyard ${words.join(' ')}\n`);
    expect((await readdir(folder)).sort()).toEqual(['acme.jsonl', 'acme.jsonl.part']);
  });
});

describe('why', () => {
  it('prints why a task is in its state, and what to do', async () => {
    const client = new OperatorClient({ url: api.url, key: api.key });
    const { tasks } = await client.call('/admin/tasks', taskPageSchema);
    const { out } = await run(['why', tasks[0]?.taskId ?? ''], { env });
    expect(out).toMatch(/^Task: \S+\nContext: \S+\nState: \S+\nFinding: \S+\nStuck: (?:yes|no)\n[\s\S]*Why: .+\n/m);
    const asking = tasks.find(({ state }) => state === 'TASK_STATE_INPUT_REQUIRED');
    const { taskId = '', agent } = asking ?? {};
    const folder = process.cwd(); // has the command as a dependency
    expect((await run(['why', taskId, '-a', 'https://agents.example.com'], { env, folder })).out).toContain(
      `Do: npx switchyard send -a https://agents.example.com/agents/${agent} --task-id ${taskId} "<reply>"\n`,
    );
    expect((await run(['why', taskId], { env: { ...env, DATA_DIR: 'else where' }, folder })).out).toContain(
      "\nDo: DATA_DIR='else where' npx switchyard send ",
    );
    const { document } = await json(['why', taskId], { env });
    expect(document).toMatchObject({ taskId, agent, state: 'TASK_STATE_INPUT_REQUIRED', finding: expect.any(String) });
    const unknown = await json(['why', 'none'], { env });
    expect([unknown.code, unknown.document.error.code]).toEqual([1, 'SWITCHYARD_ERR_NOT_FOUND']);
  });
});

it('why says with which priority a message waits, and until when', async () => {
  api.answer('/admin/tasks/b', {
    taskId: 'b',
    contextId: 'c',
    agent: 'pizza',
    state: 'TASK_STATE_SUBMITTED',
    diagnosis: { finding: 'queued', isStuck: false, text: 'The task is next.', see: [], actions: [] },
    deadLetter: false,
    priority: 'high',
    beginBy: '2026-01-31T12:00:00.000Z',
  });
  const { out } = await run(['why', 'b'], { env });
  expect(out).toMatch(/\nPriority: high\nBegin by: 2026-\d\d-\d\d /);
  const { document } = await json(['why', 'b'], { env });
  expect(document).toMatchObject({ priority: 'high', beginBy: '2026-01-31T12:00:00.000Z' });
});

it('why says what the task has spent of its budget', async () => {
  const diagnosis = { finding: 'running', isStuck: false, text: 'It runs.', see: [], actions: [] };
  const task = {
    taskId: 's',
    contextId: 'c',
    agent: 'pizza',
    state: 'TASK_STATE_WORKING',
    diagnosis,
    deadLetter: false,
  };
  const total = { inputTokens: 30, outputTokens: 5, microUsd: 1_200_000 };
  api.answer('/admin/tasks/s', { ...task, usage: { total } });
  expect((await run(['why', 's'], { env })).out).toContain('\nSpent: 1.20 USD\n');
  const budget = { microUsd: 2_000_000, tokens: 100 };
  api.answer('/admin/tasks/s', { ...task, usage: { total }, budget });
  expect((await run(['why', 's'], { env })).out).toContain('\nSpent: 1.20 USD of 2.00 USD, 35 of 100 tokens\n');
  expect((await json(['why', 's'], { env })).document).toMatchObject({ usage: { total }, budget });
  api.answer('/admin/tasks/s', { ...task, usage: { total: { inputTokens: 50, unpricedCalls: 1 } } });
  expect((await run(['why', 's'], { env })).out).toContain('\nSpent: 0.00 USD, and 1 request without a price\n');
});

it("why a task failed: the author's line, causes and frames, and the command that fits", async () => {
  const error = (message: string) => ({
    type: 'Error',
    message,
    frames: [frame('author', 41), frame('switchyard', 1)],
  });
  const frame = (of: string, line: number) => ({ file: 'agent.ts', line, column: 7, of, source: 'pay(order);' });
  const failure = {
    kind: 'threw',
    message: 'card refused',
    at: '2026-01-31T12:00:00Z',
    epoch: 2,
    attempt: 2,
    place: { file: 'agent.ts', line: 41, column: 7, source: 'pay(order);' },
    error: { ...error('card refused'), cause: { type: 'TypeError', message: 'no \u001b[31mtls', status: 503 } },
    worker: 'host-1',
    traceId: 'abc',
  };
  const about = { advice: 'Mend agent.ts:41.', failure };
  const see = [
    { kind: 'worker', id: 'host-1' },
    { kind: 'task', id: 'u' },
  ];
  const diagnosis = { ...about, finding: 'failed', isStuck: false, text: 'It failed.', see, actions: ['retry'] };
  const task = { taskId: 't', contextId: 'c', agent: 'pizza', state: 'TASK_STATE_FAILED', diagnosis };
  for (const [deadLetter, command] of [
    [true, 'dead retry t'],
    [false, 'task rerun t'],
  ] as const) {
    api.answer('/admin/tasks/t', { ...task, deadLetter });
    const { out } = await run(['why', 't'], { env });
    expect(out.split('\n').slice(5, -1)).toEqual([
      'Why: It failed.',
      'Reason: threw',
      'At: agent.ts:41:7  pay(order);',
      'Cause: TypeError: no \\u001b[31mtls (HTTP 503)',
      'Attempt: 2',
      'Worker: host-1',
      'Trace: abc',
      // The worker is named already.
      'See: task u',
      'Do: Mend agent.ts:41.',
      `Do: then switchyard ${command}`,
    ]);
  }
});

it('names a missing key, a wrong key or an unreachable port', async () => {
  const without = await json(['queue'], { env: { SWITCHYARD_OPERATOR_URL: api.url } });
  expect([without.code, without.document.error.code]).toEqual([4, 'A2ACLI_ERR_CREDENTIALS_MISSING']);
  const wrong = await json(['queue'], { env: { ...env, ADMIN_KEY: 'another-key' } });
  expect([wrong.code, wrong.document.error.code]).toEqual([4, 'A2ACLI_ERR_AUTH_FAILED']);
  const nobody = await json(['queue'], { env: { ...env, SWITCHYARD_OPERATOR_URL: 'http://127.0.0.1:49999' } });
  expect([nobody.code, nobody.document.error.code]).toEqual([3, 'A2ACLI_ERR_UNREACHABLE']);
});

it('ends with --timeout and with Ctrl-C, also if the gateway does not answer', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${Object(silent.address()).port}`;
  const options = { env: { ...env, SWITCHYARD_OPERATOR_URL: url, PORT: '1', A2ACLI_AGENT_CARD: url } };
  for (const words of [['queue'], ['why', 'x'], ['doctor']])
    expect([words, (await run([...words, '--timeout', '100ms'], options)).code]).toEqual([
      words,
      words[0] === 'doctor' ? 1 : 5,
    ]);
  expect((await run(['queue'], { ...options, stopped: AbortSignal.timeout(100) })).code).toBe(130);
  silent.closeAllConnections();
  silent.close();
});
