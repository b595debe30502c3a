import type { Agent, ConversationEvent } from '@switchyard/agent';
import { runTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import requester from '../agent.ts';
import target from '../target.ts';

async function lunch(
  other: Agent = target,
): Promise<{ answer: string; events: readonly ConversationEvent[]; calls: number }> {
  const { answer, conversations, calls } = await runTurn(requester, 'Where shall we have lunch?', { agents: [other] });
  const [events = []] = conversations.values();
  return { answer, events, calls: calls.length };
}

describe('a lunch conversation', () => {
  it('ends in agreement after six turns, and is announced outside the conversation', async () => {
    const { answer, events, calls } = await lunch();
    const said = events.map((event) =>
      event.phase === 'turn' ? `${event.fromAgent} ${event.turn}: ${event.text}` : event.phase,
    );
    expect(said).toEqual([
      'requester 0: Where shall we have lunch?',
      'target 1: The noodle place?',
      'requester 2: Rather something lighter.',
      'target 3: The salad bar, then.',
      'requester 4: At noon?',
      'target 5: At noon. See you there.',
      'complete',
    ]);
    expect(answer).toBe('It is agreed: At noon. See you there.');
    // One task for the whole conversation, one for the announcement.
    expect(calls).toBe(2);
  });

  it('ends without agreement when the target rejects', async () => {
    const { answer, events } = await lunch({ ...target, execute: (turn) => turn.reject('I am fasting.') });
    expect(answer).toBe('We could not agree: I am fasting.');
    expect(events.map(({ phase }) => phase)).toEqual(['turn', 'error', 'complete']);
  });
});
