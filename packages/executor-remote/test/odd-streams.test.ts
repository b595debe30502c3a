import type { ServerResponse } from 'node:http';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it, test } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { remoteExecutor } from '../src/index.ts';
import { type Answer, AnsweringAgent, rpc } from './answering-agent.ts';

type Binding = 'JSONRPC' | 'HTTP+JSON';
type Writes = (response: ServerResponse, frame: (result: unknown) => string) => void;

interface TurnOptions {
  /** Answers to all other requests. */
  readonly other?: Answer;
  readonly idleTimeoutMs?: number;
}

/** A turn with an agent of 0.3 whose stream is written by the test. */
async function turnWith(binding: Binding, writes: Writes, { other, idleTimeoutMs = 100 }: TurnOptions = {}) {
  const answer: Answer = (response, request) => {
    response.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' });
    const frame = (result: unknown): string =>
      `data: ${JSON.stringify(binding === 'JSONRPC' ? rpc(request, { result }) : result)}\n\n`;
    writes(response, frame);
  };
  const options = { binding, version: '0.3', streaming: true, answers: [answer], ...(other && { other }) } as const;
  await using agent = await new AnsweringAgent(options).start();
  const settings = { cardUrl: agent.cardUrl, pollEveryMs: 5, retryBudgetMs: 300, idleTimeoutMs };
  const port = new MemoryPort({ message: 'Hello' });
  const result = await executeTurn(agentThat(remoteExecutor(settings)), port);
  const text = port.current.status.message?.parts[0]?.text;
  return { port, result, text, sent: agent.messages };
}

/** Events of A2A 0.3 over either binding. */
const events = {
  JSONRPC: {
    status: (state: string, final: boolean, text?: string) => ({
      kind: 'status-update',
      taskId: 't',
      contextId: 'c',
      final,
      status: {
        state,
        ...(text && { message: { kind: 'message', messageId: text, role: 'agent', parts: [{ kind: 'text', text }] } }),
      },
    }),
    artifact: (text: string) => ({
      kind: 'artifact-update',
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: text, parts: [{ kind: 'text', text }] },
    }),
    unknown: { kind: 'progress-update', taskId: 't', percent: 50 },
  },
  'HTTP+JSON': {
    status: (state: string, final: boolean, text?: string) => ({
      statusUpdate: {
        taskId: 't',
        contextId: 'c',
        final,
        status: {
          state: `TASK_STATE_${state.toUpperCase()}`,
          ...(text && { update: { messageId: text, role: 'ROLE_AGENT', content: [{ text }] } }),
        },
      },
    }),
    artifact: (text: string) => ({
      artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: text, parts: [{ text }] } },
    }),
    unknown: { progressUpdate: { taskId: 't', percent: 50 } },
  },
};

describe.each<Binding>(['JSONRPC', 'HTTP+JSON'])('a stream of A2A 0.3 over %s', (binding) => {
  const { status, artifact, unknown } = events[binding];
  const texts = ({ current }: MemoryPort) => current.artifacts?.map(({ parts }) => parts[0]?.text);

  it('whose artifact follows the completed state with final: false loses nothing', async () => {
    const { result, port, text } = await turnWith(binding, (response, frame) => {
      for (const event of [
        status('working', false),
        artifact('one'),
        status('completed', false, 'Done'),
        artifact('two'),
      ])
        response.write(frame(event));
      response.end(frame(status('completed', true)));
    });
    expect([result, text]).toMatchObject([{ state: 'TASK_STATE_COMPLETED' }, 'Done']);
    expect(texts(port)).toEqual(['one', 'two']);
  });

  it('that ends or breaks after the completed state with final: false is completed', async () => {
    for (const end of [
      (response: ServerResponse) => response.end(),
      (response: ServerResponse) => response.destroy(),
    ]) {
      const { result, port } = await turnWith(binding, (response, frame) => {
        response.write(frame(artifact('one')));
        response.write(frame(status('completed', false)), () => end(response));
      });
      expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
      expect(texts(port)).toEqual(['one']);
    }
  });

  it('may have unknown events', async () => {
    const { result } = await turnWith(binding, (response, frame) => {
      response.write(frame(status('working', false)));
      response.write(frame(unknown));
      response.end(frame(status('completed', true)));
    });
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });

  it('of comments without events is ended at 16 MiB, and its message is not repeated', async () => {
    let written = 0;
    const { result, text, sent } = await turnWith(
      binding,
      (response) => {
        const comment = `: ${'x'.repeat(64 * 1024)}\n`;
        const write = (): void => {
          while (!response.destroyed && response.write(comment)) written += comment.length;
          if (!response.destroyed) response.once('drain', write);
        };
        write();
      },
      { idleTimeoutMs: 20_000 },
    );
    expect([result.kind, sent]).toEqual(['failed', 1]);
    expect(text).toContain('bytes without an event');
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('with an event of 5 MiB ends there, and the task is read', async () => {
    const big = 'x'.repeat(5 * 1024 * 1024);
    const task = (rest: object) =>
      binding === 'JSONRPC'
        ? { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' }, ...rest }
        : { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, ...rest };
    const { result, port, sent } = await turnWith(
      binding,
      (response, frame) => {
        response.write(frame(status('working', false)));
        response.end(frame(artifact(big)));
      },
      {
        other: (response, request) => {
          const parts = binding === 'JSONRPC' ? [{ kind: 'text', text: big }] : [{ text: big }];
          const whole = task({ artifacts: [{ artifactId: 'big', parts }] });
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify(binding === 'JSONRPC' ? rpc(request, { result: whole }) : whole));
        },
      },
    );
    expect([result, sent]).toMatchObject([{ state: 'TASK_STATE_COMPLETED' }, 1]);
    expect(texts(port)?.[0]?.length).toBe(big.length);
  });

  it('with comments is alive, but not for ever: then the task is read', async () => {
    const task =
      binding === 'JSONRPC'
        ? { kind: 'task', id: 't', contextId: 'c', status: { state: 'completed' } }
        : { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
    let reads = 0;
    const { result, sent } = await turnWith(
      binding,
      (response, frame) => {
        response.write(frame(status('working', false)));
        const pings = setInterval(() => response.write(': ping\n\n'), 20);
        response.on('close', () => clearInterval(pings));
      },
      {
        other: (response, request) => {
          reads++;
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify(binding === 'JSONRPC' ? rpc(request, { result: task }) : task));
        },
      },
    );
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect([sent, reads]).toEqual([1, 1]);
  });
});

test('a stream of messages without end is left, and the turn fails with the reason', async () => {
  const [text, most] = ['x'.repeat(1024 * 1024), 60];
  let written = 0;
  const writes: Writes = (response, frame) => {
    const write = (): void => {
      if (response.destroyed || written === most) return void response.end();
      const message = { kind: 'message', messageId: `${++written}`, role: 'agent', parts: [{ kind: 'text', text }] };
      response.write(frame(message), () => setImmediate(write));
    };
    write();
  };
  const { result } = await turnWith('JSONRPC', writes, { idleTimeoutMs: 60_000 });
  expect(result).toMatchObject({ error: { message: expect.stringMatching(/refused: its stream .* of messages$/) } });
  expect(written).toBeLessThan(most);
});
