import { helpOf, nameOf, type Options, type Typed, typed } from '../options.ts';
import { longStreams } from './profiles/long-streams.ts';
import { pollingHerd } from './profiles/polling-herd.ts';
import type { PlannedRun, Profile } from './profiles/profile.ts';
import { ramp } from './profiles/ramp.ts';
import { burst, steady } from './profiles/steady.ts';

export const profiles: readonly Profile[] = [steady, burst, ramp, longStreams, pollingHerd];

/** The command line cannot be followed; the message names everything that is wrong with it. */
export class BadOptions extends Error {
  override readonly name = 'BadOptions';

  constructor(problems: readonly string[]) {
    super([...problems, 'npm run load -- --help says what there is.'].join('\n'));
  }
}

/** @param secrets from the environment; what is typed counts more  @throws {BadOptions} */
export function readOptions(args: readonly string[], secrets: Readonly<Record<string, string>>): PlannedRun | 'help' {
  const { options, words } = typed(args, Object.assign({}, ...profiles.map(optionsOf)));
  if (options.help !== undefined || words[0] === 'help') return 'help';
  const [name, ...others] = words;
  const profile = profiles.find((one) => one.name === name);
  const names = profiles.map((one) => one.name).join(', ');
  if (!profile)
    throw new BadOptions([
      name ? `${name}: there is no such profile, but ${names}` : `Name a profile: one of ${names}`,
    ]);
  const unknown = [
    ...others.map((text) => `${text}: not understood`),
    ...unknownOptions(profile, options),
    ...(options.url !== undefined && options.workers !== undefined
      ? ['--workers are those of the own gateway; --url names another one']
      : []),
  ];
  const plan = profile.plan({ ...byName(secrets), ...options });
  if ('run' in plan && unknown.length === 0) return plan;
  throw new BadOptions([...unknown, ...('run' in plan ? [] : plan)]);
}

const byName = (values: Readonly<Record<string, string>>): Typed['options'] =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [nameOf(field), value]));
const optionsOf = ({ commonOptions, ownOptions }: Profile): Options => ({ ...commonOptions, ...ownOptions });
const has = (profile: Profile, name: string): boolean => Object.keys(optionsOf(profile)).map(nameOf).includes(name);

function unknownOptions(profile: Profile, options: Typed['options']): string[] {
  return Object.keys(options)
    .filter((name) => !has(profile, name))
    .map((name) => {
      const owners = profiles.filter((one) => has(one, name)).map((one) => one.name);
      return owners.length === 0
        ? `--${name}: there is no such option`
        : `--${name}: ${profile.name} has no such option, only ${owners.join(' and ')}`;
    });
}

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

/** The text of `--help`. */
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
    ...(first ? helpOf(pick(first.commonOptions, isTheSameEverywhere)) : []),
    '  --help',
    ...profiles.flatMap(({ name, commonOptions, ownOptions }) => [
      '',
      `Options of ${name}`,
      ...helpOf({ ...pick(commonOptions, (field) => !isTheSameEverywhere(field)), ...ownOptions }),
    ]),
    '',
    examples,
  ].join('\n');
}

const pick = (options: Options, isShown: (field: string) => boolean): Options =>
  Object.fromEntries(Object.entries(options).filter(([field]) => isShown(field)));

/** What has another default in another profile is listed with each of them. */
function isTheSameEverywhere(field: string): boolean {
  return new Set(profiles.map(({ commonOptions }) => commonOptions[field]?.fallback)).size === 1;
}
