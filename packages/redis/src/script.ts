import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Cluster } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import type { Parser } from './reply.ts';
import { ScriptCommand } from './script-command.ts';
import { guardKey } from './slots.ts';

export const INCLUDE = /^ *--- @include "(.+)"$/gm;

type Value = string | number;
/** `name?` is optional, `name*` a list; both come last. */
type Named<Names extends string, One> = {
  readonly [Name in Names as Name extends `${string}${'?' | '*'}` ? never : Name]: One;
} & { readonly [Name in Names as Name extends `${infer Base}?` ? Base : never]?: One | undefined } & {
  readonly [Name in Names as Name extends `${infer Base}*` ? Base : never]: readonly One[];
};

/**
 * The header of a `.lua` file, as types. Names are in the order of the script; `script-headers.test.ts` compares the
 * two.
 */
interface ScriptDefinition<Key extends string, Argument extends string, Entry extends string, Reply> {
  /** The `.lua` file, relative to `from`: the `import.meta.url` of the definition. */
  readonly file: string;
  readonly from: string;
  readonly keys: readonly Key[];
  readonly args: readonly Argument[];
  /** Arguments after the others, repeated for each entry. */
  readonly each?: readonly Entry[];
  readonly reply: Parser<Reply>;
}

/** Keys and arguments of one run. */
export interface ScriptCall<Key extends string, Argument extends string, Entry extends string> {
  readonly keys: Named<Key, string>;
  readonly args: Named<Argument, Value>;
  readonly each?: readonly Named<Entry, Value>[];
}

/** EVALSHA or EVAL with its arguments: hash or source, how many keys there are, keys, arguments. */
export type ScriptText = readonly Value[];

/** A script as Redis gets it. */
interface Program {
  readonly source: string;
  readonly sha: string;
  /** Whether the last key is its guard key. */
  readonly isGuarded: boolean;
}

/** In a Cluster a script has one key more, its last one, and does not see it: see `guardKey`. */
const HIDE_GUARD = 'KEYS[#KEYS] = nil ';

/** Every script that was defined, for the test that compares the headers. */
export const definedScripts: ScriptDefinition<string, string, string, unknown>[] = [];

/**
 * A Lua script, with names for its keys and arguments, and a parsed reply. A line `--- @include "server.lua"` is
 * replaced by that file. Runs by its hash; Redis gets the source when it does not know it (after a restart).
 */
export class Script<Key extends string, Argument extends string, Entry extends string, Reply> {
  /** Of its file, without `.lua`. */
  readonly name: string;
  readonly source: string;
  readonly #names: {
    readonly keys: readonly string[];
    readonly args: readonly string[];
    readonly each: readonly string[];
  };
  readonly #reply: Parser<Reply>;
  readonly #plain: Program;
  #guarded: Program | undefined;

  constructor(definition: ScriptDefinition<Key, Argument, Entry, Reply>) {
    const { file, from, keys, args, each = [], reply } = definition;
    this.name = basename(file, '.lua');
    this.#names = { keys: keys.map(plain), args: args.map(plain), each: each.map(plain) };
    this.#reply = reply;
    this.source = withIncludes(new URL(file, from));
    this.#plain = programOf(this.source, false);
  }

  async run(redis: RedisConnection, call: ScriptCall<Key, Argument, Entry>): Promise<Reply> {
    const program = this.#programFor(redis);
    const values = this.#valuesOf(program, call);
    try {
      return this.#reply(await redis.sendCommand(new ScriptCommand('evalsha', values, AS_TEXT)));
    } catch (error) {
      const whole = withSource(program, values, error);
      return this.#reply(await redis.sendCommand(new ScriptCommand('eval', whole, AS_TEXT)));
    }
  }

  /** As `run`. @param send sends the command, and may do more, such as wait for replicas; rejects with Redis' error */
  async runOver(
    redis: RedisConnection,
    call: ScriptCall<Key, Argument, Entry>,
    send: (command: ScriptText) => Promise<unknown>,
  ): Promise<Reply> {
    const program = this.#programFor(redis);
    const values = this.#valuesOf(program, call);
    try {
      return this.#reply(await send(['evalsha', ...values]));
    } catch (error) {
      return this.#reply(await send(['eval', ...withSource(program, values, error)]));
    }
  }

  #programFor(redis: RedisConnection): Program {
    if (!(redis instanceof Cluster)) return this.#plain;
    this.#guarded ??= programOf(HIDE_GUARD + this.source, true);
    return this.#guarded;
  }

  /** The arguments of EVALSHA: a hash, how many keys there are, keys, arguments. */
  #valuesOf({ sha, isGuarded }: Program, call: ScriptCall<Key, Argument, Entry>): Value[] {
    const { keys, args, each } = this.#names;
    const values: Value[] = [sha, 0];
    push(values, keys, call.keys);
    if (isGuarded) values.push(guardKey(String(values[2])));
    values[1] = values.length - 2;
    push(values, args, call.args);
    for (const entry of call.each ?? []) push(values, each, entry);
    return values;
  }
}

function programOf(source: string, isGuarded: boolean): Program {
  return { source, sha: createHash('sha1').update(source).digest('hex'), isGuarded };
}

/** The arguments of EVAL. @throws the error, unless it is that Redis does not know the script */
function withSource({ source }: Program, values: readonly Value[], error: unknown): Value[] {
  if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
  return [source, ...values.slice(1)];
}

const AS_TEXT = { replyEncoding: 'utf8' } as const;

export function defineScript<
  const Key extends string,
  const Argument extends string,
  Reply,
  const Entry extends string = never,
>(definition: ScriptDefinition<Key, Argument, Entry, Reply>): Script<Key, Argument, Entry, Reply> {
  definedScripts.push(definition);
  return new Script(definition);
}

/** The name without `?` or `*`, as in calls. */
const plain = (name: string): string => name.replace(/[?*]$/, '');

type CallValues = Readonly<Record<string, Value | readonly Value[] | undefined>>;

function push(values: Value[], names: readonly string[], given: CallValues): void {
  for (const name of names) {
    const value = given[name];
    if (typeof value === 'object') for (const one of value) values.push(one);
    else if (value !== undefined) values.push(value);
  }
}

/** The source of a script, with its includes. */
export function withIncludes(url: URL): string {
  return readFileSync(url, 'utf8').replace(INCLUDE, (_, file: string) => withIncludes(includedFile(file, url)));
}

/** What a script includes of another package: `@switchyard/<package>/<path below its sources>`. */
const OF_PACKAGE = /^(@switchyard\/[^/]+)\/(.+)$/;

/** @param file as in the line of the include; @param url of the file that has the line */
export function includedFile(file: string, url: URL): URL {
  const [, name, path] = OF_PACKAGE.exec(file) ?? [];
  if (name === undefined || path === undefined) return new URL(file, url);
  return new URL(path, pathToFileURL(createRequire(url).resolve(name)));
}
