import { freePort } from '@switchyard/local';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type Program, startProgram } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

// `npm run chat`, the client of system 1 of SYSTEMS.md, driven through pipes.

let stack: Stack;
const chats: Chat[] = [];

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['pizza'] });
});

afterEach(async () => {
  await Promise.all(chats.splice(0).map((chat) => chat.end()));
});

afterAll(() => stack.stop());

class Chat {
  readonly #program: Program;

  private constructor(program: Program) {
    this.#program = program;
    chats.push(this);
  }

  static async open(url = '', apiKey = ''): Promise<Chat> {
    const env = { SWITCHYARD_URL: url, API_KEY: apiKey };
    return new Chat(await startProgram({ file: 'apps/cli/src/main.ts', args: ['chat'], env, takesInput: true }));
  }

  /** Everything printed so far, once the last line of it is this one. */
  async say(line: string, answer: string): Promise<string> {
    const { input, output } = this.#program;
    input.write(`${line}\n`);
    const isAnswered = (): boolean => output().endsWith(`${answer}\n`);
    await until(isAnswered, { what: `the agent answers "${answer}" and not ${output()}`, timeoutMs: 20_000 });
    return output();
  }

  /** End of input; the exit code. */
  leave(): Promise<number> {
    this.#program.input.end();
    return this.#program.exited;
  }

  end(): Promise<number> {
    return this.#program.stop(0);
  }
}

describe('the chat client', () => {
  it('holds the conversation, and begins a new one once the pizza is on its way', async () => {
    const chat = await Chat.open(stack.urls[0]);
    await chat.say('I want a pizza', 'What kind?');
    await chat.say('Do you have pineapple?', 'Your Hawaiian pizza is on its way.');
    const everything = await chat.say('I want a pizza', 'What kind?');
    expect(everything).toBe('What kind?\nYour Hawaiian pizza is on its way.\nWhat kind?\n');
    expect(await chat.leave()).toBe(0);
  });

  it('goes on with its conversation when the gateway was replaced between two lines', async () => {
    const port = await freePort();
    const gateway = await stack.addGateway(port);
    const chat = await Chat.open(gateway.url);
    await chat.say('I want a pizza', 'What kind?');
    await gateway.stop();
    await stack.addGateway(port);
    await chat.say('Do you have pineapple?', 'Your Hawaiian pizza is on its way.');
    expect(await chat.leave()).toBe(0);
  });

  it('shows its key to a gateway that wants one, and says so when it has none', async () => {
    const key = 'a-key-of-32-characters-0123456789';
    await using locked = await startStack({
      redisUrl: inject('redisUrl'),
      agents: ['pizza'],
      env: { AUTH: 'api-key', API_KEYS: `${key}:me` },
    });
    const [known, unknown] = await Promise.all([Chat.open(locked.urls[0], key), Chat.open(locked.urls[0])]);
    await known.say('I want a pizza', 'What kind?');
    await unknown.say('I want a pizza', '(Set A2ACLI_API_KEY (or --api-key) or A2ACLI_BEARER (or --bearer).)');
  });

  it('keeps two people at two keyboards apart', async () => {
    const [ada, bob] = await Promise.all([Chat.open(stack.urls[0]), Chat.open(stack.urls[0])]);
    await Promise.all([ada.say('I want a pizza', 'What kind?'), bob.say('I want a pizza', 'What kind?')]);
    await bob.say('Salami', 'Your Salami pizza is on its way.');
    await ada.say('Funghi', 'Your Funghi pizza is on its way.');
  });
});
