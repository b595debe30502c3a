import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { answerOf, RawServer } from '../../../tests/support/raw-server.ts';
import { remoteExecutor } from '../src/index.ts';
import { ScriptedAgent } from './scripted-agent.ts';

const runs = Number(process.env.FUZZ_RUNS ?? 25);
const seed = Number(process.env.FUZZ_SEED ?? 1);

const odd = fc.oneof(
  fc.constantFrom(
    null,
    '',
    -1,
    1e308,
    [],
    {},
    'x'.repeat(10_000),
    '\ud800',
    JSON.parse('{"__proto__":{"polluted":1}}'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const states = ['SUBMITTED', 'WORKING', 'COMPLETED', 'INPUT_REQUIRED', 'AUTH_REQUIRED', 'NOTHING'];
const state = fc.oneof(fc.constantFrom(...states.map((name) => `TASK_STATE_${name}`)), odd);
/** The valid value six times of seven, or an odd one. */
const mostly = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: valid }, { weight: 1, arbitrary: odd });
const id = mostly(fc.constantFrom('t', 'c'));
const part = mostly(
  fc.oneof(fc.record({ text: odd }), fc.record({ data: odd }), fc.record({ raw: odd }), fc.record({ url: odd })),
);
const message = mostly(
  fc.record({ messageId: id, role: mostly(fc.constant('ROLE_AGENT')), parts: mostly(fc.array(part)) }),
);
const status = mostly(fc.record({ state, message, timestamp: odd }, { requiredKeys: ['state'] }));
const artifact = mostly(fc.record({ artifactId: id, name: odd, parts: mostly(fc.array(part)), metadata: odd }));
const task = mostly(
  fc.record({ id, contextId: id, status, artifacts: mostly(fc.array(artifact)), history: mostly(fc.array(message)) }),
);
const event = mostly(
  fc.oneof(
    fc.record({ task }),
    fc.record({ message }),
    fc.record({ statusUpdate: mostly(fc.record({ taskId: id, contextId: id, status, metadata: odd })) }),
    fc.record({ artifactUpdate: mostly(fc.record({ taskId: id, contextId: id, artifact, append: odd })) }),
  ),
);
const answer = fc.oneof(
  event.map((result) => ({ result })),
  task.map((result) => ({ result })),
  fc.array(event, { maxLength: 4 }).map((events) => ({ events })),
  fc.constantFrom(-32001, -32004, -32603, 1e9).map((error) => ({ error })),
);
const script = fc.dictionary(
  fc.constantFrom('SendMessage', 'SendStreamingMessage', 'GetTask', 'SubscribeToTask', 'ListTasks'),
  fc.array(answer, { minLength: 1, maxLength: 2 }),
);
const card = fc.dictionary(
  fc.constantFrom(
    'name',
    'capabilities',
    'supportedInterfaces',
    'skills',
    'security',
    'url',
    'protocolVersion',
    'signatures',
  ),
  odd,
  { maxKeys: 2 },
);

/** Runs a turn, which is interrupted after 150 ms because a remote agent may work without end. */
async function turnWith(cardUrl: string): Promise<string> {
  const times = { pollEveryMs: 5, retryBudgetMs: 30, idleTimeoutMs: 60, authWaitMs: 20, requestTimeoutMs: 100 };
  const port = new MemoryPort({ message: 'Hello' });
  const timer = setTimeout(() => port.interrupt('shutdown'), 150);
  const { kind } = await executeTurn(agentThat(remoteExecutor({ cardUrl, ...times })), port, { graceMs: 1_000 });
  clearTimeout(timer);
  return kind;
}

test('a turn ends whatever the remote agent and its card contain', async () => {
  await fc.assert(
    fc.asyncProperty(script, card, async (answers, differences) => {
      await using agent = await new ScriptedAgent(answers, differences).start();
      expect(['settled', 'failed', 'retry', 'interrupted']).toContain(await turnWith(agent.cardUrl));
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    }),
    { numRuns: runs, seed },
  );
});

test('a turn ends whatever bytes the server sends instead of HTTP', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw)),
    odd.map((value) => answerOf(JSON.stringify(value), 'Content-Type: application/json', 'Connection: close')),
    fc
      .constantFrom('HTTP/1.1 999 X\r\n\r\n', 'HTTP/1.1 101 Up\r\nUpgrade: x\r\n\r\n', 'HTTP/1.1 204 No\r\n\r\n')
      .map(Buffer.from),
    fc
      .constantFrom('HTTP/1.1 200 OK\r\nContent-Type: \u00ff\r\nX: \u00e9\r\n\r\n{}', 'HTTP/1.1 304 No\r\n\r\n')
      .map(Buffer.from),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      await using server = await new RawServer((socket) => socket.end(sent), '127.0.0.1').start();
      expect(['settled', 'failed', 'retry', 'interrupted']).toContain(await turnWith(server.url));
    }),
    { numRuns: runs, seed },
  );
});
