import type { z } from 'zod';
import { profiles } from '../profiles/index.ts';
import { flagOf, optionWords } from './words.ts';

const examples = `Examples
  npm run load -- steady
      100 messages a second for 30 s, against a gateway, a worker and a Redis of its own
  npm run load -- ramp --url http://127.0.0.1:4000 --agent echo --max-latency 100ms
      how many messages a second the echo agent of a running gateway answers within 100 ms
  npm run load -- burst --peak 2000 --mode immediate --duration 1m
      every 10 s, 2,000 messages a second for 2 s, not waiting for their tasks
  npm run load -- long-streams --connections 1000 --every 1s
  npm run load -- polling-herd --rate 200 --poll-from 50ms --out /tmp/herd
  LOAD_BEARER=… npm run load -- steady --url https://a2a.staging.example --allow-host a2a.staging.example

Exit code: 0, or 1 with more errors than --max-error-rate (or no rate that holds), or 2 if it could not begin.
Ctrl-C ends a run early, with the report so far.`;

/** The text of `--help`, from what the options say of themselves. */
export function help(): string {
  const [first] = profiles;
  return [
    'npm run load -- <profile> [options]',
    '',
    'Puts an A2A agent under load and says how it bears it. Without --url: a gateway of its own, on this machine.',
    '',
    'Profiles',
    ...profiles.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`),
    '',
    'Options',
    ...(first ? rows(first.commonOptions, isTheSameEverywhere) : []),
    '  --help',
    ...profiles.flatMap(({ name, commonOptions, ownOptions }) => [
      '',
      `Options of ${name}`,
      ...rows(commonOptions, (field) => !isTheSameEverywhere(field)),
      ...rows(ownOptions, () => true),
    ]),
    '',
    examples,
  ].join('\n');
}

function rows({ shape }: z.ZodObject, isShown: (field: string) => boolean): string[] {
  return Object.keys(shape)
    .filter(isShown)
    .map((field) => row(field, shape));
}

function row(field: string, shape: z.ZodObject['shape']): string {
  const { value, what, fallback } = wordsOf(field, shape);
  const flag = `--${flagOf(field)} ${value}`;
  return `  ${flag.padEnd(38)} ${what}${fallback === undefined ? '' : ` (${fallback})`}`;
}

/** What has another default in another profile is listed with each of them. */
function isTheSameEverywhere(field: string): boolean {
  return new Set(profiles.map(({ commonOptions }) => wordsOf(field, commonOptions.shape).fallback)).size === 1;
}

function wordsOf(field: string, shape: z.ZodObject['shape']): { value: string; what: string; fallback?: string } {
  const schema = shape[field];
  const words = schema && optionWords.get(schema as z.ZodType);
  if (!words) throw new Error(`the option ${field} says nothing of itself`);
  return words;
}
