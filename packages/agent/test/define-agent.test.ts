import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { type AgentDefinition, defineAgent } from '../src/index.ts';
import { isAgent } from '../src/runtime.ts';

const complete = agentThat((turn) => turn.complete()).execute;

describe('defineAgent', () => {
  it('fills in the defaults', () => {
    const agent = agentThat(complete);
    expect(agent).toMatchObject({ repliesWithMessage: false, concurrency: 20, turnTimeoutMs: 600_000 });
    expect(agent.card).toMatchObject({
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      supportedInterfaces: [],
    });
  });

  it("keeps the author's values", () => {
    const card = { ...agentThat(complete).card, defaultOutputModes: ['image/png'], capabilities: { streaming: false } };
    expect(agentThat(complete, { card, concurrency: 3 })).toMatchObject({
      concurrency: 3,
      card: { defaultOutputModes: ['image/png'], capabilities: { streaming: false } },
    });
  });

  it.each(['Pizza', 'a--b', '-a', 'a:b', '', 'x'.repeat(64)])('refuses the id "%s"', (id) => {
    expect(() => agentThat(complete, { id })).toThrow(/id must be lower-case letters/);
  });

  it('refuses a wrong card with an error that names the agent and every wrong field', () => {
    const card = { ...agentThat(complete).card, name: '', version: '' };
    expect(() => agentThat(complete, { card })).toThrow(/"subject".*card\.name: .*card\.version: /);
  });

  it('refuses a definition without execute', () => {
    const { card } = agentThat(complete);
    const misspelt = { id: 'pizza', card, exicute: complete } as unknown as AgentDefinition;
    expect(() => defineAgent(misspelt)).toThrow('The agent "pizza" cannot be defined: its execute is missing');
  });

  it.each([0, 1.5, Number.NaN, 10_001])('refuses a concurrency of %d', (concurrency) => {
    expect(() => agentThat(complete, { concurrency })).toThrow(/concurrency/);
  });

  it('completes a retry policy with the defaults', () => {
    const defaults = { backoffMs: 1_000, maxBackoffMs: 60_000, maxRetryAfterMs: 900_000 };
    expect(agentThat(complete).retry).toEqual(defaults);
    expect(agentThat(complete, { retry: { attempts: 7 } }).retry).toEqual({ ...defaults, attempts: 7 });
  });

  it.each([
    { attempts: 0 },
    { attempts: 101 },
    { backoffMs: 0.5 },
    { maxBackoffMs: -1 },
    { maxRetryAfterMs: 86_400_001 },
  ])('refuses the retry policy %o', (retry) => {
    const [name] = Object.keys(retry);
    expect(() => agentThat(complete, { retry })).toThrow(new RegExp(`retry\\.${name}`));
  });

  it('returns a value that isAgent tells from any other export', () => {
    expect(isAgent(agentThat(complete))).toBe(true);
    for (const other of [undefined, null, {}, 'agent', { id: 'x', card: {}, execute: 1 }])
      expect(isAgent(other)).toBe(false);
  });
});
