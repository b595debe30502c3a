import leven from 'leven';
import { allSettings } from './all-settings.ts';
import type { Environment } from './read-settings.ts';

export interface UnknownSetting {
  readonly name: string;
  /** The setting that was probably meant. */
  readonly meant: string | undefined;
}

const known = Object.keys(allSettings);
/** Current names of renamed settings, by former name. */
const renamed: Readonly<Record<string, string>> = {
  LEASE_MS: 'SWEEP_AFTER_MS',
  PUSH_LEASE_MS: 'PUSH_RECLAIM_AFTER_MS',
};
/** Names up to this length may differ in one letter only, because two make another word. */
const SHORT_NAME = 7;
/** Names of other programs' settings that are similar to ours. */
const ofOthers: readonly string[] = ['FTP_PROXY'];
const ownPrefix = /^SWITCHYARD_/;
/**
 * Kubernetes and Docker links describe services in variables of these forms: SWITCHYARD_PORT_4000_TCP,
 * REDIS_SERVICE_HOST.
 */
const serviceVariable = /_SERVICE_(?:HOST|PORT)|_PORT_\d+_|_PORT$/;

/** Variables that look like settings but are not: misspelt, or with the prefix SWITCHYARD_. */
export function unknownSettings(environment: Environment): UnknownSetting[] {
  return Object.keys(environment)
    .filter(
      (name) =>
        !known.includes(name) &&
        !ofOthers.includes(name) &&
        environment[name] !== '' &&
        !describesService(name, environment[name]),
    )
    .map((name) => ({ name, meant: meantBy(name) }))
    .filter(({ name, meant }) => meant !== undefined || ownPrefix.test(name));
}

function describesService(name: string, value = ''): boolean {
  return serviceVariable.test(name) && /^(?:tcp|udp):\/\/|^[\d.]+$/.test(value);
}

function meantBy(name: string): string | undefined {
  const bare = name.replace(ownPrefix, '');
  return (
    renamed[bare] ?? known.find((setting) => setting === bare) ?? known.find((setting) => isSimilar(bare, setting))
  );
}

function isSimilar(name: string, setting: string): boolean {
  const most = setting.length <= SHORT_NAME ? 1 : 2;
  return leven(name, setting, { maxDistance: most + 1 }) <= most || lettersOf(name) === lettersOf(setting);
}

/** The sorted letters, which are equal in names with swapped letters. */
function lettersOf(name: string): string {
  return [...name].sort().join('');
}

/** Describes an unknown setting in a sentence. */
export function unknownSettingText({ name, meant }: UnknownSetting): string {
  return `${name} is not a setting of Switchyard${meant ? `; did you mean ${meant}?` : ''}`;
}
