import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Agent } from '@switchyard/agent';
import { isAgent } from '@switchyard/agent/runtime';
import { runTurn } from '@switchyard/agent/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ModelEndpoint, whole } from '../support/model-endpoint.ts';
import { openFolder, writeSnippets } from './snippets.ts';

// Runs the examples of docs/agents.md.

let folder: string;
let files: string[];

beforeAll(async () => {
  ({ folder, files } = await writeSnippets('docs/agents.md', await openFolder()));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(dirname(folder), { recursive: true, force: true });
  await rm(`${tmpdir()}/switchyard-docs`, { recursive: true, force: true });
});

async function load(name: string): Promise<unknown> {
  const module: { default?: unknown } = await import(join(folder, `${name}.ts`));
  return module.default;
}

async function agent(id: string): Promise<Agent> {
  const loaded = await load(id);
  if (!isAgent(loaded)) throw new Error(`the page has no agent ${id}`);
  return loaded;
}

describe('docs/agents.md', () => {
  it('has the tested examples, and no others', () => {
    expect(files).toEqual([
      'hello.ts',
      'reporter.ts',
      'booking.ts',
      'prices.ts',
      'shop.ts',
      'waiter.ts',
      'inspector.ts',
      'clerk.ts',
      'guide.ts',
      'coder.ts',
      'bakery.ts',
      'print-shop.ts',
      'surveyor.ts',
      'timed-shop.ts',
      'pilot.ts',
      'snippet-16.ts',
      'snippet-17.ts',
    ]);
  });

  it('hello.ts greets', async () => {
    expect((await runTurn(await agent('hello'), 'Ada')).answer).toBe('Hello, Ada!');
  });

  it('reporter.ts acknowledges the message, and writes a report', async () => {
    const { results, answer, events } = await runTurn(await agent('reporter'), 'A report');
    expect([results, answer]).toEqual([{ Report: '# Report\nAll is well.\n' }, 'The report is done.']);
    expect(events[0]?.statusUpdate?.status.message?.parts).toEqual([{ text: 'I am on it.' }]);
  });

  it('booking.ts asks for the number of people', async () => {
    const asked = await runTurn(await agent('booking'), 'A table');
    expect(asked.answer).toBe('For how many?');
    expect((await asked.say('Four: 4')).answer).toBe('A table for 4 is booked.');
  });

  it('prices.ts answers, or fails with its own message', async () => {
    const prices = await agent('prices');
    expect((await runTurn(prices, 'Salami')).answer).toBe('9 €');
    expect((await runTurn(prices, 'Tuna')).answer).toBe('We have no Tuna.');
  });

  it('shop.ts calls prices.ts', async () => {
    const shop = await agent('shop');
    expect((await runTurn(shop, 'Salami', { agents: [await agent('prices')] })).answer).toBe('Order 17: 9 €');
  });

  it('inspector.ts shows pictures to its model, inline or at a URL', async () => {
    await using endpoint = new ModelEndpoint(whole({ content: 'The left wing.' }));
    vi.stubEnv('OPENAI_BASE_URL', await endpoint.start());
    const url = 'https://files.example/wing.jpg';
    const parts = [{ text: 'A plane' }, { raw: 'cG5n', mediaType: 'image/png' }, { url, mediaType: 'image/jpeg' }];
    const { answer } = await runTurn(await agent('inspector'), parts, { files: { [url]: 'jpg' } });
    expect(answer).toBe('The left wing.');
    expect(endpoint.requests[0]?.body.messages[0]?.content).toEqual([
      { type: 'text', text: 'What is damaged? A plane' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,cG5n' } },
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,anBn' } },
    ]);
  });

  it('coder.ts runs a program, whose files become artifacts', async () => {
    const { results, events } = await runTurn(await agent('coder'), 'Write the answer');
    expect(results).toEqual({ 'answer.ts': 'let answer = 42\n' });
    expect(JSON.stringify(events)).toContain('## Success criteria\\n\\n- It compiles');
  });

  it('bakery.ts works on data', async () => {
    expect((await runTurn(await agent('bakery'), { data: { size: 'small' } })).answer).toBe('1 small pizza');
  });

  it('surveyor.ts leaves what it has when it fails', async () => {
    const { state, results } = await runTurn(await agent('surveyor'), 'Measure');
    expect([state, results]).toEqual(['TASK_STATE_FAILED', { 'So far': '3 of 9 fields' }]);
  });

  it('timed-shop.ts logs how long its step took', async () => {
    const { answer, log } = await runTurn(await agent('timed-shop'), 'How much?');
    expect([answer, log]).toMatchObject(['9 €', [{ fields: { step: 'price', attempt: 1 } }]]);
  });

  it('print-shop.ts gets the requested skill', async () => {
    const shop = await agent('print-shop');
    const [warming] = (await runTurn(shop, 'A book', { skill: 'print' })).events;
    expect(warming?.statusUpdate?.status.message?.parts).toEqual([{ text: 'The press is warming up' }]);
    expect((await runTurn(shop, 'A book')).events).toHaveLength(1);
  });

  it('the example of tests with runTurn passes', async () => {
    expect(await load('snippet-16')).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      answer: '9 €',
      booked: { answer: 'A table for 4 is booked.' },
      again: { answer: 'A table for 2 is booked.' },
      ordered: { answer: 'Order 17: 9 €' },
      canceled: { state: 'TASK_STATE_CANCELED' },
      steered: { answer: 'Start, left, land' },
    });
  });

  it('the example of a test with testGateway passes', async () => {
    expect(await load('snippet-17')).toMatchObject({ state: 'TASK_STATE_COMPLETED', answer: 'Order 17: 9 €' });
  });
});
