import { defineAgent } from '@switchyard/agent';
import { testGateway } from '@switchyard/cli/testing';
import { expect, inject, it } from 'vitest';
import { until } from '../support/until.ts';

const card = { name: 'Limited', description: 'Has limits.', version: '1.0.0', skills: [] };
const configuration = { returnImmediately: true };

/** An agent whose turns go on when the test says so. */
function heldAgent(limits: Parameters<typeof defineAgent>[0]['limits']) {
  const begun: string[] = [];
  const held = new Map<string, PromiseWithResolvers<void>>();
  const agent = defineAgent({
    id: 'held',
    card,
    ...(limits && { limits }),
    async execute(turn) {
      begun.push(turn.text);
      if (turn.text.startsWith('wait')) return turn.complete(`paid ${await turn.waitFor('payment')}`);
      const going = Promise.withResolvers<void>();
      held.set(turn.text, going);
      await going.promise;
      return turn.complete();
    },
  });
  return { agent, begun, go: (text: string) => held.get(text)?.resolve() };
}

it('a suspended turn holds no place, and takes one again to go on', async () => {
  const { agent, begun, go } = heldAgent({ running: 1 });
  await using gateway = await testGateway({ agents: [agent], redisUrl: inject('redisUrl') });
  const waiting = await gateway.send('wait', { configuration });
  await until(() => begun.length === 1, { what: 'the first turn begins' });
  await gateway.send('other', { configuration });
  await until(() => begun.length === 2, { what: 'another turn begins while the first one is suspended' });
  const paid = waiting.give('payment', 'five');
  await gateway.send('third', { configuration });
  expect(begun).toEqual(['wait', 'other']);
  go('other');
  expect((await paid).answer).toBe('paid five');
  await until(() => begun.length === 4, { what: 'the last turn begins' });
  expect(begun.toSorted()).toEqual(['other', 'third', 'wait', 'wait']);
  go('third');
});

it('turns with the same key run one after the other, and a key that cannot be made is none', async () => {
  const errors: unknown[] = [];
  const runningPer = ({ parts }: { readonly parts: readonly { readonly text?: string }[] }): string => {
    const key = parts[0]?.text?.split(' ')[0] ?? '';
    if (key === 'broken') throw new Error('no key');
    return key;
  };
  const { agent, begun, go } = heldAgent({ runningPer });
  const onError = (error: unknown): void => void errors.push(error);
  await using gateway = await testGateway({ agents: [agent], redisUrl: inject('redisUrl'), onError });
  await gateway.send('red 1', { configuration });
  await until(() => begun.length === 1, { what: 'the first turn begins' });
  for (const text of ['red 2', 'broken 1', 'broken 2', 'green 1']) await gateway.send(text, { configuration });
  await until(() => begun.length === 4, { what: 'the turns of other keys begin' });
  expect(begun.toSorted()).toEqual(['broken 1', 'broken 2', 'green 1', 'red 1']);
  expect(String(errors[0])).toContain('no key');
  go('red 1');
  await until(() => begun.includes('red 2'), { what: 'the next turn of the key begins' });
  for (const text of begun) go(text);
});
