import { describe, expect, it } from 'vitest';
import { readOptions, usage } from '../options.ts';
import { defaultLoad } from '../plan/load.ts';

describe('the options of npm run capacity', () => {
  it('make a plan unless told otherwise', () => {
    expect(readOptions([])).toEqual({ command: 'plan', load: defaultLoad, seed: 1, pictures: undefined });
    expect(readOptions(['simulate', '--seed', '7', '--pictures', 'out'])).toMatchObject({
      command: 'simulate',
      seed: 7,
      pictures: 'out',
    });
  });

  it('say what is to be carried', () => {
    const args = ['--tasks-per-second', '3000', '--utilisation', '0.5', '--retention', '1.5d', '--open-streams', '10'];
    expect(readOptions(args).load).toEqual({
      ...defaultLoad,
      tasksPerSecond: 3_000,
      utilisation: 0.5,
      retentionSeconds: 129_600,
      openStreams: 10,
    });
  });

  it('are refused in words', () => {
    expect(() => readOptions(['--tasks-per-second', 'many'])).toThrow('--tasks-per-second is a number, not many.');
    expect(() => readOptions(['--retention', '7'])).toThrow('--retention is a time such as 1h or 7d, not 7.');
    expect(() => readOptions(['--utilisation', '60'])).toThrow('--utilisation is a share, such as 0.6');
    expect(() => readOptions(['mesure'])).toThrow('There is no mesure.');
    expect(() => readOptions(['--tasks', '1'])).toThrow("Unknown option '--tasks'");
  });

  it('are all explained', () => {
    for (const name of ['tasks-per-second', 'waiting', 'polls-per-second', 'open-streams', 'chunks-per-second'])
      expect(usage).toContain(`--${name}`);
  });
});
