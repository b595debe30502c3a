import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, runTurn } from '@switchyard/agent/testing';
import { remoteExecutor } from '@switchyard/executor-remote';
import { freePort, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import type { Part, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentThat } from '../support/agent-that.ts';
import { openHttpServer } from '../support/http-server.ts';
import {
  goToolchain,
  install,
  nodeAgentToolchain,
  pythonAgentToolchain,
  rustAgentToolchain,
  type Toolchain,
} from './support/toolchains.ts';

// Agents in other languages, written with the SDKs as their users write them, behind our remote executor. The text of a
// message says what the agent does.

const installWithinMs = 1_500_000;
const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
type Binding = (typeof bindings)[number];

interface Sdk {
  readonly name: string;
  readonly agent: string;
  readonly toolchain: Toolchain;
  /** Given to the agent's program. */
  readonly version?: '0.3' | '1.0';
  /** The file as it arrives over HTTP+JSON, if not whole. */
  readonly restFile?: object;
  /** A run that throws leaves its task at work. */
  readonly hidesErrors?: 'always' | 'without streams';
}

const file = { raw: 'AAH/', filename: 'a.bin', mediaType: 'application/octet-stream' };
/** Over HTTP+JSON of 0.3, the SDK for JavaScript loses names: as a server, and as the client that we use. */
const nameless = { raw: file.raw, mediaType: file.mediaType };
/** The SDKs for Python and Go send the base64 text of a file as its bytes. */
const encodedTwice = { ...nameless, raw: btoa(file.raw) };

const sdks: readonly Sdk[] = [
  { name: 'Python 1.3', agent: 'python-1-agent', toolchain: pythonAgentToolchain },
  {
    name: 'Python 0.3',
    agent: 'python-0.3-agent',
    toolchain: pythonAgentToolchain,
    restFile: encodedTwice,
    hidesErrors: 'always',
  },
  { name: 'Go 2.4, version 1.0', agent: 'go-agent', toolchain: goToolchain, version: '1.0' },
  {
    name: 'Go 2.4, version 0.3',
    agent: 'go-agent',
    toolchain: goToolchain,
    version: '0.3',
    restFile: encodedTwice,
  },
  { name: 'Rust 0.5', agent: 'rust', toolchain: rustAgentToolchain, hidesErrors: 'always' },
  { name: 'JavaScript 1.3, version 1.0', agent: 'js-1-agent', toolchain: nodeAgentToolchain, version: '1.0' },
  {
    name: 'JavaScript 1.3, version 0.3',
    agent: 'js-1-agent',
    toolchain: nodeAgentToolchain,
    version: '0.3',
    restFile: nameless,
  },
  {
    name: 'JavaScript 0.3.14',
    agent: 'js-0.3-agent',
    toolchain: nodeAgentToolchain,
    restFile: nameless,
    hidesErrors: 'without streams',
  },
];

for (const { name, agent, toolchain, version, restFile, hidesErrors } of sdks)
  describe.skipIf(toolchain.missing)(titled(name, toolchain), () => {
    let program: GuardedProcess | undefined;
    let cardUrl: string;

    beforeAll(async () => {
      const installed = await install(agent, toolchain);
      const port = await freePort();
      cardUrl = `http://127.0.0.1:${port}`;
      program = await spawnGuarded(installed.file, [...installed.args, String(port), ...(version ? [version] : [])]);
      for (const stream of [program.stdout, program.stderr]) stream.resume();
      // A turn waits until it answers.
    }, installWithinMs);

    afterAll(() => program?.stop());

    const calling = (binding: Binding) => agentThat(remoteExecutor({ cardUrl, binding, pollEveryMs: 20 }));

    it.each(bindings)('answers, streams, asks and fails over %s', async (binding) => {
      const ask = async (wish: string) => (await runTurn(calling(binding), wish)).task;
      expect(await ask('reply')).toMatchObject({ status: { message: { parts: [{ text: 'Just a message' }] } } });
      expect(wordsOf(await ask('chunks'))).toEqual(pizzas);
      const expected = binding === 'HTTP+JSON' && restFile ? restFile : file;
      expect((await ask('file')).artifacts).toMatchObject([{ parts: [expected] }]);
      if (hidesErrors !== 'always') expect((await ask('boom')).status.state).toBe('TASK_STATE_FAILED');
      const asked = await runTurn(calling(binding), 'ask');
      expect(asked.task.status).toMatchObject({
        state: 'TASK_STATE_INPUT_REQUIRED',
        message: { parts: [{ text: 'Which size?' }] },
      });
      expect((await asked.say('30')).task.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it.each(bindings)('answers without streams over %s', async (binding) => {
      await using card = await cardWithoutStreams(cardUrl);
      const settings = { cardUrl: card.url, binding, pollEveryMs: 20, trustedOrigins: [cardUrl] };
      const ask = async (wish: string) => (await runTurn(agentThat(remoteExecutor(settings)), wish)).task;
      expect(await ask('reply')).toMatchObject({ status: { message: { parts: [{ text: 'Just a message' }] } } });
      expect(wordsOf(await ask('chunks'))).toEqual(pizzas);
      if (!hidesErrors) expect((await ask('boom')).status.state).toBe('TASK_STATE_FAILED');
    });

    it.each(bindings)('is canceled over %s', async (binding) => {
      const port = new MemoryPort({ message: 'wait' });
      const result = executeTurn(calling(binding), port, { graceMs: 10_000 });
      await port.until(({ metadata }) => metadata?.['switchyard.remote'] !== undefined);
      port.interrupt('canceled');
      expect(await result).toMatchObject({ state: 'TASK_STATE_CANCELED' });
    });
  });

const pizzas = { state: 'TASK_STATE_COMPLETED', said: 'Done', artifacts: ['Two pizzas 🍕🍕'] };

/** What a task says. Without streams, an agent may keep each chunk as a part. */
function wordsOf({ status, artifacts = [] }: Task) {
  const words = (parts: readonly Part[] = []): string => parts.map(({ text }) => text).join('');
  const said = words(status.message?.parts);
  return { state: status.state, said, artifacts: artifacts.map(({ parts }) => words(parts)) };
}

function titled(name: string, { missing }: Toolchain): string {
  return `an agent of the SDK of ${name}${missing === undefined ? '' : ` (skipped: ${missing})`}`;
}

/** Serves the card of an agent, changed: without streams. */
function cardWithoutStreams(agentUrl: string) {
  return openHttpServer(async (_, response) => {
    const card = Object(await (await fetch(`${agentUrl}/.well-known/agent-card.json`)).json());
    response.end(JSON.stringify({ ...card, capabilities: { ...card.capabilities, streaming: false } }));
  });
}
