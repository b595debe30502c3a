import { runTurn } from '@switchyard/agent/testing';
import { remoteExecutor } from '@switchyard/executor-remote';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentThat } from '../support/agent-that.ts';
import { type Outcome, scriptOf } from './support/agent-scripts.ts';
import { Chance, firstSeed, streams } from './support/chance.ts';
import { type AgentScript, type Binding, OddAgent, type Version } from './support/odd-agent.ts';

let agent: OddAgent;
beforeAll(async () => {
  agent = await OddAgent.start();
});
afterAll(() => agent[Symbol.asyncDispose]());

const text = 'Zwei Pizzen 🍕🍕 für हिन्दी: "gut",\n\tsofort.\\ \u2028 fi\u0301n';
const outcomes: readonly [Outcome, ...Outcome[]] = [
  { state: 'COMPLETED', said: text },
  { state: 'COMPLETED', said: 'Done', artifacts: [text] },
  { state: 'COMPLETED', said: text, artifacts: [text.repeat(20), '{"a":[1,null]}'] },
  { state: 'INPUT_REQUIRED', said: 'Which size, 30 or 40?', artifacts: [] },
  { state: 'FAILED', said: 'The oven is cold 🧊', artifacts: ['half'] },
];

/** What the turn shows of the agent's answer. */
async function ask(script: AgentScript) {
  agent.follow(script);
  const settings = { cardUrl: `${agent.url}/card.json`, pollEveryMs: 5, retryBudgetMs: 2_000 };
  const { task } = await runTurn(agentThat(remoteExecutor(settings)), 'A pizza, please');
  return {
    state: task.status.state.replace('TASK_STATE_', ''),
    said: task.status.message?.parts.map((part) => part.text).join(''),
    artifacts: task.artifacts?.map(({ parts }) => parts.map((part) => part.text).join('')) ?? [],
  };
}

describe("a remote agent's answer in an odd form", () => {
  it(`has the same result (${streams} streams from seed ${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + streams; seed++) {
      const chance = new Chance(seed);
      const outcome = chance.pick(outcomes);
      const way = {
        binding: chance.pick<Binding>(['JSONRPC', 'HTTP+JSON']),
        version: chance.pick<Version>(['1.0', '0.3']),
        streams: !chance.oneIn(4),
      };
      const got = await ask({ ...way, ...scriptOf(outcome, way, chance), seed });
      expect({ seed, way, ...got }).toEqual({ seed, way, artifacts: [], ...outcome });
    }
  });
});
