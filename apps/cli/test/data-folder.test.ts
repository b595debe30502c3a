import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { startProgram } from '../../../tests/support/process.ts';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { readAddresses, writeAddresses } from '../src/data-folder/data-folder.ts';
import { json, run } from './support/run.ts';
import { scriptedServer } from './support/scripted-server.ts';

// Commands find the processes of their folder, whatever ports they use.

let api: StandInApi;
let folder: string;

beforeAll(async () => {
  api = await openStandInApi({ tasks: 1 });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-folder-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const gateway = 'http://127.0.0.1:4321';

async function agentCard(env: Record<string, string> = {}) {
  const { document } = await json(['config', 'show'], { folder, env });
  return document.settings.find(({ option }: { option: string }) => option === '--agent-card');
}

it.each(['.switchyard', '.data'])("finds the gateway, the operators' port and the key in %s", async (name) => {
  await writeAddresses(join(folder, name), { gateway, operators: api.url });
  await writeFile(join(folder, name, 'operator-key'), `${api.key}\n`);
  expect(await agentCard()).toEqual({
    option: '--agent-card',
    value: gateway,
    source: `what runs in ${join(folder, name)}`,
  });
  expect((await run(['queue'], { folder })).out).toMatch(/^pizza +/m);
});

it('finds them from a folder below, and prefers those of a nearer one', async () => {
  const below = join(folder, 'agents/pizza');
  await mkdir(below, { recursive: true });
  await writeAddresses(join(folder, '.switchyard'), { gateway });
  const card = async () => {
    const { document } = await json(['config', 'show'], { folder: below });
    return document.settings.find(({ option }: { option: string }) => option === '--agent-card').value;
  };
  expect(await card()).toBe(gateway);
  await writeAddresses(join(folder, 'agents/.switchyard'), { gateway: 'http://127.0.0.1:4322' });
  expect(await card()).toBe('http://127.0.0.1:4322');
});

it('finds them in DATA_DIR, but flags and variables come first', async () => {
  await writeAddresses(join(folder, 'elsewhere'), { gateway, operators: 'http://127.0.0.1:49999' });
  const env = { DATA_DIR: 'elsewhere' };
  expect((await agentCard(env)).value).toBe(gateway);
  expect((await agentCard({ ...env, A2ACLI_AGENT_CARD: 'http://other' })).value).toBe('http://other');
  const operator = { ...env, SWITCHYARD_OPERATOR_URL: api.url, ADMIN_KEY: api.key };
  expect((await run(['queue'], { folder, env: operator })).code).toBe(0);
});

it("shows the operators' settings without the key, and where they come from", async () => {
  const operators = async (env: Record<string, string> = {}) =>
    (await json(['config', 'show'], { folder, env })).document.operators;
  const none = { variable: 'ADMIN_KEY', value: null, source: 'default' };
  const [url] = await operators();
  expect(await operators()).toEqual([
    { variable: 'SWITCHYARD_OPERATOR_URL', value: 'http://127.0.0.1:4100', source: 'default' },
    none,
  ]);
  expect(await operators({ SWITCHYARD_OPERATOR_URL: 'https://ops.example' })).toEqual([
    { ...url, value: 'https://ops.example', source: 'SWITCHYARD_OPERATOR_URL' },
    none,
  ]);
  const data = join(folder, '.switchyard');
  await writeAddresses(data, { gateway, operators: api.url });
  await writeFile(join(data, 'operator-key'), 'an-own-key');
  const hidden = { variable: 'ADMIN_KEY', value: '[hidden]', source: join(data, 'operator-key') };
  expect(await operators()).toEqual([{ ...url, value: api.url, source: `what runs in ${data}` }, hidden]);
  expect((await operators({ ADMIN_KEY: 'secret' }))[1]).toEqual({ ...hidden, source: 'ADMIN_KEY' });
  const { out } = await run(['config', 'show'], { folder });
  expect(out).toContain(`SWITCHYARD_OPERATOR_URL: ${api.url} (what runs in ${data})\nADMIN_KEY: [hidden] (`);
});

it('uses the default ports after the process has stopped', async () => {
  const forget = await writeAddresses(join(folder, '.switchyard'), { gateway });
  await forget();
  expect((await agentCard()).value).toBe('http://127.0.0.1:4000');
});

it('a further worker has the Redis that runs here, and says so', async () => {
  const redis = join(folder, '.switchyard/redis');
  await mkdir(redis, { recursive: true });
  const port = Number(new URL(inject('redisUrl')).port);
  await writeFile(join(redis, 'owner.json'), JSON.stringify({ port }));
  const agent = join(process.cwd(), 'examples/hello/agent.ts');
  const env = { REDIS_URL: '', INIT_CWD: folder, KEY_PREFIX: uniquePrefix() };
  const file = join(process.cwd(), 'apps/cli/src/main.ts');
  const worker = await startProgram({ file, args: ['worker', agent], cwd: folder, env });
  await worker.waitFor(
    new RegExp(`with the Redis of this folder, redis://127\\.0\\.0\\.1:${port}\n[\\s\\S]*started`),
    30_000,
  );
  await worker.stop();
});

it('does not delete the addresses of a program that started in the meantime', async () => {
  const forget = await writeAddresses(join(folder, '.switchyard'), { gateway });
  await writeAddresses(join(folder, '.switchyard'), { gateway: 'http://127.0.0.1:5432' });
  await forget();
  expect((await agentCard()).value).toBe('http://127.0.0.1:5432');
});

it.each([
  ['finds a deployment again that still runs', true],
  ['forgets a deployment that has stopped', false],
])('after an example that ran beside it, %s', async (_, stillRuns) => {
  const data = join(folder, '.data');
  const before = stillRuns ? api.url : 'http://127.0.0.1:49999';
  await writeAddresses(data, { gateway: before, operators: api.url });
  const forget = await writeAddresses(data, { gateway });
  expect((await agentCard()).value).toBe(gateway);
  await forget();
  expect((await agentCard()).value).toBe(stillRuns ? before : 'http://127.0.0.1:4000');
  expect(await readAddresses(data)).toEqual(stillRuns ? { addresses: { gateway: before, operators: api.url } } : {});
});

it('prints commands that can be pasted: with npx if it is a dependency, and with DATA_DIR if that is set', async () => {
  await using server = await scriptedServer({
    GetTask: [{ result: { id: 't', status: { state: 'TASK_STATE_WORKING' } } }],
  });
  const next = async (env: Record<string, string>) => (await run(['task', 'get', 't'], { folder, env })).out;
  await writeAddresses(join(folder, '.data'), { gateway: server.url });
  await writeAddresses(join(folder, 'elsewhere'), { gateway: server.url });
  expect(await next({})).toContain('Next: switchyard task get --wait t\n');
  expect(await next({ npm_command: 'exec' })).toContain('Next: npx @switchyard/cli task get --wait t\n');
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(folder, 'node_modules/.bin/switchyard'), '');
  expect(await next({ DATA_DIR: 'elsewhere' })).toContain(
    'Next: DATA_DIR=elsewhere npx switchyard task get --wait t\n',
  );
});
