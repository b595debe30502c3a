import { expect, it } from 'vitest';
import { readableLines } from '../src/log/readable-lines.ts';

const readable = readableLines({ isColored: false, folder: '/' });
const text = 'the \u001b]0;title\u0007 of a \u202eclient';
const turn = { time: 0, agent: 'pizza', task: 't', msg: 'turn ended' };

it.each([
  ['what an agent logs', { level: 30, time: 0, event: 'agent-log', agent: 'pizza', msg: text, fields: { text } }],
  ['the error of a turn', { ...turn, level: 40, event: 'turn-ended', err: { type: 'Error', message: text } }],
  ['any other line', { level: 40, time: 0, msg: 'refused', reason: text }],
])('escapes control characters of a text in %s', (_, line) => {
  const shown = readable(JSON.stringify(line));
  expect(shown).toContain('the \\u001b]0;title\\u0007 of a \\u202eclient');
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
});
