import { describe, expect, test } from 'vitest';
import { count, flag, parseCommandLine, settings } from '../options.ts';

const line = {
  options: {
    tasks: count('', '10'),
    failOvers: count('', '2'),
    save: flag(''),
  },
  names: ['accept', 'drain'],
};

describe('the command line of a tool', () => {
  test('has defaults', () => {
    expect(parseCommandLine(line, [])).toEqual({ options: { tasks: 10, failOvers: 2, save: false }, names: [] });
  });

  test('accepts options and names in any order', () => {
    expect(parseCommandLine(line, ['drain', '--fail-overs', '0', '--save', 'accept'])).toEqual({
      options: { tasks: 10, failOvers: 0, save: true },
      names: ['drain', 'accept'],
    });
  });

  test('accepts settings as NAME=value', () => {
    const withEnv = { ...line, options: { env: settings('') } };
    expect(parseCommandLine(withEnv, ['--env', 'TRACES=otlp,TRACES_URL=http://a/?b=c'])).toEqual({
      options: { env: { TRACES: 'otlp', TRACES_URL: 'http://a/?b=c' } },
      names: [],
    });
    expect(parseCommandLine(withEnv, ['--env', 'TRACES'])).toEqual([
      '--env TRACES: must be NAME=value, with commas between',
    ]);
  });

  test.each([
    [['--tasks', 'many'], '--tasks many: must be a whole number'],
    [['--tasks=1.5'], '--tasks 1.5: must be a whole number'],
    [['--tasks'], '--tasks needs a value'],
    [['--colour'], '--colour: there is no such option'],
    [['fast'], 'fast: not understood'],
  ])('reports what is wrong with %j', (args, problem) => {
    expect(parseCommandLine(line, args)).toEqual([problem]);
  });
});
