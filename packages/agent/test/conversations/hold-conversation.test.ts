import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import {
  type ConversationEvent,
  type ConversationOptions,
  conversationOf,
  conversationsUri,
  type Execute,
  endOfConversation,
  RetryableError,
} from '../../src/index.ts';
import { runTurn } from '../../src/testing/index.ts';

const options = (more: Partial<ConversationOptions> = {}): ConversationOptions => ({
  message: 'ping 0',
  reply: ({ turn }) => `ping ${turn + 1}`,
  maxTurns: 4,
  ...more,
});

const echo: Execute = (turn) => turn.complete(turn.text.replace('ping', 'pong'));

/** Runs a conversation of two agents, and returns its events, its calls and its outcome. */
async function talk(more: Partial<ConversationOptions> = {}, target: Execute = echo) {
  const requester = agentThat(
    async (turn) => turn.complete(JSON.stringify(await turn.holdConversation('target', options(more)))),
    {
      id: 'requester',
    },
  );
  const agents = [agentThat(target, { id: 'target' })];
  const { answer, result, state, calls, conversations } = await runTurn(requester, 'Talk', { agents });
  const [events = []] = conversations.values();
  return { calls, events, result, outcome: state === 'TASK_STATE_COMPLETED' ? JSON.parse(answer) : undefined };
}

const brief = (events: readonly ConversationEvent[]) =>
  events.map((event) => [event.phase, event.fromAgent, ...('turn' in event ? [event.turn] : [])]);

