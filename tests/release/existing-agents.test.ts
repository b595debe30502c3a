import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/local';
import type { AgentCard, StreamResponse, Task } from '@switchyard/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { uniquePrefix } from '../support/prefix.ts';
import { type Program, startProgram } from '../support/process.ts';
import { getTask, submit } from '../support/rest.ts';
import { until } from '../support/until.ts';

// `switchyard up --agent <URL>`: a gateway in front of an existing agent, here an SDK server in its own process, which
// is killed and started again.

let folder: string;
let env: Record<string, string>;
let almanacUrl: string;
let almanac: Program | undefined;
let up: Program;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-existing-'));
  const port = String(await freePort());
  almanacUrl = `http://127.0.0.1:${port}`;
  env = { ALMANAC_PORT: port, ALMANAC_LINE_MS: '150' };
  up = await startUp(['--agent', `almanac=${almanacUrl}`]);
  url = await urlOf(up);
});

afterAll(async () => {
  await up.stop();
  await almanac?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function startAlmanac(): Promise<void> {
  almanac = await startProgram({ file: 'examples/remote/almanac/main.ts', env });
  await almanac.waitFor(/its card is at/);
}

async function killAlmanac(): Promise<void> {
  almanac?.kill('SIGKILL');
  await almanac?.exited;
}

const prefix = uniquePrefix();

function startUp(args: readonly string[], own: Readonly<Record<string, string>> = {}): Promise<Program> {
  const redis = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix, SWEEP_AFTER_MS: '1500', SWEEP_MS: '200' };
  const settings = { PORT: '0', DATA_DIR: folder, ...redis, ...own };
  return startProgram({ file: 'apps/cli/src/main.ts', args: ['up', ...args], env: settings });
}

async function urlOf(program: Program): Promise<string> {
  return (await program.waitFor(/ready on (\S+)/, 30_000))[1] ?? '';
}

async function card(): Promise<AgentCard> {
  return (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as AgentCard;
}

const lines = ({ artifacts = [] }: Task): number =>
  artifacts.flatMap(({ parts }) => textOf({ parts }).split('\n').slice(0, -1)).length;

const isDone = (id: string) => async () => (await getTask(url, id)).status.state === 'TASK_STATE_COMPLETED';

// Each test continues with the agent in the state that the test before left.
describe('a gateway in front of an existing agent', () => {
  it('serves a provisional card before it has reached the agent, and accepts messages for it', async () => {
    expect(await card()).toMatchObject({
      name: 'almanac',
      version: 'unknown',
      description: expect.stringContaining('has not answered yet'),
    });
    await up.waitFor(/the remote agent does not answer: its messages wait/);
    const { id } = await submit(url, userMessage('The almanac of 2026, please'));
    await startAlmanac();
    await until(isDone(id), { what: 'the message was delivered' });
    await until(async () => (await card()).name === 'Almanac', { what: 'its own card is served' });
    expect(JSON.stringify(await card())).not.toContain(almanacUrl);
  });

  it('continues a turn after the agent was killed and restarted in the middle of it', async () => {
    const body = { message: userMessage('The almanac of 2027, please') };
    const stream = await openEventStream(`${url}/message:stream`, { method: 'POST', body });
    const begun = await stream.until(({ artifactUpdate }: StreamResponse) => artifactUpdate !== undefined);
    await killAlmanac();
    expect((await card()).name).toBe('Almanac');
    await startAlmanac();
    await stream.rest();
    const task = await getTask(url, begun[0]?.data.task?.id ?? '');
    expect([task.status.state, lines(task)]).toEqual(['TASK_STATE_COMPLETED', 12]);
  });

  it('serves the last card after a restart while the agent is unreachable, and messages wait', async () => {
    await killAlmanac();
    const { id } = await submit(url, userMessage('The almanac of 2028, please'));
    await up.stop();
    up = await startUp(['--agent', `almanac=${almanacUrl}`]);
    url = await urlOf(up);
    expect((await card()).name).toBe('Almanac');
    await startAlmanac();
    await until(isDone(id), { what: 'the message was delivered' });
  });
});

describe('a file of existing agents', () => {
  let program: Program | undefined;

  afterEach(() => program?.stop());

  async function startWith(yaml: string, own: Readonly<Record<string, string>> = {}): Promise<Program> {
    await writeFile(join(folder, 'agents.yaml'), yaml);
    program = await startUp(['--agents', join(folder, 'agents.yaml')], { KEY_PREFIX: uniquePrefix(), ...own });
    return program;
  }

  it('gives each agent its id, name and headers', async () => {
    const yaml = `
agents:
  - id: first
    url: ${almanacUrl}
    name: The almanac
    headers: { Authorization: "Bearer \${ALMANAC_TOKEN}" }
    concurrency: 3
  - { id: second, url: "${almanacUrl}/.well-known/agent-card.json" }
`;
    const served = await urlOf(await startWith(yaml, { ALMANAC_TOKEN: 'secret' }));
    const cards = await Promise.all(
      ['', '/agents/second'].map(async (path) => (await fetch(`${served}${path}/.well-known/agent-card.json`)).json()),
    );
    expect(cards).toMatchObject([{ name: 'The almanac' }, { name: 'Almanac' }]);
    const { id } = await submit(served, userMessage('The almanac of 2029, please'));
    const done = async () => (await getTask(served, id)).status.state === 'TASK_STATE_COMPLETED';
    await until(done, { what: 'it is answered' });
  });

  it('with an error ends the command at once, with the reason', async () => {
    const started = await startWith('agents: [{ id: a, url: "http://x", concurency: 3 }]');
    expect(await started.exited).toBe(1);
    expect(started.output()).toMatch(/agents\[0\]\.concurency: is not a known field/);
    expect(started.output()).not.toMatch(/│ starting |^ +at /m);
  });
});
