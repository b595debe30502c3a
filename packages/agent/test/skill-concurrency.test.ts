import { expect, it } from 'vitest';
import { defineAgent } from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

const skill = (id: string) => ({ id, name: id, description: id, tags: [] });

function define(skillConcurrency: Record<string, number>) {
  return defineAgent({
    id: 'shop',
    card: { name: 'Shop', description: 'Prints.', version: '1.0.0', skills: [skill('print'), skill('a b')] },
    extendedCard: { skills: [skill('refund')] },
    skillConcurrency,
    execute: (turn) => turn.complete(turn.skill ?? 'none'),
  });
}

it('skills of the card and of the extended card can have their own concurrency', () => {
  expect(define({ print: 2, refund: 1 }).skillConcurrency).toEqual({ print: 2, refund: 1 });
});

it.each([
  [{ fly: 1 }, '"fly", which is no skill of its card'],
  [{ print: 0 }, 'skillConcurrency.print is 0 and must be a whole number from 1 to 10000'],
  [{ 'a b': 1 }, '"a b": the id must be letters, digits'],
])('the skillConcurrency %j is refused: %s', (skillConcurrency, problem) => {
  expect(() => define(skillConcurrency)).toThrow(problem);
});

it('turn.skill is the skill that the message names', async () => {
  const { task } = await runTurn(define({}), 'hello', { skill: 'print' });
  expect(task.status.message?.parts[0]?.text).toBe('print');
});
