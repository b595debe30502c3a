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
    expect(() => defineAgent(misspelt)).toThrow(
      'The agent "pizza" cannot be defined: its exicute is unknown (did you mean execute?); its execute is missing',
    );
  });

  it.each([
    ['no definition', undefined, 'defineAgent needs an object with id, card and execute'],
    ['no id', { id: undefined }, 'The agent without an id cannot be defined: its id must be'],
    ['a text as the card', { card: 'Pizza' }, 'its card is no object'],
    ['a list as the extended card', { extendedCard: [] }, 'its extendedCard is no object'],
    [
      'an input that is no schema',
      { input: {} },
      'its input is no schema of zod or another library of Standard Schema',
    ],
    ['a JSON Schema as the input', { input: { type: 'object' } }, 'its input is no schema of zod'],
    ['null as its budget', { budget: null }, 'its budget is no object'],
    ['null as its limits', { limits: null }, 'its limits is no object'],
    ['null as its skillConcurrency', { skillConcurrency: null }, 'its skillConcurrency is no object'],
    ['a text for true', { repliesWithMessage: 'yes' }, 'its repliesWithMessage must be true or false'],
  ])('names what is wrong, whatever it is: %s', (_, wrong, text) => {
    const { card } = agentThat(complete);
    const given = wrong && { id: 'pizza', card, execute: complete, ...wrong };
    expect(() => defineAgent(given as unknown as AgentDefinition)).toThrow(text);
  });

  it('names all wrong and unknown fields at once, with what was probably meant', () => {
    const wrong = {
      id: 'Pizza',
      card: { name: '', descripton: 'Bakes.', version: '1.0.0', skills: [] },
      extendedCard: { version: '' },
      concurency: 3,
      tools: {},
      skillConcurrency: { bake: 0, 'no skill': 1 },
      turnTimeoutMs: 0,
      whileWorking: 'wait',
      priority: 'urgent',
      timeToLiveMs: 0.5,
      onFailure: 'log',
      use: [{ aroundturn: complete }, { aroundStep: true }],
      budget: { microUSD: 1, tokens: -1, whenSpent: 'stop' },
      retry: { atempts: 3, backoffMs: 0, maxBackoffMs: -1 },
      limits: { runing: 1, running: 0, runningPerKey: 0, starts: 'often' },
    } as unknown as AgentDefinition;
    let message = '';
    try {
      defineAgent(wrong);
    } catch (error) {
      message = Object(error).message;
    }
    const problems = [
      /its concurency is unknown \(did you mean concurrency\?\)/,
      /its tools is unknown \(there are id, card, .*limits\)/,
      /its id must be/,
      /its card\.descripton is unknown \(did you mean description\?\)/,
      /card\.name: /,
      /card\.description: /,
      /extendedCard\.version: /,
      /its skillConcurrency names "bake", which is no skill/,
      /its skillConcurrency names "no skill"/,
      /its turnTimeoutMs is 0/,
      /its whileWorking is "wait" and must be "queue", "steer" or "reject"/,
      /its priority is "urgent" and must be "high", "normal" or "low"/,
      /its timeToLiveMs is 0\.5/,
      /its execute is missing/,
      /its onFailure is no function/,
      /its use\[0\]\.aroundturn is unknown \(did you mean aroundTurn\?\)/,
      /its use\[1\]\.aroundStep is no function/,
      /its budget\.microUSD is unknown \(did you mean microUsd\?\)/,
      /its budget\.tokens is -1/,
      /its budget\.whenSpent is "stop" and must be "fail" or "ask"/,
      /its retry\.atempts is unknown \(did you mean attempts\?\)/,
      /its retry\.backoffMs is 0/,
      /its retry\.maxBackoffMs is -1/,
      /its limits\.runing is unknown \(did you mean running\?\)/,
      /its limits\.running is 0/,
      /its limits\.runningPerKey is 0/,
      /its limits\.starts is "often"/,
    ];
    expect(problems.filter((problem) => !problem.test(message))).toEqual([]);
  });

  it.each([0, 1.5, Number.NaN, 10_001])('refuses a concurrency of %d', (concurrency) => {
    expect(() => agentThat(complete, { concurrency })).toThrow(/concurrency/);
  });

  it.each([0, 1.5, 604_800_001])('refuses a time to live of %d ms', (timeToLiveMs) => {
    expect(() => agentThat(complete, { timeToLiveMs })).toThrow(/timeToLiveMs/);
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

describe('limits of an agent', () => {
  const limited = (limits: AgentDefinition['limits']) => () =>
    defineAgent({
      id: 'limited',
      card: { name: 'Limited', description: 'Waits.', version: '1.0.0', skills: [] },
      execute: complete,
      ...(limits && { limits }),
    }).limits;

  it('are counted per minute and per key', () => {
    const runningPer = () => 'red';
    expect(limited({ running: 5, runningPer, starts: '10/s' })()).toEqual({
      running: 5,
      runningPer,
      runningPerKey: 1,
      startsPerMinute: 600,
    });
    expect(limited({ starts: '30/h' })()).toEqual({ startsPerMinute: 0.5 });
    expect(limited(undefined)()).toBeUndefined();
  });

  it.each([
    [{ running: 0 }, /limits\.running is 0 and must be a whole number from 1 to 10000/],
    [{ runningPerTenant: 1.5 }, /limits\.runningPerTenant is 1.5/],
    [{ runningPer: () => 'red', runningPerKey: 10_001 }, /limits\.runningPerKey is 10001/],
    [{ runningPerKey: 2 }, /limits\.runningPerKey needs limits\.runningPer/],
    [{ starts: '600' }, /limits\.starts is "600" and must be such as "600\/m"/],
    [{ starts: '0/m' }, /limits\.starts is 0/],
    [{ runing: 5 } as object, /limits\.runing is unknown \(did you mean running\?\)/],
  ])('that are wrong are named: %o', (limits, problem) => {
    expect(limited(limits)).toThrow(problem);
  });
});
