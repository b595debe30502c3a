import { type Agent, defineAgent } from '@switchyard/agent';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../../tests/support/process.ts';
import pizza from '../agent.ts';
import { ChatClient } from '../chat-client.ts';
import { StandInGateway } from './stand-in-gateway.ts';

const storyteller = defineAgent({
  id: 'storyteller',
  card: { name: 'Storyteller', description: 'Tells a story.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await turn.working('Once upon a time');
    const story = turn.artifact({ name: 'Story' });
    await story.pipe(['there was ', 'a queue']);
    await story.finish();
    return turn.complete('The end');
  },
});

async function openChat(agent: Agent) {
  const gateway = new StandInGateway(agent);
  const client = new ChatClient(await gateway.start());
  const say = async (line: string) => {
    let words = '';
    for await (const more of client.say(line)) words += more;
    return words;
  };
  return { gateway, client, say, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

describe('the chat client', () => {
  it('keeps both ids while the task is open, and forgets them once it is completed', async () => {
    await using chat = await openChat(pizza);
    expect(await chat.say('I want a pizza')).toBe('What kind?\n');
    const { taskId, contextId } = chat.client.ids;
    expect(await chat.say('Do you have pineapple?')).toBe('Your Hawaiian pizza is on its way.\n');
    expect(chat.gateway.received).toEqual([
      [undefined, undefined],
      [taskId, contextId],
    ]);
    expect(chat.client.ids).toEqual({ taskId: undefined, contextId: undefined });
  });

  it('prints artifacts as they grow, and each thing once', async () => {
    await using chat = await openChat(storyteller);
    const story = 'Once upon a time\nthere was a queue\nThe end\n';
    expect(await chat.say('Tell me a story')).toBe(story);
    expect(await chat.say('Once more')).toBe(story);
  });

  it("prints the gateway's refusal, and begins a new task when its task is gone", async () => {
    await using chat = await openChat(pizza);
    await chat.say('I want a pizza');
    chat.gateway.forget();
    await expect(chat.say('Funghi')).rejects.toThrow('The task does not exist.');
    expect(await chat.say('Funghi')).toBe('Your Funghi pizza is on its way.\n');
  });
});

describe('npm run chat', () => {
  async function run(url: string, input: string) {
    const env = { SWITCHYARD_URL: url };
    const chat = await startProgram({ file: 'examples/pizza/chat.ts', env, takesInput: true });
    chat.input.end(input);
    const code = await chat.exited;
    return { output: chat.output(), code };
  }

  it('holds the conversation that is piped into it', async () => {
    await using gateway = new StandInGateway(pizza);
    const { output, code } = await run(await gateway.start(), 'I want a pizza\nDo you have pineapple?\nSalami\n');
    expect(output).toBe('What kind?\nYour Hawaiian pizza is on its way.\nYour Salami pizza is on its way.\n');
    expect(code).toBe(0);
  });

  it('reports that the gateway does not answer', async () => {
    const gateway = new StandInGateway(pizza);
    const url = await gateway.start();
    await gateway[Symbol.asyncDispose]();
    const { output, code } = await run(url, 'Hello\n');
    expect(output).toMatch(new RegExp(`^! ${url}: fetch failed: .*ECONNREFUSED`));
    expect(code).toBe(1);
  });
});
