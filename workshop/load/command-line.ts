import { helpOf, parseCommandLine } from '../options.ts';
import { type CommonOptions, commonOptions, type Profile } from './profile.ts';
import { burst, pollingHerd, steady } from './profiles.ts';
import { ramp } from './ramp.ts';
import { longStreams } from './streams.ts';

export const profiles: readonly Profile[] = [steady, burst, ramp, longStreams, pollingHerd];

/** A profile with all its options. */
export interface PlannedRun {
  readonly profile: Profile;
  readonly options: CommonOptions & Readonly<Record<string, unknown>>;
}

/** The command line is invalid; the message names every problem. */
export class BadOptions extends Error {
  override readonly name = 'BadOptions';

  constructor(problems: readonly string[]) {
    super([...problems, 'switchyard load --help lists profiles and options.'].join('\n'));
  }
}

/** @param secrets from the environment; options on the command line take precedence  @throws {BadOptions} */
export function readOptions(
  [name, ...args]: readonly string[],
  secrets: Partial<Pick<CommonOptions, 'apiKey' | 'bearer'>>,
): PlannedRun | 'help' {
  if (name === 'help' || [name, ...args].some((one) => one === '--help' || one === '-h')) return 'help';
  const profile = profiles.find((one) => one.name === name);
  if (!profile) {
    const names = profiles.map((one) => one.name).join(', ');
    throw new BadOptions([
      name ? `${name}: there is no such profile, but ${names}` : `Name a profile: one of ${names}`,
    ]);
  }
  const given = parseCommandLine({ options: { ...commonOptions(profile.defaults), ...profile.options } }, args);
  if (Array.isArray(given)) throw new BadOptions(given);
  const { apiKey = secrets.apiKey, bearer = secrets.bearer } = given.options;
  const options = { ...given.options, apiKey, bearer };
  const contradictions = profile.contradictions?.(options) ?? [];
  if (options.url && options.workers !== undefined)
    contradictions.push('--workers is for the gateway that is started; --url names another one');
  if (contradictions.length > 0) throw new BadOptions(contradictions);
  return { profile, options };
}

const examples = `Examples
  switchyard load steady
      100 messages a second for 30 s, against a gateway, a worker and a Redis of its own
  switchyard load ramp --url http://127.0.0.1:4000 --agent echo --max-latency 100ms
      how many messages a second the echo agent of a running gateway answers within 100 ms
  switchyard load burst --peak 2000 --mode immediate --duration 1m
      every 10 s, 2,000 messages a second for 2 s, not waiting for their tasks
  switchyard load long-streams --connections 1000 --every 1s
  switchyard load polling-herd --rate 200 --poll-from 50ms --out /tmp/herd
  LOAD_BEARER=… switchyard load steady --url https://a2a.staging.example --allow-host a2a.staging.example

Exit code: 0, or 1 with more errors than --max-error-rate (or no rate that holds), or 2 if it could not begin.
Ctrl-C ends a run early, with the report so far.`;

/** The text of `--help`. */
export function help(): string {
  const defaultsOf = ({ defaults }: Profile): string =>
    Object.entries(defaults)
      .map(([name, value]) => ` --${name} ${value}`)
      .join('');
  return [
    'switchyard load <profile> [options]',
    '',
    'Load test of an A2A agent. Without --url it starts a gateway, a worker and a Redis on this machine.',
    '',
    'Profiles, and their defaults',
    ...profiles.map((one) => `  ${one.name.padEnd(14)} ${one.summary} (${defaultsOf(one).trim()})`),
    '',
    'Options',
    ...helpOf(commonOptions({})),
    '  --help',
    ...profiles.flatMap(({ name, options }) =>
      Object.keys(options).length > 0 ? ['', `Options of ${name}`, ...helpOf(options)] : [],
    ),
    '',
    examples,
  ].join('\n');
}
