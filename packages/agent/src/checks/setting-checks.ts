import { closest } from './checks.ts';

/** What is wrong with a setting, in texts that begin with its name. Undefined as a value is a setting that is not set. */
export type SettingCheck = (value: unknown, name: string) => readonly string[];

type SettingChecks = Readonly<Record<string, SettingCheck>>;

/**
 * Checks the settings of an executor when it is made: a wrong one would fail each turn, with an error that does not
 * name it.
 *
 *     const { required, text } = settingCheck;
 *     checkSettings('myExecutor', { model: 'small' }, { model: required(text) });
 *
 * @param owner named in the error
 * @throws {TypeError} naming every setting that is wrong, or misspelt. Others that are unknown are no error: settings are
 *   often made from objects that have more
 */
export function checkSettings(owner: string, given: unknown, checks: SettingChecks): void {
  const problems = isObject(given) ? problemsOf(given, checks, '') : ['its settings are no object'];
  if (problems.length > 0) throw new TypeError(`${owner} cannot be made: ${problems.join('; ')}`);
}

function problemsOf(given: object, checks: SettingChecks, of: string): readonly string[] {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name));
  return [
    ...unknown.flatMap((name) => {
      const meant = closest(name, Object.keys(checks));
      return meant === undefined ? [] : [`${of}${name} is unknown (did you mean ${meant}?)`];
    }),
    ...Object.entries(checks).flatMap(([name, check]) => check(Object(given)[name], `${of}${name}`)),
  ];
}

/** Checks of settings; all but `required` accept one that is not set. */
export const settingCheck = {
  /** `check`: of its value. */
  required:
    (check: SettingCheck): SettingCheck =>
    (value, name) =>
      value === undefined ? [`${name} is missing`] : check(value, name),
  /** Any value: it is checked elsewhere. */
  any: (): readonly string[] => [],
  text: that((value) => typeof value === 'string' && value !== '', 'must be a text that is not empty'),
  anyText: that((value) => typeof value === 'string', 'must be a text'),
  flag: that((value) => typeof value === 'boolean', 'must be true or false'),
  function: that((value) => typeof value === 'function', 'must be a function'),
  object: that(isObject, 'must be an object'),
  /** A schema of zod, valibot, arktype and others. */
  schema: that(isSchema, 'must be a schema of zod or another library of Standard Schema'),
  httpUrl: that(isHttpUrl, 'must be a URL that begins with http:// or https://', shownUrl),
  /** From `least` to Infinity, which is no limit. */
  atLeast: (least: number): SettingCheck =>
    that(
      (value) => typeof value === 'number' && value >= least,
      `must be a number from ${least} on, or Infinity`,
      shown,
    ),
  oneOf: (...words: readonly string[]): SettingCheck =>
    that((value) => words.some((word) => word === value), `must be ${words.map(quoted).join(' or ')}`, shown),
  /** `words`: follow the name. */
  that,
  listOf:
    (check: SettingCheck): SettingCheck =>
    (value, name) => {
      if (value === undefined) return [];
      if (!Array.isArray(value)) return [`${name} must be a list`];
      return value.flatMap((each, at) => settingCheck.required(check)(each, `${name}[${at}]`));
    },
  /** An object with names of its own. */
  recordOf:
    (check: SettingCheck): SettingCheck =>
    (value, name) => {
      if (value === undefined) return [];
      if (!isObject(value)) return [`${name} must be an object`];
      return Object.entries(value).flatMap(([key, each]) => check(each, `${name}.${key}`));
    },
  fields:
    (checks: SettingChecks): SettingCheck =>
    (value, name) => {
      if (value === undefined) return [];
      return isObject(value) ? problemsOf(value, checks, `${name}.`) : [`${name} must be an object`];
    },
  either:
    (...checks: readonly SettingCheck[]): SettingCheck =>
    (value, name) => {
      const problems = checks.map((check) => check(value, name));
      return problems.some(({ length }) => length === 0) ? [] : [problems.flat().join(', or ')];
    },
} as const;

/** @param show adds the value, where it is no secret */
function that(isRight: (value: unknown) => boolean, words: string, show?: (value: unknown) => string): SettingCheck {
  return (value, name) => {
    if (value === undefined || isRight(value)) return [];
    return [show ? `${name} is ${show(value)} and ${words}` : `${name} ${words}`];
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSchema(value: unknown): boolean {
  // Those of arktype are functions.
  return typeof Object(Object(value)['~standard']).validate === 'function';
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && ['http:', 'https:'].includes(URL.parse(value)?.protocol ?? '');
}

const quoted = (word: string): string => `"${word}"`;

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value.slice(0, 100));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `of type ${typeof value}`;
}

/** A user name and password are left out. */
function shownUrl(value: unknown): string {
  return shown(typeof value === 'string' ? value.replace(/^[^@]{0,1000}@/, '***@') : value);
}
