import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { freePort } from '../../scripts/processes/free-port.ts';
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

afterEach(() => {
  for (const chat of chats.splice(0)) chat.end();
});

afterAll(() => stack.stop());

class Chat {
  readonly #program: ChildProcessWithoutNullStreams;
  #output = '';

  constructor(url: string) {
    const { PATH = '' } = process.env;
    this.#program = spawn(process.execPath, ['examples/pizza/chat.ts'], { env: { PATH, SWITCHYARD_URL: url } });
    this.#program.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    chats.push(this);
  }

  /** Everything printed so far, once the last line of it is this one. */
  async say(line: string, answer: string): Promise<string> {
    this.#program.stdin.write(`${line}\n`);
    const isAnswered = (): boolean => this.#output.endsWith(`${answer}\n`);
    await until(isAnswered, { what: `the agent answers "${answer}" and not ${this.#output}`, timeoutMs: 20_000 });
    return this.#output;
  }

  /** End of input; the exit code. */
  async leave(): Promise<unknown> {
    this.#program.stdin.end();
    const [code] = await once(this.#program, 'exit');
    return code;
  }

  end(): void {
    this.#program.kill('SIGKILL');
  }
}

describe('the chat client', () => {
  it('holds the conversation, and begins a new one once the pizza is on its way', async () => {
    const chat = new Chat(stack.urls[0] ?? '');
    await chat.say('I want a pizza', 'What kind?');
    await chat.say('Do you have pineapple?', 'Your Hawaiian pizza is on its way.');
    const everything = await chat.say('I want a pizza', 'What kind?');
    expect(everything).toBe('What kind?\nYour Hawaiian pizza is on its way.\nWhat kind?\n');
    expect(await chat.leave()).toBe(0);
  });

  it('goes on with its conversation when the gateway was replaced between two lines', async () => {
    const port = await freePort();
    const gateway = await stack.addGateway(port);
    const chat = new Chat(gateway.url);
    await chat.say('I want a pizza', 'What kind?');
    await gateway.stop();
    await stack.addGateway(port);
    await chat.say('Do you have pineapple?', 'Your Hawaiian pizza is on its way.');
    expect(await chat.leave()).toBe(0);
  });

  it('keeps two people at two keyboards apart', async () => {
    const [ada, bob] = [new Chat(stack.urls[0] ?? ''), new Chat(stack.urls[0] ?? '')];
    await Promise.all([ada.say('I want a pizza', 'What kind?'), bob.say('I want a pizza', 'What kind?')]);
    await bob.say('Salami', 'Your Salami pizza is on its way.');
    await ada.say('Funghi', 'Your Funghi pizza is on its way.');
  });
});
