import { describe, expect, it } from 'vitest';
import { BadOptions, help, type PlannedRun, profiles, readOptions } from '../command-line.ts';
import { words } from './support/run-load.ts';

function plan(line: string, secrets: { apiKey?: string; bearer?: string } = {}): PlannedRun {
  const command = readOptions(words(line), secrets);
  if (command === 'help') throw new Error('it wants to help');
  return command;
}

function problemsOf(line: string): string[] {
  try {
    plan(line);
  } catch (error) {
    if (error instanceof BadOptions) return error.message.split('\n').slice(0, -1);
    throw error;
  }
  return [];
}

describe('options', () => {
  it('have defaults in every profile', () => {
    for (const { name } of profiles)
      expect(plan(name).options).toMatchObject({ timeoutMs: 10_000, maxErrorRateShare: 0.01 });
    expect(plan('steady').options).toMatchObject({ durationMs: 30_000, rate: 100, connections: 200, seed: 1 });
  });

  it('are parsed with their units: times, percentages', () => {
    const line = 'steady --duration 2m --timeout 500ms --warm-up 0 --settle 1.5s --max-error-rate 0.5% --rate 12.5';
    expect(plan(line).options).toMatchObject({
      durationMs: 120_000,
      timeoutMs: 500,
      warmUpMs: 0,
      settleMs: 1_500,
      maxErrorRateShare: 0.005,
      rate: 12.5,
    });
  });

  it('are all named in the error when they are wrong, each with the reason', () => {
    const line =
      'burst now --rate fast --duration 2h --url nowhere --connections 0 --step 3s --colour red --mode slow --seed';
    expect(problemsOf(line).toSorted()).toEqual(
      [
        'now: not understood',
        '3s: not understood',
        'red: not understood',
        '--step: there is no such option',
        '--colour: there is no such option',
        '--url nowhere: must be a URL such as http://127.0.0.1:4000, without a name and a query',
        '--duration 2h: must be a time such as 30s, 500ms or 2m',
        '--rate fast: must be a number',
        '--connections 0: must be from 1 to 20000',
        '--seed needs a value',
        '--mode slow: must be blocking, immediate or stream',
      ].toSorted(),
    );
  });

  it.each([
    ['burst --burst-length 3s --burst-every 2s', '--burst-length must be shorter than --burst-every'],
    ['burst --duration 5s', '--burst-every must not be longer than --duration, or there is no burst'],
    ['burst --rate 600', '--peak must be higher than --rate'],
    ['ramp --rate 100 --peak 50', '--peak must not be lower than --rate, where the ramp begins'],
    ['ramp --duration 2s', '--step must not be longer than --duration'],
    ['polling-herd --poll-from 3s', '--poll-to must not be shorter than --poll-from'],
    [
      'steady --url http://127.0.0.1:4000 --workers 2',
      '--workers is for the gateway that is started; --url names another one',
    ],
    ['', 'Name a profile: one of steady, burst, ramp, long-streams, polling-herd'],
    ['stedy', 'stedy: there is no such profile, but steady, burst, ramp, long-streams, polling-herd'],
  ])('%s is refused', (line, problem) => {
    expect(problemsOf(line)).toEqual([problem]);
  });

  it('have upper bounds', () => {
    const most = { duration: '61m', rate: '50001', connections: '20001', timeout: '11m', workers: '17', settle: '11m' };
    const line = Object.entries(most).map(([flag, value]) => `--${flag} ${value}`);
    expect(problemsOf(`steady ${line.join(' ')}`)).toHaveLength(line.length);
  });

  it('read secrets from the environment unless they are given', () => {
    expect(plan('steady', { apiKey: 'a', bearer: 'b' }).options).toMatchObject({ apiKey: 'a', bearer: 'b' });
    expect(plan('steady --bearer c', { bearer: 'b' }).options.bearer).toBe('c');
  });
});

describe('--help', () => {
  it('describes every profile and every option', () => {
    const text = help();
    expect(text).toMatch(/^switchyard load <profile>/);
    expect(text).not.toContain('npm run');
    for (const { name, summary } of profiles) expect(text).toContain(`${name.padEnd(14)} ${summary}`);
    for (const flag of [
      'url',
      'allow-host',
      'max-error-rate',
      'burst-every',
      'max-latency',
      'poll-to',
      'every',
      'mode',
    ])
      expect(text).toMatch(new RegExp(`^  --${flag} <?[a-z|]+>? +\\S`, 'm'));
  });

  it.each(['--help', 'steady --help', 'steady -h', 'help', 'nonsense --help'])('is printed for %s', (line) => {
    expect(readOptions(words(line), {})).toBe('help');
  });
});
