import { runTurn } from '@switchyard/agent/testing';
import { describe, expect, it, vi } from 'vitest';
import pizza from '../agent.ts';

vi.hoisted(() => {
  delete process.env.OPENAI_API_KEY;
  delete process.env.OPENAI_BASE_URL;
});

describe('the pizza desk', () => {
  it('asks for the kind, then takes the order, with the whole conversation in its history', async () => {
    const first = await runTurn(pizza, 'I want a pizza');
    expect([first.task.status.state, first.answer]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'What kind?']);
    const second = await first.say('Do you have pineapple?');
    expect([second.task.status.state, second.answer]).toEqual([
      'TASK_STATE_COMPLETED',
      'Your Hawaiian pizza is on its way.',
    ]);
    expect(second.task.history?.map(({ role, parts: [part] }) => [role, part?.text])).toEqual([
      ['ROLE_USER', 'I want a pizza'],
      ['ROLE_AGENT', 'What kind?'],
      ['ROLE_USER', 'Do you have pineapple?'],
      ['ROLE_AGENT', 'Your Hawaiian pizza is on its way.'],
    ]);
  });

  it('asks nothing when the kind is clear', async () => {
    expect((await runTurn(pizza, 'One margherita')).answer).toBe('Your Margherita pizza is on its way.');
  });

  it('offers the menu when it does not know the kind', async () => {
    const asked = await runTurn(pizza, 'I want a pizza');
    const { answer, task } = await asked.say('Something with bananas');
    expect(answer).toBe('We have Hawaiian, Margherita, Salami, Funghi, Quattro Formaggi. Which one?');
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('keeps two conversations apart', async () => {
    const [ada, bob] = await Promise.all([runTurn(pizza, 'I want a pizza'), runTurn(pizza, 'I want a pizza')]);
    const answers = await Promise.all([ada.say('Salami'), bob.say('Mushrooms')]);
    expect(answers.map(({ answer }) => answer)).toEqual([
      'Your Salami pizza is on its way.',
      'Your Funghi pizza is on its way.',
    ]);
  });
});
