import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../tests/support/command-line.ts';

const line = {
  usage: '',
  counts: { tasks: 10, 'fail-overs': 2 },
  flags: ['save'],
  names: ['accept', 'drain'],
} as const;

describe('the command line of a tool', () => {
  test('has defaults', () => {
    expect(parseCommandLine(line, [])).toEqual({ counts: { tasks: 10, 'fail-overs': 2 }, flags: new Set(), names: [] });
  });

  test('is read in any order', () => {
    const { counts, flags, names } = parseCommandLine(line, ['drain', '--fail-overs', '0', '--save', 'accept']);
    expect(counts).toEqual({ tasks: 10, 'fail-overs': 0 });
    expect([...flags, ...names]).toEqual(['save', 'drain', 'accept']);
  });

  test.each([
    [['--tasks', 'many'], '--tasks is a whole number, not many'],
    [['--tasks', '-1'], /'--tasks' argument is ambiguous/],
    [['--tasks=1.5'], '--tasks is a whole number, not 1.5'],
    [['--colour'], /Unknown option '--colour'/],
    [['fast'], 'There is no fast, but accept, drain'],
  ])('says what is wrong with %j', (args, words) => {
    expect(() => parseCommandLine(line, args)).toThrow(words);
  });

  test('takes no names where there are none', () => {
    expect(() => parseCommandLine({ usage: '', counts: {} }, ['fast'])).toThrow('fast: not understood');
  });
});
