import { allSettings } from './all-settings.ts';
import type { Environment, ValuesOf } from './read-settings.ts';
import type { CommandName, Setting } from './setting/setting.ts';
import { quoted } from './terminal.ts';

/**
 * Those given settings that must be equal in every process of a deployment, to put before a command:
 * `SHARDS=4 KEY_PREFIX=a`. A secret is written as `"${PUSH_SECRET:?}"`: the shell inserts the variable's value, or
 * fails if it is unset.
 */
export function sharedAssignments(environment: Environment): string {
  return Object.entries<Setting>(allSettings)
    .filter(([, setting]) => setting.isShared)
    .flatMap(([name, setting]) => assignment(name, setting, environment[name]))
    .join(' ');
}

/** The given settings of these commands as assignments, to put before one again: `PORT=4100`. Secrets as above. */
export function givenAssignments(
  environment: Environment,
  { commands, without }: { readonly commands: readonly CommandName[]; readonly without: readonly string[] },
): string[] {
  return Object.entries<Setting>(allSettings)
    .filter(([name, { of }]) => commands.some((command) => of.includes(command)) && !without.includes(name))
    .flatMap(([name, setting]) => assignment(name, setting, environment[name]));
}

function assignment(name: string, setting: Setting, text: string | undefined): string[] {
  return text ? [`${name}=${isSecret(setting, text) ? `"\${${name}:?}"` : quoted(text)}`] : [];
}

function isSecret({ isSecret: secret }: Setting, text: string): boolean {
  return secret instanceof RegExp ? secret.test(text) : secret === true;
}

type TraceValues = Pick<ValuesOf<'gateway'>, 'TRACES' | 'TRACES_URL' | 'TRACES_SAMPLE'>;

/** The collector of spans, and the share of new traces to record; undefined: record nothing. */
export function collector({ TRACES, TRACES_URL: url, TRACES_SAMPLE: share }: TraceValues) {
  return TRACES === 'otlp' ? { url, share } : undefined;
}