describe('a conversation', () => {
  it('has an event for every turn, alternating between the agents, and one for its end', async () => {
    const { events, outcome } = await talk();
    const { conversationId } = outcome;
    const [out, back] = [
      { conversationId, fromAgent: 'requester', toAgent: 'target' },
      { conversationId, fromAgent: 'target', toAgent: 'requester' },
    ];
    const turnEvent = { maxTurns: 4, phase: 'turn', taskId: expect.any(String) };
    expect(events).toEqual([
      { ...out, ...turnEvent, turn: 0, text: 'ping 0' },
      { ...back, ...turnEvent, turn: 1, text: 'pong 0' },
      { ...out, ...turnEvent, turn: 2, text: 'ping 2' },
      { ...back, ...turnEvent, turn: 3, text: 'pong 2' },
      { ...out, ...turnEvent, turn: 4, text: 'ping 4' },
      { ...out, phase: 'complete' },
    ]);
    expect(outcome).toMatchObject({ ended: 'max-turns', texts: ['ping 0', 'pong 0', 'ping 2', 'pong 2', 'ping 4'] });
  });

  it('has in each event the task whose history contains the message', async () => {
    const { events, calls } = await talk();
    for (const event of events) {
      if (event.phase !== 'turn') continue;
      const history = calls.find(({ task }) => task.id === event.taskId)?.task.history ?? [];
      expect(history.map(({ parts }) => parts[0]?.text)).toContain(event.text);
    }
  });

  it('continues in one task as long as the other agent does not end it', async () => {
    const { events } = await talk({}, (turn) => turn.requireInput(turn.text.replace('ping', 'pong')));
    const tasks = new Set(events.flatMap((event) => (event.phase === 'turn' ? event.taskId : [])));
    expect(tasks.size).toBe(1);
  });

  it('shows the other agent the number of the turn and the extension', async () => {
    const received: unknown[] = [];
    await talk({ maxTurns: 2 }, (turn) => {
      received.push(conversationOf(turn.message), turn.extensions, turn.message.extensions);
      return turn.complete('pong');
    });
    const conversation = { conversationId: expect.any(String), fromAgent: 'requester', maxTurns: 2 };
    expect(received).toEqual([
      { ...conversation, turn: 0 },
      [conversationsUri],
      [conversationsUri],
      { ...conversation, turn: 2 },
      [conversationsUri],
      [conversationsUri],
    ]);
  });

  it.each([
    [
      'the other agent',
      {},
      ((turn) => turn.complete(turn.text === 'ping 0' ? 'pong' : ` ${endOfConversation}\n`)) as Execute,
      3,
    ],
    ['the agent itself', { reply: () => endOfConversation }, echo, 2],
  ])('ends without another turn event when %s skips its reply', async (_, more, target, turns) => {
    const { events, outcome } = await talk(more, target);
    expect(events.map(({ phase }) => phase)).toEqual([...Array(turns).fill('turn'), 'complete']);
    expect(outcome.ended).toBe('by-agent');
  });

  it.each([
    ['fails', ((turn) => turn.fail('Out of balls')) as Execute, 'Out of balls'],
    ['rejects', ((turn) => turn.reject('Not playing')) as Execute, 'Not playing'],
    ['needs an authorization', ((turn) => turn.requireAuth('Log in')) as Execute, 'Log in'],
  ])('has an error event before its end when the other agent %s', async (_, target, error) => {
    const { events, outcome } = await talk({}, target);
    expect(brief(events)).toEqual([
      ['turn', 'requester', 0],
      ['error', 'target', 1],
      ['complete', 'requester'],
    ]);
    expect(events[1]).toMatchObject({ error, taskId: expect.any(String) });
    expect(outcome).toMatchObject({ ended: 'error', error, texts: ['ping 0'] });
  });

  it('has an error event when the other agent takes longer than timeoutMs', async () => {
    const sleepy: Execute = async (turn) => {
      await new Promise((_, reject) => turn.signal.addEventListener('abort', () => reject(turn.signal.reason)));
      return turn.complete();
    };
    const { events, outcome } = await talk({ timeoutMs: 20 }, sleepy);
    expect(brief(events)).toEqual([
      ['turn', 'requester', 0],
      ['error', 'target', 1],
      ['complete', 'requester'],
    ]);
    expect(outcome.error).toContain('it took too long');
  });

  it('has an error event for turn 0 when the other agent does not exist', async () => {
    const requester = agentThat(async (turn) =>
      turn.complete((await turn.holdConversation('nobody', options())).error),
    );
    const { answer, conversations } = await runTurn(requester, 'Talk');
    expect(answer).toContain('no worker has ever announced');
    const [events = []] = conversations.values();
    expect(brief(events)).toEqual([
      ['error', 'subject', 0],
      ['complete', 'subject'],
    ]);
  });

  it('has an error event without the text of the error when the agent itself throws', async () => {
    const { events, result } = await talk({
      reply: () => {
        throw new Error('secret');
      },
    });
    expect(result.kind).toBe('failed');
    expect(brief(events)).toEqual([
      ['turn', 'requester', 0],
      ['turn', 'target', 1],
      ['error', 'requester', 2],
      ['complete', 'requester'],
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('resumes when its turn is retried: no message is sent twice, no reply computed twice', async () => {
    const [asked, answered]: [string[], string[]] = [[], []];
    let failures = 0;
    const { events, outcome } = await talk(
      {
        reply: ({ turn }) => {
          asked.push(`ping ${turn + 1}`);
          if (failures++ < 2) throw new RetryableError('Not yet.');
          return `ping ${turn + 1}`;
        },
      },
      (turn) => {
        answered.push(turn.text);
        return turn.complete('pong');
      },
    );
    expect(asked).toEqual(['ping 2', 'ping 2', 'ping 2', 'ping 4']);
    expect(answered).toEqual(['ping 0', 'ping 2', 'ping 4']);
    expect(brief(events).map(([phase, , turn]) => `${phase} ${turn ?? ''}`)).toEqual([
      'turn 0',
      'turn 1',
      'turn 2',
      'turn 3',
      'turn 4',
      'complete ',
    ]);
    expect(outcome.ended).toBe('max-turns');
  });

  it('can run concurrently with another one of the same agents', async () => {
    const requester = agentThat(async (turn) => {
      const both = await Promise.all(
        ['red', 'blue'].map((color) => turn.holdConversation('target', options({ message: color, maxTurns: 1 }))),
      );
      return turn.complete(both.map(({ conversationId }) => conversationId).join());
    });
    const agents = [agentThat(echo, { id: 'target' })];
    const { answer, conversations } = await runTurn(requester, 'Talk', { agents });
    const ids = answer.split(',');
    expect(new Set(ids).size).toBe(2);
    const texts = ids.map((id) => conversations.get(id)?.flatMap((event) => ('text' in event ? event.text : [])));
    expect(texts).toEqual([
      ['red', 'red'],
      ['blue', 'blue'],
    ]);
  });

  it.each([0, 1.5, 101])('with maxTurns %d is refused', async (maxTurns) => {
    const { result } = await talk({ maxTurns });
    expect(result).toMatchObject({ kind: 'failed', error: { name: 'TurnMisuseError' } });
  });
});
