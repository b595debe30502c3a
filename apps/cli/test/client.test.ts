import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { fromJsonRpcErrorResponse, fromRestErrorBody } from '@a2a-js/sdk/errors';
import { scheduleUri, timeToLiveUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { startProgram } from '../../../tests/support/process.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { download } from '../src/commands/download.ts';
import { callFailure } from '../src/failures/call-failure.ts';
import { json, lines, run } from './support/run.ts';

// The commands of the a2a-cli specification, against this gateway over three bindings; tests/wire has the SDK's server.

// On a busy machine processes start slowly.
let stack: Stack;
let folder: string;
/** As a flag, so that it can be at any position. */
let echo: readonly string[];
let pizza: readonly string[];

beforeAll(async () => {
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['pizza', 'echo'],
    env: { PUSH_ALLOW_HTTP: 'true', PUSH_ALLOW_HOSTS: 'localhost,127.0.0.1' },
  });
  folder = await mkdtemp(join(tmpdir(), 'cli-'));
  pizza = ['-a', stack.urls[0] ?? ''];
  echo = ['-a', `${stack.urls[0]}/agents/echo`];
});

afterAll(() => stack.stop());

const bindings = ['jsonrpc', 'http+json', 'grpc'];

describe('card get', () => {
  it('shows the capabilities of an agent, given by origin, address without scheme, path, URL or file', async () => {
    const url = stack.urls[0] ?? '';
    const file = join(folder, 'card.json');
    const { document, code } = await json(['card', 'get', ...pizza]);
    expect([code, document.name]).toEqual([0, 'Pizza desk']);
    await writeFile(file, JSON.stringify(document));
    for (const reference of [url.replace('http://', ''), `${url}/.well-known/agent-card.json`, file, `file://${file}`])
      expect((await run(['card', 'get', '-a', reference])).out).toContain('Name: Pizza desk\n');
    expect((await run(['card', 'get', ...echo])).out).toMatch(/^Name: Echo\n[\s\S]*^Interface: JSONRPC 1\.0 http/m);
  });

  it('prints the card unchanged', async () => {
    const answer = await fetch(`${stack.urls[0]}/.well-known/agent-card.json`, {
      headers: { 'a2a-version': '1.0' },
    });
    expect((await json(['card', 'get', ...pizza])).document).toEqual(await answer.json());
  });

  it('validates a card against the schema', async () => {
    expect((await run(['card', 'get', '--validate', ...pizza])).out).toContain('Valid: yes\n');
    const file = join(folder, 'bad.json');
    await writeFile(file, '{"name":"Bad","supportedInterfaces":[]}');
    const { code, out, err } = await run(['card', 'get', '--validate', '-a', file]);
    expect([code, out, err]).toEqual([
      1,
      expect.stringContaining('Problem: description'),
      expect.stringContaining('A2ACLI_ERR_CARD_INVALID'),
    ]);
  });

  it('says no to a card without an interface, and names the version of an old one', async () => {
    const rest = { description: 'x', version: '1', capabilities: {}, skills: [] };
    const file = join(folder, 'none.json');
    await writeFile(file, JSON.stringify({ name: 'None', ...rest, supportedInterfaces: [] }));
    const none = await run(['card', 'get', '--validate', '-a', file]);
    expect([none.code, none.out]).toEqual([1, expect.stringContaining('Problem: supportedInterfaces: must have')]);
    await writeFile(
      file,
      JSON.stringify({ name: 'Old', ...rest, url: 'http://127.0.0.1:1', protocolVersion: '0.3.0' }),
    );
    expect((await run(['card', 'get', '--validate', '-a', file])).out).toContain('--a2a-version 0.3');
    const sent = await run(['send', 'Hello', '-a', file]);
    expect([sent.code > 0, sent.err]).toEqual([true, expect.stringContaining('Use --a2a-version 0.3')]);
  });

  it('reads a card with nulls, odd skills and a byte order mark', async () => {
    const file = join(folder, 'odd.json');
    const own = { url: 'http://127.0.0.1:1', protocolBinding: 'JSONRPC', protocolVersion: null, tenant: null };
    const odd = {
      capabilities: null,
      iconUrl: null,
      skills: [{ id: 5, name: null }, 'x'],
      supportedInterfaces: [own, {}],
    };
    await writeFile(file, `\uFEFF${JSON.stringify({ name: 'Odd', ...odd })}`);
    const { code, out } = await run(['card', 'get', '-a', file]);
    expect([code, out]).toEqual([0, expect.stringContaining('Interface: JSONRPC  http://127.0.0.1:1')]);
  });

  it.each([
    ['/nowhere/card.json', 3, 'A2ACLI_ERR_CARD_NOT_FOUND'],
    ['http://127.0.0.1:49999', 3, 'A2ACLI_ERR_UNREACHABLE'],
    ['http://', 2, 'A2ACLI_ERR_USAGE'],
  ])('reports why there is no card at %s', async (reference, code, name) => {
    const ran = await json(['card', 'get', '-a', reference]);
    expect([ran.code, ran.document.error.code]).toEqual([code, name]);
  });
});

