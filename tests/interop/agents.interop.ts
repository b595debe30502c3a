import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, runTurn } from '@switchyard/agent/testing';
import { remoteExecutor } from '@switchyard/executor-remote';
import { freePort, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentThat } from '../support/agent-that.ts';
import { skippedFor } from '../support/has-program.ts';
import { install, pythonAgentToolchain } from './support/toolchains.ts';

// Agents in other languages, written with the SDKs as their users write them, behind our remote executor. The text of a
// message says what the agent does.

const installWithinMs = 320_000;
const bindings = ['JSONRPC', 'HTTP+JSON'] as const;

interface Sdk {
  readonly name: string;
  readonly agent: string;
  /** Over HTTP+JSON, the SDK of 0.3 encodes the bytes of a file twice, and its translator here loses the name. */
  readonly restFile?: object;
  /** A run that throws leaves the task at work, and ends the stream without an error. */
  readonly hidesErrors?: boolean;
}

const file = { raw: 'AAH/', filename: 'a.bin', mediaType: 'application/octet-stream' };
const sdks: readonly Sdk[] = [
  { name: 'Python 1.3', agent: 'python-1-agent' },
  {
    name: 'Python 0.3',
    agent: 'python-0.3-agent',
    restFile: { raw: btoa(file.raw), mediaType: file.mediaType },
    hidesErrors: true,
  },
];

const { missing } = pythonAgentToolchain;
const skipped = missing === undefined ? '' : ` (skipped: ${missing})`;

for (const { name, agent, restFile, hidesErrors } of sdks)
  describe.skipIf(skippedFor(missing))(`an agent of the SDK of ${name}${skipped}`, () => {
    let program: GuardedProcess | undefined;
    let cardUrl: string;

    beforeAll(async () => {
      const installed = await install(agent, pythonAgentToolchain);
      const port = await freePort();
      cardUrl = `http://127.0.0.1:${port}`;
      program = await spawnGuarded(installed.file, [...installed.args, String(port)]);
      for (const stream of [program.stdout, program.stderr]) stream.resume();
      // A turn waits until it answers.
    }, installWithinMs);

    afterAll(() => program?.stop());

    const calling = (binding: (typeof bindings)[number]) =>
      agentThat(remoteExecutor({ cardUrl, binding, pollEveryMs: 20 }));

    it.each(bindings)('answers, streams, asks and fails over %s', { timeout: 60_000 }, async (binding) => {
      const ask = async (wish: string) => (await runTurn(calling(binding), wish)).task;
      expect(await ask('reply')).toMatchObject({ status: { message: { parts: [{ text: 'Just a message' }] } } });
      expect(await ask('chunks')).toMatchObject({
        status: { state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'Done' }] } },
        artifacts: [{ parts: [{ text: 'Two pizzas 🍕🍕' }] }],
      });
      const expected = binding === 'HTTP+JSON' && restFile ? restFile : file;
      expect((await ask('file')).artifacts).toMatchObject([{ parts: [expected] }]);
      if (!hidesErrors) expect((await ask('boom')).status.state).toBe('TASK_STATE_FAILED');
      const asked = await runTurn(calling(binding), 'ask');
      expect(asked.task.status).toMatchObject({
        state: 'TASK_STATE_INPUT_REQUIRED',
        message: { parts: [{ text: 'Which size?' }] },
      });
      expect((await asked.say('30')).task.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it.each(bindings)('is canceled over %s', { timeout: 60_000 }, async (binding) => {
      const port = new MemoryPort({ message: 'wait' });
      const result = executeTurn(calling(binding), port, { graceMs: 10_000 });
      await port.until(({ metadata }) => metadata?.['switchyard.remote'] !== undefined);
      port.interrupt('canceled');
      expect(await result).toMatchObject({ state: 'TASK_STATE_CANCELED' });
    });
  });
