import { parseArgs } from 'node:util';
import { defaultLoad, type Load } from './plan/load.ts';

type Command = 'plan' | 'measure' | 'simulate' | 'help';

export interface Options {
  readonly command: Command;
  readonly load: Load;
  readonly seed: number;
  /** Folder for the pictures of a simulation; unset: none are drawn. */
  readonly pictures: string | undefined;
}

export const usage = `npm run capacity [-- measure | simulate | help] [-- <options>]

  (nothing)   how many gateways, workers and masters of Redis a load takes, from what was measured
  measure     measures anew (two minutes, on a machine that does nothing else), simulates, and writes
              bench/results/capacity.json, its pictures, and the tables of docs/scaling.md
  simulate    a peak, an autoscaler and a fail-over, from what was measured

  --tasks-per-second 1000   --waiting 0.2 (share whose client waits)   --polls-per-second 0
  --open-streams 0          --chunks-per-second 0                      --turn-seconds 1
  --concurrency 100         --utilisation 0.6                          --retention 1h (s, m, h, d)
  --replicas 1              --seed 1 and --pictures <folder> of a simulation
`;

const names = {
  'tasks-per-second': 'tasksPerSecond',
  waiting: 'waiting',
  'polls-per-second': 'pollsPerSecond',
  'open-streams': 'openStreams',
  'chunks-per-second': 'chunksPerSecond',
  'turn-seconds': 'turnSeconds',
  concurrency: 'concurrency',
  utilisation: 'utilisation',
  replicas: 'replicas',
} as const satisfies Record<string, keyof Load>;

const commands: readonly Command[] = ['plan', 'measure', 'simulate', 'help'];
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** @throws {Error} in words that say what is wrong */
export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const known = Object.fromEntries(
    [...Object.keys(names), 'retention', 'seed', 'pictures'].map((name) => [name, text]),
  );
  const { values, positionals } = parseArgs({ args: [...args], options: known, allowPositionals: true });
  const given = Object.entries(names).flatMap(([option, name]) => {
    const value = values[option];
    return value === undefined ? [] : [[name, amount(option, value)]];
  });
  const retention = values.retention === undefined ? {} : { retentionSeconds: duration(values.retention) };
  const load: Load = { ...defaultLoad, ...Object.fromEntries(given), ...retention };
  if (load.utilisation <= 0 || load.utilisation > 1) throw new Error('--utilisation is a share, such as 0.6');
  const pictures = values.pictures === undefined ? undefined : String(values.pictures);
  return { command: commandOf(positionals), load, seed: amount('seed', values.seed ?? '1'), pictures };
}

function commandOf([given = 'plan', ...more]: readonly string[]): Command {
  const command = commands.find((known) => known === given);
  if (more.length || !command) throw new Error(`There is no ${[given, ...more].join(' ')}.`);
  return command;
}

function amount(option: string, value: string | boolean): number {
  const number = Number(value);
  if (value === '' || !Number.isFinite(number) || number < 0) throw new Error(`--${option} is a number, not ${value}.`);
  return number;
}

/** `90m` in seconds. */
function duration(text: string | boolean): number {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(String(text)) ?? [];
  if (count === undefined) throw new Error(`--retention is a time such as 1h or 7d, not ${text}.`);
  return Number(count) * (unitSeconds[unit] ?? 1);
}