describe('send', () => {
  it.each(bindings)('waits until the agent needs input, and continues the task with it, over %s', async (binding) => {
    const asked = await json(['send', 'I want a pizza', '--transport', binding, ...pizza]);
    const { task } = asked.document;
    expect([asked.code, task.status.state, asked.err]).toEqual([
      0,
      'TASK_STATE_INPUT_REQUIRED',
      'warning: the task waits for your reply\n',
    ]);
    const answered = await json(['send', 'Funghi', '--task-id', task.id, '--transport', binding, ...pizza]);
    expect(answered.document.task).toMatchObject({ id: task.id, status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it.each(bindings)('prints one line per event, and ends after the last event, over %s', async (binding) => {
    const { events, code, err } = await lines(['send', 'stream 3', '--transport', binding, ...echo]);
    expect([code, err, Object.keys(events[0])]).toEqual([0, '', ['task']]);
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    expect(events.filter(({ artifactUpdate }) => artifactUpdate).length).toBeGreaterThanOrEqual(3);
  });

  it.each(bindings)('reports a single error for an unknown task, over %s', async (binding) => {
    const args = ['send', 'x', '--task-id', 'none', '--transport', binding, ...pizza];
    const { code, document } = await json(args);
    expect([code, document.error.code, document.error.hint]).toEqual([
      1,
      'TaskNotFoundError',
      expect.stringMatching(/^No task was created\. A task is found only at its own agent/),
    ]);
    expect((await lines(args)).events).toEqual([document]);
  });

  it('prints task, context, state and next command as fields, and texts as blocks', async () => {
    const { out, err } = await run(['send', 'I want a pizza', ...pizza]);
    const [, id = ''] = /^Task: (\S+)$/m.exec(out) ?? [];
    expect(out).toBe(
      `Task: ${id}\nContext: ${id}\nState: TASK_STATE_INPUT_REQUIRED\n` +
        'Usage: 50 tokens in, 9 tokens out, 1 request without a price\n' +
        `Next: switchyard send ${pizza.join(' ')} --task-id ${id} "<reply>"\nMessage: agent\nText:\nWhat kind?\n\n`,
    );
    expect(err).toContain('warning: the task waits');
  });

  it('in text output, repeats ids and state after the last event of a stream', async () => {
    const { out } = await run(['send', '--stream', 'stream 2', ...echo]);
    expect(out).toMatch(/\nTask: \S+\nContext: \S+\nState: TASK_STATE_COMPLETED\nNext: .*\n$/);
    expect(out).not.toContain('\u001b');
  });

  it('escapes control characters, and marks the end of a block', async () => {
    const { out } = await run(['send', '--text', 'red \u001b[31m\n\nTask: forged', ...echo]);
    expect(out).toContain('Text:\nred \\u001b[31m\n \nTask: forged\n\n');
    expect(out).not.toContain('\u001b');
  });

  it('sends parts in the order of their flags, each with its media type', async () => {
    const file = join(folder, 'note.md');
    await writeFile(file, '# Hi');
    const args = ['send', '--text', 'one', '--file', file, '--data', '-', '--media-type', 'application/x-thing'];
    const link = ['--file', 'https://example.com/a.pdf?sig=1', '--file', file, '--media-type', 'text/x-own'];
    const { document } = await json([...args, ...link, ...echo], { stdin: '{"a":1}' });
    expect(document.task.history[0].parts).toEqual([
      { text: 'one' },
      { raw: 'IyBIaQ==', filename: 'note.md', mediaType: 'text/markdown' },
      { data: { a: 1 }, mediaType: 'application/x-thing' },
      { url: 'https://example.com/a.pdf?sig=1', filename: 'a.pdf', mediaType: 'application/pdf' },
      { raw: 'IyBIaQ==', filename: 'note.md', mediaType: 'text/x-own' },
    ]);
    const { out } = await run([...args, ...link, ...echo], { stdin: '{"a":1}' });
    expect(out).toContain('File: note.md, text/markdown, 4 bytes\nData:\n{\n  "a": 1\n}\n\n');
    expect(out).toContain('File: a.pdf, application/pdf, at https://example.com/a.pdf?sig=1\n');
  });

  it('says that the type of a file is not known from its name, and how to give it', async () => {
    const file = join(folder, 'menu');
    await writeFile(file, 'x');
    const url = 'https://example.com/download?id=7';
    const { document, err } = await json(['send', '--file', url, '--file', file, ...echo]);
    expect(document.task.history[0].parts).toEqual([
      { url, filename: 'download' },
      { raw: 'eA==', filename: 'menu', mediaType: 'application/octet-stream' },
    ]);
    expect(err).toContain(
      'the type of download is not known from its name: it is sent without one; give it with --media',
    );
    expect(err).toContain(
      'the type of menu is not known from its name: it is sent as application/octet-stream; give it',
    );
    const typed = await json(['send', '--file', url, '--media-type', 'image/png', ...echo]);
    expect(typed.err).not.toContain('--media-type');
  });

  it('with --async prints the ids at once, and task get --wait waits for the outcome', async () => {
    const { document } = await json(['send', '--async', 'slow 300', ...echo]);
    expect(document.task.status.state).toMatch(/SUBMITTED|WORKING/);
    const waited = await json(['task', 'get', '--wait', '--poll-interval', '100ms', document.task.id, ...echo]);
    expect(waited.document.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('schedules a message and prints its task, which can be canceled while it waits', async () => {
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    const { out } = await run(['send', '--at', soon, 'hello', ...echo]);
    expect(out).toContain(`Scheduled: ${soon}\n`);
    for (const binding of bindings) {
      const zone = ['--time-zone', 'Europe/Berlin', '--transport', binding];
      const { document } = await json(['send', '--cron', '0 9 * * MON-FRI', ...zone, 'hello', ...echo]);
      expect(document.task.status.state).toBe('TASK_STATE_SUBMITTED');
      expect(document.task.metadata[scheduleUri]).toMatchObject({ timeZone: 'Europe/Berlin' });
      const canceled = await json(['task', 'cancel', document.task.id, ...echo]);
      expect(canceled.document.status.state).toBe('TASK_STATE_CANCELED');
    }
    const wrong = await run(['send', '--at', soon, '--time-zone', 'UTC', 'hello', ...echo]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--time-zone is for --cron')]);
  });

  it.each(bindings)('sends a time to live, over %s', async (binding) => {
    const { document } = await json(['send', '--ttl', '600', 'hello', '--transport', binding, ...echo]);
    expect(document.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(document.task.history[0].metadata).toEqual({ [timeToLiveUri]: { ttlMs: 600_000 } });
    expect((await run(['task', 'get', document.task.id, '--transport', binding, ...echo])).out).toContain(
      'Time to live: 600 s\n',
    );
    const wrong = await run(['send', '--ttl', '604801', 'hello', '--transport', binding, ...echo]);
    expect(wrong.err).toContain('--ttl');
  });

  it.each(bindings)('takes answers that are larger than 4 MiB, over %s', async (binding) => {
    const text = 'x'.repeat(4.3 * 2 ** 20);
    const { code, document } = await json(['send', '--text', text, '--transport', binding, ...echo]);
    expect([code, document.task?.status.state]).toEqual([0, 'TASK_STATE_COMPLETED']);
  });

  it('prints an answer that is only a message', async () => {
    expect((await json(['send', 'message', ...echo])).document.message.role).toBe('ROLE_AGENT');
    expect((await lines(['send', 'message', ...echo])).events).toEqual([{ message: expect.anything() }]);
    expect((await run(['send', 'message', ...echo])).out).toContain('Message: agent\nText:\n');
  });

  it('exits with 0 whatever state the task ends in, and prints that state on stderr', async () => {
    const { code, err, document } = await json(['send', 'fail', ...echo]);
    expect([code, document.task.status.state]).toEqual([0, 'TASK_STATE_FAILED']);
    expect(err).toBe('warning: the task ended as TASK_STATE_FAILED\n');
  });

  it('exits with 5 after --timeout, and names the task', async () => {
    const { code, document } = await json(['send', '--timeout', '700ms', 'slow 20000', ...echo]);
    expect([code, document.error.code]).toEqual([5, 'A2ACLI_ERR_TIMEOUT']);
    const [, id = ''] = /The task is (\S+)/.exec(document.error.message) ?? [];
    expect(document.error.hint).toBe(`switchyard task get ${echo.join(' ')} --wait ${id}`);
    expect((await json(['task', 'cancel', id, ...echo])).document.status.state).toMatch(/WORKING|CANCELED/);
  });

  it('creates a task in a given context', async () => {
    const { document } = await json(['send', 'Hello', ...echo]);
    const { contextId } = document.task;
    const next = await json(['send', 'Again', '--context-id', contextId, ...echo]);
    expect(next.document.task).toMatchObject({ contextId, id: expect.not.stringMatching(document.task.id) });
    const listed = await json(['task', 'list', '--context-id', contextId, '--status', 'completed', ...echo]);
    expect(listed.document.tasks).toHaveLength(2);
  });

  it.each([
    [['send']],
    [['send', 'x', '--media-type', 'text/plain']],
    [['send', 'x', '--async', '--stream']],
    [['send', 'x', '--async', '--wait']],
    [['send', 'x', '--metadata', '[]']],
    [['send', 'x', '--timeout', 'soon']],
    [['send', 'x', '--transport', 'pigeon']],
    [['send', '--data', '/nowhere']],
    [['send', '--data', '{"a": 1']],
    [['task', 'get']],
    [['nonsense']],
    [['send', '--nonsense']],
  ])('exits with 2 for %j', async (args) => {
    const { code, document, err } = await json([...args, ...echo]);
    expect([code, document.error.code, err]).toEqual([2, 'A2ACLI_ERR_USAGE', '']);
  });
});

it.each(['5', '"text"', '/nowhere'])('says what --data takes if it is given %s', async (value) => {
  const { document } = await json(['send', '--data', value, ...echo]);
  const expected = `--data ${value} is neither a JSON object or list, nor a file that can be read: ENOENT`;
  expect(document.error.message).toContain(expected);
});

it('sends an object that is given as --data', async () => {
  const { document } = await json(['send', '--data', '{"a": 1}', ...echo]);
  expect(document.task.status.message.parts).toEqual([{ data: { a: 1 } }]);
});

it('reports an unavailable store in the same way over all bindings', () => {
  const status = { code: 503, message: 'The task store is unavailable' };
  const thrown = [
    fromRestErrorBody(status, { statusCode: 503 }),
    fromJsonRpcErrorResponse({ jsonrpc: '2.0', id: 1, error: { ...status, code: -32057 } }),
  ];
  for (const { code, exitCode, hint } of thrown.map((error) => callFailure(error)))
    expect([code, exitCode, hint]).toEqual(['A2ACLI_ERR_UNREACHABLE', 3, 'Try again in a moment.']);
});

describe('task', () => {
  it('gets, lists page by page, cancels and subscribes to tasks', async () => {
    const { task } = (await json(['send', 'ask', ...echo])).document;
    const got = await json(['task', 'get', task.id, '--history', '1', ...echo]);
    expect(got.document.history).toHaveLength(1);
    const page = await json(['task', 'list', '--page-size', '1', ...echo]);
    expect([page.document.tasks.length, page.document.nextPageToken]).toEqual([1, expect.stringMatching(/./)]);
    const { events } = await lines(['task', 'list', '--page-size', '2', ...echo]);
    expect(events.map(({ id }) => typeof id)).toEqual(['string', 'string']);
    expect((await run(['task', 'list', ...echo])).out).toContain(task.id);
    const followed = await lines(['task', 'subscribe', task.id, ...echo]);
    expect(followed.events.map((event) => Object.keys(event)[0])).toEqual(['task']);
    const canceled = await json(['task', 'cancel', task.id, ...echo]);
    expect(canceled.document.status.state).toBe('TASK_STATE_CANCELED');
    expect((await json(['task', 'subscribe', task.id, ...echo])).document.error.code).toBe('UnsupportedOperationError');
  });

  it('follows a running task to its end', async () => {
    const { task } = (await json(['send', '--async', 'slow 400', ...echo])).document;
    const { document } = await json(['task', 'subscribe', task.id, ...echo]);
    expect(document.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('saves artifacts, but overwrites no file and writes nothing outside its folder', async () => {
    const { task } = (await json(['send', 'stream 3', ...echo])).document;
    const dir = join(folder, 'saved');
    const { document } = await json(['task', 'download', task.id, '--dir', dir, ...echo]);
    expect(document.files).toHaveLength((await readdir(dir)).length);
    expect(await readFile(document.files[0], 'utf8')).toBe(task.artifacts[0].parts[0].text);
    const again = await run(['task', 'download', task.id, '--dir', dir, ...echo]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('--force')]);
  });

  it('saves artifacts and parts of the same name under different names', async () => {
    const report = (text: string) => ({ name: 'Report', parts: [{ text, mediaType: 'text/markdown' }] });
    const task = { artifacts: [report('one'), report('two'), report('three')] };
    const { files } = await download(task, { dir: join(folder, 'reports') });
    expect(files.map((file) => basename(file))).toEqual(['Report.md', 'Report-2.md', 'Report-3.md']);
    expect(await readFile(files[2] ?? '', 'utf8')).toBe('three');
  });

  it('refuses a --file that is no URL', async () => {
    const { code, err } = await run(['send', '--file', 'https://', ...echo]);
    expect([code, err]).toEqual([2, expect.stringContaining('--file https:// is no URL')]);
  });

  it('cuts names that are longer than a file system allows, and keeps their extension', async () => {
    const task = { artifacts: [{ parts: [{ text: 'one', filename: `${'名'.repeat(200)}.md` }] }] };
    const {
      files: [file = ''],
    } = await download(task, { dir: join(folder, 'long') });
    expect(basename(file)).toMatch(/^名{65}\.md$/);
  });

  it.each(bindings)('creates, gets, lists and deletes webhooks over %s', async (binding) => {
    const { task } = (await json(['send', 'ask', ...echo])).document;
    const push = (...args: string[]) => json(['task', 'push-config', ...args, '--transport', binding, ...echo]);
    const url = 'http://127.0.0.1:49999/hook';
    const { document: made } = await push('create', task.id, '--url', url, '--token', 't');
    expect(made).toMatchObject({ taskId: task.id, url });
    expect((await push('get', task.id, made.id)).document.url).toBe(url);
    expect((await push('list', task.id)).document.configs).toHaveLength(1);
    expect((await push('delete', task.id, made.id)).code).toBe(0);
    expect((await push('get', task.id, made.id)).document.error.code).toBe('TaskNotFoundError');
    expect((await push('delete', task.id, made.id)).document.error.code).toBe('TaskNotFoundError');
    await run(['task', 'cancel', task.id, ...echo]);
    expect((await push('create', task.id, '--url', url)).err).toContain('the task has ended as TASK_STATE_CANCELED');
  });
});

describe('credentials', () => {
  const key = 'a-key-of-32-characters-0123456789';
  let locked: Stack;
  let at: readonly string[];
  let redis: Record<string, string>;

  beforeAll(async () => {
    redis = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix() };
    const env = { ...redis, AUTH: 'api-key', API_KEYS: `${key}:me` };
    locked = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo', 'insider'], env });
    at = ['-a', locked.urls[0] ?? ''];
  });

  afterAll(() => locked.stop());

  it.each(bindings)('are sent where the card wants them, and are in no log, over %s', async (binding) => {
    const to = ['--transport', binding, ...at];
    const without = await json(['send', 'Hello', ...to]);
    expect([without.code, without.document.error.code]).toEqual([4, 'A2ACLI_ERR_CREDENTIALS_MISSING']);
    expect(without.document.error.hint).toContain('A2ACLI_API_KEY');
    const wrong = await json(['send', 'Hello', '--api-key', 'wrong', ...to]);
    expect([wrong.code, wrong.document.error.code]).toEqual([4, 'A2ACLI_ERR_AUTH_FAILED']);
    const parameter = ['--svc-param', 'x-own: a-secret-parameter'];
    const right = await json(['send', 'Hello', '--debug', ...parameter, ...to], { env: { A2ACLI_API_KEY: key } });
    expect([right.code, right.document.task.status.state]).toEqual([0, 'TASK_STATE_COMPLETED']);
    expect(right.err).toContain('debug: ');
    expect(right.err).not.toMatch(/a-key-of-32|a-secret-parameter/);
  });

  it.each(bindings)('are required for the extended card, over %s', async (binding) => {
    const insider = ['--transport', binding, '-a', `${locked.urls[0]}/agents/insider`];
    const get = (...more: string[]) => json(['card', 'get', ...more, ...insider]);
    const names = ({ skills }: { skills: readonly { id: string }[] }) => skills.map(({ id }) => id);
    const [open, whole] = [await get(), await get('--extended', '--api-key', key)];
    expect([open.code, whole.code]).toEqual([0, 0]);
    expect(names(whole.document).length).toBeGreaterThan(names(open.document).length);
    expect((await get('--extended')).document.error.code).toBe('A2ACLI_ERR_CREDENTIALS_MISSING');
    const none = await json(['card', 'get', '--extended', '--api-key', key, ...at]);
    expect(none.document.error.code).toBe('ExtendedAgentCardNotConfiguredError');
  });

  it('are created, listed without the secret, and revoked', async () => {
    const make = ['keys', 'create', '--subject', 'ada', '--tenant', 'acme', '--days', '7'];
    const { document: made } = await json(make, { env: redis });
    const owner = { env: { A2ACLI_API_KEY: made.key } };
    expect((await json(['send', 'Hello', ...at], owner)).code).toBe(0);
    const listed = await run(['keys', 'list'], { env: redis });
    expect(listed.out).toContain(`${made.id}  acme/ada`);
    expect(listed.out).not.toContain(made.key.slice(17));
    expect((await run(['keys', 'revoke', made.id], { env: redis })).out).toContain('Revoked: ');
    await expect.poll(async () => (await json(['send', 'Hello', ...at], owner)).code).toBe(4);
    const reader = ['keys', 'create', '--subject', 'eve', '--scopes', 'read'];
    const { document: readable } = await json(reader, { env: redis });
    for (const binding of bindings) {
      const sender = { env: { A2ACLI_API_KEY: readable.key, A2ACLI_TRANSPORT: binding } };
      const { document: refused } = await json(['send', 'Hello', ...at], sender);
      expect(refused.error.hint).toContain('may not do this: its scopes');
    }
    const useless = await run(['keys', 'create', '--subject', 'bob', '--scopes', 'sned', '--any-scope'], {
      env: redis,
    });
    expect(useless.err).toContain('the key has no permissions here');
  });

  it.each([
    [['keys', 'create'], 2, '--subject is needed'],
    [['keys', 'create', '--subject', 'a', '--days', '0'], 2, '--days must be a number of days'],
    [['keys', 'revoke', 'nothing'], 1, 'There is no key nothing'],
  ])('are not changed by %j', async (words, code, reason) => {
    const ran = await run(words, { env: redis });
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(reason)]);
  });
});

describe('chat', () => {
  it('continues the task while it is open, and its context afterwards', async () => {
    const stdin = 'I want a pizza\nDo you have pineapple?\nI want a pizza\n';
    const { out, code } = await run(['chat', ...pizza], { stdin });
    expect([code, out]).toEqual([0, 'What kind?\nYour Hawaiian pizza is on its way.\nWhat kind?\n']);
    const { document } = await json(['task', 'list', '--page-size', '2', '--history', '9', ...pizza]);
    const [second, first] = document.tasks;
    expect([second.contextId, first.history.length]).toEqual([first.contextId, 4]);
  });

  it('prints growing artifacts, each text once, without control characters', async () => {
    const { out } = await run(['chat', ...echo], { stdin: 'stream 3\nslow 10\nred \u001b[31m\n' });
    expect(out.split('\n').length).toBeGreaterThan(2);
    expect(out).not.toContain('\u001b');
  });

  it('has commands at a terminal: /help, /new and /quit; a piped line may begin with a slash', async () => {
    const stdin = '/help\nI want a pizza\n/new\n/quit\nnever sent\n';
    const { out, err, code } = await run(['chat', ...pizza], { stdin, isAtTerminal: true });
    expect(out).toMatch(/\/new +begin[\s\S]*\/quit +end[\s\S]*What kind\?[\s\S]*The next line begins another/);
    expect([code, out.match(/What kind/g)?.length, err]).toEqual([0, 1, expect.not.stringContaining('--task-id')]);
    expect((await run(['chat', ...echo], { stdin: '/help\n' })).out).toBe('/help\n');
  });

  it('prints the error of a refused message, continues, and ends with the first error', async () => {
    const { out, err, code } = await run(['chat', '--task-id', 'none', ...pizza], { stdin: 'Hello\nI want a pizza\n' });
    expect([code, out]).toEqual([1, expect.stringMatching(/^! The task does not exist.*\nWhat kind\?\n$/)]);
    expect(err).toMatch(/Error: TaskNotFoundError\nReason: 1 line was not answered: The task does not exist/);
  });
});

describe('settings', () => {
  it('come from a flag, the environment, a file here or in a parent folder, or a default, in this order', async () => {
    const file = join(folder, '.env');
    await writeFile(file, 'A2ACLI_OUTPUT=json\nA2ACLI_TIMEOUT=3s\nA2ACLI_BEARER=abc\nA2ACLI_STREAM=true\n', {
      mode: 0o600,
    });
    const env = { A2ACLI_TIMEOUT: '4s', A2ACLI_TASK_ID: 't', A2ACLI_TRANSPORT: 'grpc,jsonrpc' };
    const { out, err } = await run(['config', 'show', '--task-id', 'u'], { env, folder });
    const { settings } = JSON.parse(out);
    const shown = Object.fromEntries(settings.map(({ option, value, source }: never) => [option, [value, source]]));
    expect(shown).toMatchObject({
      '--output': ['json', `A2ACLI_OUTPUT in ${file}`],
      '--timeout': [4_000, 'A2ACLI_TIMEOUT'],
      '--transport': [['GRPC', 'JSONRPC'], 'A2ACLI_TRANSPORT'],
      '--context-id': [null, 'default'],
      '--task-id': ['u', '--task-id'],
      '--bearer': ['[hidden]', `A2ACLI_BEARER in ${file}`],
      '--poll-interval': [2_000, 'default'],
      '--stream': [false, 'default'],
    });
    expect(settings).toContainEqual({ option: '--timeout', value: 4_000, unit: 'ms', source: 'A2ACLI_TIMEOUT' });
    expect(err).toBe('');
  });

  it('use SWITCHYARD_URL for the agent, unless A2ACLI_AGENT_CARD or a flag names one', async () => {
    const env = { SWITCHYARD_URL: 'http://127.0.0.1:1' };
    const agentOf = async (args: string[], more = {}) => {
      const { document } = await json(['config', 'show', ...args], { env: { ...env, ...more } });
      return document.settings[0];
    };
    expect(await agentOf([])).toEqual({
      option: '--agent-card',
      value: 'http://127.0.0.1:1',
      source: 'SWITCHYARD_URL',
    });
    expect(await agentOf([], { A2ACLI_AGENT_CARD: 'http://b' })).toMatchObject({ value: 'http://b' });
    expect(await agentOf(['-a', 'http://c'])).toMatchObject({ value: 'http://c' });
    expect((await run(['card', 'get'], { env })).err).toContain('http://127.0.0.1:1');
  });

  it('print a warning for a credential file that other users can read', async () => {
    const file = join(folder, 'shared.env');
    await writeFile(file, 'A2ACLI_API_KEY=abc\n', { mode: 0o644 });
    expect((await run(['config', 'show', '--config', file])).err).toContain(`chmod 600 ${file}`);
  });
});

describe('the program', () => {
  const file = 'apps/cli/src/main.ts';

  it('prints help with the defaults, and its version', async () => {
    const { out, code } = await run(['--help']);
    expect([code, out]).toEqual([0, expect.stringContaining('--poll-interval <duration>')]);
    expect((await run(['send', '--help'])).out).toContain('--media-type');
    expect((await run(['help', 'task'])).out).toContain('push-config');
    expect((await run(['--version'])).out).toBe('1.2.3\n');
  });

  it('ends quietly when its output is closed, and exits with 130 on Ctrl-C, naming the task', async () => {
    const stream = await startProgram({ file, args: ['send', '--stream', 'slow 20000', ...echo] });
    const [, id = ''] = await stream.waitFor(/Task: (\S+)/);
    stream.kill('SIGINT');
    expect(await stream.exited).toBe(130);
    expect(stream.output()).toContain(`The task goes on: npx switchyard task get ${echo.join(' ')} --wait ${id}`);
    await run(['task', 'cancel', id, ...echo]);
    const chat = await startProgram({ file, args: ['chat', ...echo], takesInput: true });
    chat.input.write('slow 20000\n');
    await chat.waitFor(/Taking my time/);
    chat.kill('SIGINT');
    expect(await chat.exited).toBe(130);
    const [, going = ''] = await chat.waitFor(/The task goes on: npx switchyard task get .* --wait (\S+)\n/);
    await run(['task', 'cancel', going, ...echo]);
    const head = `${process.execPath} ${file} send --stream "stream 2000" ${echo.join(' ')} | head -1`;
    const { stdout, stderr } = await shell(head);
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  });

  it.runIf(existsSync('/dev/full'))('says why its output cannot be written', async () => {
    const full = shell(`${process.execPath} ${file} --help > /dev/full`);
    await expect(full).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^The output .*: ENOSPC/) });
  });
});

function shell(command: string): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)('sh', ['-c', command]);
}
