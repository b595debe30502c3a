import { freePort } from '@switchyard/local';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Program, startProgram } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// `npm run chat`, with pipes as its terminal.

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

  /** All output so far, once its last line is this one. */
  async say(line: string, answer: string): Promise<string> {
    const { input, output } = this.#program;
    input.write(`${line}\n`);
    const isAnswered = (): boolean => output().endsWith(`${answer}\n`);
    await until(isAnswered, { what: `the agent answers "${answer}" and not ${output()}`, timeoutMs: 20_000 });
    return output();
  }

  /** Closes standard input. @returns the exit code */
  leave(): Promise<number> {
    this.#program.input.end();
    return this.#program.exited;
  }

  end(): Promise<number> {
    return this.#program.stop(0);
  }
}

describe('the chat client', () => {
  it('continues its conversation, and begins a new one once the task is completed', async () => {
    const chat = await Chat.open(stack.urls[0]);
    await chat.say('I want a pizza', 'What kind?');
    await chat.say('Do you have pineapple?', 'Your Hawaiian pizza is on its way.');
    const everything = await chat.say('I want a pizza', 'What kind?');
    expect(everything).toBe('What kind?\nYour Hawaiian pizza is on its way.\nWhat kind?\n');
    expect(await chat.leave()).toBe(0);
  });

  it('continues its conversation after the gateway was replaced between two lines', async () => {
    const port = await freePort();
    const gateway = await stack.addGateway(port);
    const chat = await Chat.open(gateway.url);
    await chat.say('I want a pizza', 'What kind?');
    await gateway.stop();
    await stack.addGateway(port);
    await chat.say('Do you have pineapple?', 'Your Hawaiian pizza is on its way.');
    expect(await chat.leave()).toBe(0);
  });

  it('sends its key to a gateway that requires one, and reports a missing key', async () => {
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

  it('keeps the conversations of two users apart', async () => {
    const [ada, bob] = await Promise.all([Chat.open(stack.urls[0]), Chat.open(stack.urls[0])]);
    await Promise.all([ada.say('I want a pizza', 'What kind?'), bob.say('I want a pizza', 'What kind?')]);
    await bob.say('Salami', 'Your Salami pizza is on its way.');
    await ada.say('Funghi', 'Your Funghi pizza is on its way.');
  });
});
