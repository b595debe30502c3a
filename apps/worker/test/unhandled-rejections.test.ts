import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { Desk } from './support/desk.ts';

let worker: Program;
let desks: Desk[];

beforeEach(async () => {
  const prefix = uniquePrefix();
  const redisUrl = inject('redisUrl');
  worker = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'tests/support/agents/forgetful.ts'],
    env: { REDIS_URL: redisUrl, KEY_PREFIX: prefix, DRAIN_MS: '0' },
  });
  await worker.waitFor(/"event":"started"/, 20_000);
  desks = await Promise.all([1, 2].map(() => Desk.open({ redisUrl, prefix, agent: 'forgetful' })));
});

afterEach(async () => {
  await worker.stop();
  await Promise.all(desks.map((desk) => desk.close()));
});

const ask = (desk: number, text: string): Promise<string> | undefined => desks[desk]?.ask(text);

describe('the rejection of a promise that an agent did not await', () => {
  it.each(['forget', 'forget in a step'])('fails its turn at once, and no other turn: %s', async (text) => {
    const [slow, failed] = await Promise.all([ask(0, 'slowly'), ask(1, text)]);
    expect(failed).toBe('The agent failed unexpectedly.');
    expect(slow).toBe('done: slowly');
    await worker.waitFor(/"event":"unhandled-rejection","agent":"forgetful","task":"[^"]+".*nobody awaits the look-up/);
    expect(worker.isRunning()).toBe(true);
  });

  it('changes nothing if its turn has already ended', async () => {
    expect(await ask(0, 'forget and complete')).toBe('done: forget and complete');
    await worker.waitFor(
      /unhandled-rejection.*nobody awaits the look-up of the bill.*its turn had its outcome already/,
    );
    expect(await ask(0, 'still here')).toBe('done: still here');
  });

  it('ends the worker with a log line if it belongs to no turn', async () => {
    const answer = ask(0, 'reject for nobody');
    expect(await worker.exited).toBe(70);
    expect(worker.output()).toMatch(/of no turn.*"msg":"an error that belongs to no turn: the worker ends"/);
    answer?.catch(() => undefined);
  });
});
