import { parseArgs } from 'node:util';
import { profiles } from '../profiles/index.ts';
import type { OptionTexts, PlannedRun, Profile } from '../profiles/profile.ts';
import { flagOf } from './words.ts';

/** The command line cannot be followed; the message names everything that is wrong with it. */
export class BadOptions extends Error {
  override readonly name = 'BadOptions';

  constructor(problems: readonly string[]) {
    super([...problems, 'npm run load -- --help says what there is.'].join('\n'));
  }
}

export type Command = PlannedRun | 'help';

/** @param secrets from the environment; what is typed counts more  @throws {BadOptions} */
export function readOptions(args: readonly string[], secrets: OptionTexts): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: flags(),
    strict: false,
    allowPositionals: true,
  });
  if (values.help !== undefined || positionals[0] === 'help') return 'help';
  const [name, ...others] = positionals;
  const profile = profiles.find((one) => one.name === name);
  if (!profile)
    throw new BadOptions([
      name ? `${name}: there is no such profile, but ${names()}` : `Name a profile: one of ${names()}`,
    ]);
  const texts = { ...secrets, ...byField(values) };
  const strangers = [
    ...others.map((text) => `${text}: not understood`),
    ...unknown(profile, values),
    ...(values.url !== undefined && values.workers !== undefined
      ? ['--workers are those of the own gateway; --url names another one']
      : []),
  ];
  const plan = profile.plan(texts);
  if (isPlan(plan) && strangers.length === 0) return plan;
  throw new BadOptions([...strangers, ...(isPlan(plan) ? [] : plan)]);
}

const names = (): string => profiles.map((profile) => profile.name).join(', ');

function isPlan(plan: PlannedRun | readonly string[]): plan is PlannedRun {
  return 'run' in plan;
}

function fieldsOf({ commonOptions, ownOptions }: Profile): string[] {
  return [...Object.keys(commonOptions.shape), ...Object.keys(ownOptions.shape)];
}

/** Of all profiles: which of them an option belongs to is said in better words below. */
function flags(): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  const all = profiles.flatMap(fieldsOf).map((field) => [flagOf(field), { type: 'string' as const }]);
  return { ...Object.fromEntries(all), help: { type: 'boolean', short: 'h' } };
}

function byField(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = new Map(profiles.flatMap(fieldsOf).map((field) => [flagOf(field), field]));
  return Object.fromEntries(Object.entries(values).map(([flag, value]) => [fields.get(flag) ?? flag, value]));
}

function unknown(profile: Profile, values: object): string[] {
  const known = new Set(fieldsOf(profile).map(flagOf));
  return Object.keys(values)
    .filter((flag) => !known.has(flag))
    .map((flag) => {
      const owners = profiles.filter((one) => fieldsOf(one).some((field) => flagOf(field) === flag));
      return owners.length === 0
        ? `--${flag}: there is no such option`
        : `--${flag}: ${profile.name} has no such option, only ${owners.map(({ name }) => name).join(' and ')}`;
    });
}
