import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { remoteExecutor } from '@switchyard/executor-remote';
import { freePort } from '@switchyard/local';
import { eventIdIn, type StreamResponse } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { agentThat } from '../support/agent-that.ts';
import { numberedLines } from '../support/all-events.ts';
import { startProgram } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';

// Our own clients, while the only gateway is killed and restarted: they receive each event once, and create no new
// task.

let stack: Stack;
let url: string;

beforeAll(async () => {
  const env = { GRPC_PORT: String(await freePort()) };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['typist'], env });
  [url = ''] = stack.urls;
});

afterAll(() => stack.stop());

async function restartGateway(): Promise<void> {
  const [gateway] = stack.gateways;
  gateway?.kill('SIGKILL');
  await gateway?.exited;
  await stack.addGateway(Number(new URL(url).port));
}

/** The agent writes the second half when its client has all of the first half, from the gateway that is back. */
const lines = 100;
const half = `line ${lines / 2}`;

async function newGate(): Promise<{ readonly text: string; open(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-gate-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'open');
  return { text: `${lines} until ${file}`, open: () => writeFile(file, '') };
}

describe('The command line', () => {
  it.each(['jsonrpc', 'http+json', 'grpc'])('resumes after its last event over %s', async (transport) => {
    const gate = await newGate();
    const args = ['send', gate.text, '--stream', '-o', 'json', '--transport', transport, '-a', url];
    const program = await startProgram({
      file: 'apps/cli/src/main.ts',
      args: [...args, '--poll-interval', '200ms'],
    });
    await program.waitFor(/line 20\\n/);
    await restartGateway();
    await program.waitFor(new RegExp(String.raw`${half}\\n`));
    await gate.open();
    expect(await program.exited, program.output()).toBe(0);
    const events: StreamResponse[] = program
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(program.output()).toContain('The stream broke off');
    const seqs = events.map(({ task, statusUpdate, artifactUpdate }) =>
      Number.parseInt(eventIdIn((task ?? statusUpdate ?? artifactUpdate)?.metadata) ?? '', 10),
    );
    expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
    expect(events.filter(({ task }) => task)).toHaveLength(1);
    const texts = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts.map(({ text }) => text) ?? []);
    expect(texts.join('')).toBe(numberedLines('line', lines));
  });
});

describe('The executor of remote agents', () => {
  it('resumes after its last event, and writes no mirrored event again', async () => {
    const cardUrl = `${url}/.well-known/agent-card.json`;
    const gate = await newGate();
    const port = new MemoryPort({ message: gate.text });
    const result = executeTurn(agentThat(remoteExecutor({ cardUrl })), port, { graceMs: 4_000 });
    await port.until(({ artifacts = [] }) => JSON.stringify(artifacts).includes('line 20'));
    await restartGateway();
    await port.until(({ artifacts = [] }) => JSON.stringify(artifacts).includes(half));
    await gate.open();
    await expect(result).resolves.toMatchObject({ kind: 'settled', state: 'TASK_STATE_COMPLETED' });
    const { artifacts } = port.current;
    expect(artifacts?.map(({ parts }) => parts)).toEqual([[{ text: numberedLines('line', lines) }]]);
    const updates = port.events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(updates.filter(({ append }) => !append)).toHaveLength(1);
  });
});
