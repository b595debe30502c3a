import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { type RunOptions, run } from './support/run.ts';
import { scriptedServer } from './support/scripted-server.ts';

// Credentials go where the user gave them for, and not where a file of a cloned project, or a card, points to.

let folder: string;
let home: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-cloned-'));
  home = await mkdtemp(join(tmpdir(), 'switchyard-home-'));
});
afterEach(async () => {
  for (const each of [folder, home]) await rm(each, { recursive: true, force: true });
});

/** A card whose interface is at the given address, which never resolves. */
async function cardAt(url: string): Promise<string> {
  const file = join(folder, 'card.json');
  const face = { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
  await writeFile(file, JSON.stringify({ name: 'Foreign', supportedInterfaces: [face] }));
  return file;
}

const key = { A2ACLI_BEARER: 'a-token-of-the-user' };
const elsewhere = 'https://agents.invalid';

/** `SWITCHYARD_ERR_CREDENTIAL_SCOPE` if the credential was kept, and `A2ACLI_ERR_UNREACHABLE` if it was sent. */
async function codeOf(args: readonly string[], options: RunOptions): Promise<string> {
  const { err, out } = await run(['task', 'get', 't', '-o', 'json', ...args], { folder, home, ...options });
  const { code, message } = JSON.parse(out).error;
  if (code === 'A2ACLI_ERR_UNREACHABLE') expect(message).toContain(elsewhere);
  expect(out + err).not.toContain('a-token-of-the-user');
  return code;
}

describe('a credential of the environment', () => {
  it('is not sent to an agent that the .env of a cloned project, or of a folder above, names', async () => {
    await writeFile(join(folder, '.env'), `A2ACLI_AGENT_CARD=${await cardAt(elsewhere)}\n`);
    expect(await codeOf([], { env: key })).toBe('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
    const below = join(folder, 'src/deep');
    await mkdir(below, { recursive: true });
    expect(await codeOf([], { env: { A2ACLI_API_KEY: 'k' }, folder: below })).toBe('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
    expect(await codeOf([], { env: { A2ACLI_SVC_PARAM: 'x-own: k' } })).toBe('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
  });

  it('is not sent to another host that a card names, in a file or at the given address', async () => {
    expect(await codeOf(['-a', await cardAt(elsewhere)], { env: key })).toBe('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
    expect(await codeOf(['-a', await cardAt('agents.invalid:443')], { env: key })).toBe(
      'SWITCHYARD_ERR_CREDENTIAL_SCOPE',
    );
  });

  it('is sent there if the user names the origin for it: as a flag or in the environment, but not in that .env', async () => {
    const card = await cardAt(elsewhere);
    await writeFile(join(folder, '.env'), `A2ACLI_AGENT_CARD=${card}\nA2ACLI_CREDENTIALS_FOR=${elsewhere}\n`);
    expect(await codeOf([], { env: key })).toBe('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
    expect(await codeOf(['--credentials-for', 'agents.invalid'], { env: key })).toBe('A2ACLI_ERR_UNREACHABLE');
    expect(await codeOf([], { env: { ...key, A2ACLI_CREDENTIALS_FOR: elsewhere } })).toBe('A2ACLI_ERR_UNREACHABLE');
  });

  it('is sent there once the person at the terminal says yes, who is asked only once', async () => {
    const args = ['-a', await cardAt(elsewhere)];
    const asked = await run(['task', 'get', 't', ...args], {
      folder,
      home,
      env: key,
      isAtTerminal: true,
      stdin: 'n\n',
    });
    expect(asked.err).toContain(
      `points to ${elsewhere}, which would get --bearer.\nSend it there, now and later? [y/N]`,
    );
    expect(asked.err).toContain('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
    const terminal = { env: key, isAtTerminal: true };
    expect(await codeOf(args, { ...terminal, stdin: 'y\n' })).toBe('A2ACLI_ERR_UNREACHABLE');
    expect(await codeOf(args, { env: key })).toBe('A2ACLI_ERR_UNREACHABLE');
    const { mode } = await stat(join(home, '.config/switchyard/permitted.json'));
    expect(mode & 0o777).toBe(0o600);
  });
});

it("sends a folder's own credential to the folder's own agent", async () => {
  const lines = `A2ACLI_AGENT_CARD=${elsewhere}\nA2ACLI_BEARER=a-token-of-the-user\n`;
  await writeFile(join(folder, '.env'), lines, { mode: 0o600 });
  expect(await codeOf([], {})).toBe('A2ACLI_ERR_UNREACHABLE');
});

it('takes --insecure only as a flag', async () => {
  await writeFile(join(folder, '.env'), 'A2ACLI_INSECURE=true\n');
  const { out } = await run(['config', 'show'], { folder, env: { A2ACLI_INSECURE: 'true' } });
  expect(out).toContain('insecure: false (default)');
});

it('reads the first setting of a .env that begins with a byte order mark', async () => {
  await writeFile(join(folder, '.env'), '\uFEFFA2ACLI_TIMEOUT=7s\n');
  expect((await run(['config', 'show'], { folder })).out).toContain('timeout: 7s');
});

it('does not use a .env that every user may write, and says so', async () => {
  await writeFile(join(folder, '.env'), 'A2ACLI_TIMEOUT=7s\n');
  await chmod(join(folder, '.env'), 0o666);
  const { out, err } = await run(['config', 'show'], { folder });
  expect(out).toContain('timeout: - (default)');
  expect(err).toContain('.env is not used: every user may write it');
});

it.each([
  ['at the end of the file', 'A2ACLI_TIMEOUT="7s\n'],
  ['above another value', 'A2ACLI_TIMEOUT="7s\nA2ACLI_AGENT_CARD="http://127.0.0.1:9"\n'],
])('refuses a file with a quote that is not closed, and names the line: %s', async (_, text) => {
  const path = join(folder, '.env');
  await writeFile(path, `# settings\n${text}`);
  const why = 'line 2: the quote of its value is not closed';
  const { out, err } = await run(['config', 'show'], { folder });
  expect(out).toContain('timeout: - (default)');
  expect(err).toContain(`warning: ${path} is not used: ${why}`);
  const named = await run(['config', 'show', '--config', path], { folder });
  expect([named.code, named.err]).toEqual([2, expect.stringContaining(`--config ${path}: ${why}`)]);
});

it('reads quotes around several lines, in other quotes, and before more text', async () => {
  const lines = ['NOTE="one', 'two" # a note', `NAME='"7'`, 'PATHS="a":b', 'A2ACLI_TIMEOUT="7s"'];
  await writeFile(join(folder, '.env'), `${lines.join('\n')}\n`);
  expect((await run(['config', 'show'], { folder })).out).toContain('timeout: 7s');
});

it.each([
  ['a folder', 'it is no file', (path: string) => mkdir(path)],
  ['missing', 'there is no such file', async () => undefined],
])('says that --config is %s', async (_, why, make) => {
  const path = join(folder, 'odd');
  await make(path);
  const { code, err } = await run(['config', 'show', '--config', path], { folder });
  expect([code, err]).toEqual([2, expect.stringContaining(`--config ${path}: ${why}`)]);
});

it('goes on without a .env that it cannot read, and says why; as --config it is an error', async () => {
  const path = join(folder, '.env');
  // As root, a test may read every file; a socket is none.
  const socket = createServer().listen(path);
  await once(socket, 'listening');
  const { code, err } = await run(['config', 'show'], { folder });
  const named = await run(['config', 'show', '--config', path], { folder });
  socket.close();
  expect([code, err]).toEqual([0, expect.stringContaining(`warning: ${path} is not used: it cannot be read: ENXIO`)]);
  expect([named.code, named.err]).toEqual([2, expect.stringContaining(`--config ${path}: it cannot be read: ENXIO`)]);
});

it('says why there is no key of operators in its file', async () => {
  const ask = async (ADMIN_KEY_FILE: string) => (await run(['queue'], { folder, env: { ADMIN_KEY_FILE } })).err;
  await writeFile(join(folder, 'empty'), '\n');
  expect(await ask(folder)).toContain(`There is no operator's key: ${folder} cannot be read (EISDIR)`);
  expect(await ask(join(folder, 'empty'))).toContain('/empty is empty');
});

describe('addresses.json', () => {
  let api: StandInApi;
  beforeAll(async () => {
    api = await openStandInApi({ tasks: 1 });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  /** The file as a project could bring it. */
  async function bring(text: string, mode = 0o600): Promise<string> {
    const data = join(folder, '.switchyard');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'addresses.json'), text);
    await chmod(join(data, 'addresses.json'), mode);
    return data;
  }
  const agentCard = async () => (await run(['config', 'show'], { folder })).out.split('\n')[0];
  const unused = 'agent-card: http://127.0.0.1:4000 (default)';

  it.each([
    [
      'names another machine',
      (url: string) => bring(JSON.stringify({ gateway: 'https://agents.invalid', operators: url })),
    ],
    ['came with a project', (url: string) => bring(JSON.stringify({ gateway: url }), 0o644)],
    ['is torn', () => bring('{"gateway":"http://127.0.0.1:43')],
    ['is empty', () => bring('')],
    ['has something else', () => bring('[1]')],
  ])('is not used if it %s, and no command dies of it', async (_, write) => {
    await write(api.url);
    expect(await agentCard()).toBe(unused);
    expect((await run(['config', 'show'], { folder })).err).toMatch(/^warning: .*addresses\.json is not used: /);
    const { err } = await run(['queue'], { folder, env: { ADMIN_KEY: api.key } });
    expect(err).toContain('at http://127.0.0.1:4100');
  });

  it('is not used if it is a link', async () => {
    const data = await bring('');
    const target = join(folder, 'other.json');
    await writeFile(target, JSON.stringify({ gateway: api.url }), { mode: 0o600 });
    await rm(join(data, 'addresses.json'));
    await symlink(target, join(data, 'addresses.json'));
    expect(await agentCard()).toBe(unused);
  });

  it("does not give a folder's operator key to another machine", async () => {
    const data = await bring('');
    await writeFile(join(data, 'operator-key'), 'a-key-of-this-folder');
    const env = { SWITCHYARD_OPERATOR_URL: 'https://agents.invalid' };
    expect((await run(['queue'], { folder, env })).err).toContain(
      "There is no operator's key for https://agents.invalid",
    );
  });
});

describe('a redirect', () => {
  /** Redirects all requests to another origin, or to itself with another path. */
  async function redirecting(status: number, to: string): Promise<AsyncDisposable & { url: string }> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { location: to + (request.url ?? '') }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, [Symbol.asyncDispose]: async () => void server.close() };
  }

  it.each([301, 302, 303, 307, 308])('to another origin gets no credential after %i', async (status) => {
    await using agent = await scriptedServer({
      GetTask: [{ result: { id: 't', status: { state: 'TASK_STATE_WORKING' } } }],
    });
    await using front = await redirecting(status, agent.url);
    const card = await cardAt(front.url);
    for (const credential of [
      ['--api-key', 'k'],
      ['--bearer', 'k'],
      ['--svc-param', 'x-key: k'],
    ]) {
      const { err } = await run(['task', 'get', 't', '-a', card, ...credential]);
      expect(err).toContain(`${front.url} redirects to ${agent.url}: the credentials are not sent there`);
    }
    expect(agent.calls).toEqual([]);
  });

  it('of the card, which is read without credentials, is followed', async () => {
    await using agent = await scriptedServer({
      GetTask: [{ result: { id: 't', status: { state: 'TASK_STATE_WORKING' } } }],
    });
    await using front = await redirecting(302, agent.url);
    expect((await run(['task', 'get', 't', '-a', front.url])).code).toBe(0);
    const seen: IncomingHttpHeaders[] = agent.calls.map(({ headers }) => headers);
    expect(seen[0]?.['x-api-key']).toBeUndefined();
  });

  it.each([301, 302, 303])('of a message after %i would lose it, and is refused', async (status) => {
    await using agent = await scriptedServer({ GetTask: [] });
    await using front = await redirecting(status, agent.url);
    const { code, err } = await run(['send', 'Hello', '-a', await cardAt(front.url)]);
    expect([code, err]).toEqual([3, expect.stringContaining(`redirects to ${agent.url}/`)]);
    expect(err).toContain(`(HTTP ${status}), where the request would be lost`);
    expect([agent.calls, agent.cardHeaders]).toEqual([[], []]);
  });

  it('takes no operator key along', async () => {
    await using agent = await scriptedServer({});
    await using front = await redirecting(302, agent.url);
    const env = { SWITCHYARD_OPERATOR_URL: front.url, ADMIN_KEY: 'a-key' };
    expect((await run(['queue'], { env })).code).toBe(3);
    expect(agent.cardHeaders).toEqual([]);
  });
});

it('keeps what it writes whole and private', async () => {
  const { writeAddresses } = await import('../src/data-folder/data-folder.ts');
  await writeAddresses(join(folder, '.switchyard'), { gateway: 'http://127.0.0.1:4321' });
  const file = join(folder, '.switchyard/addresses.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ gateway: 'http://127.0.0.1:4321' });
});
