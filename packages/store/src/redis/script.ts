import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { RedisConnection } from './connection.ts';
import { NotReplicated } from './errors.ts';
import type { Parser } from './reply.ts';
import { ScriptCommand } from './script-command.ts';

export const INCLUDE = /^ *--- @include "(.+)"$/gm;

type Value = string | number;
/** `name?` is optional, `name*` a list; both come last. */
type Named<Names extends string, One> = {
  readonly [Name in Names as Name extends `${string}${'?' | '*'}` ? never : Name]: One;
} & { readonly [Name in Names as Name extends `${infer Base}?` ? Base : never]?: One | undefined } & {
  readonly [Name in Names as Name extends `${infer Base}*` ? Base : never]: readonly One[];
};

/**
 * The header of a `.lua` file, as types. Names are in the order of the script; `test/redis/script-headers.test.ts`
 * compares the two.
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
interface ScriptCall<Key extends string, Argument extends string, Entry extends string> {
  readonly keys: Named<Key, string>;
  readonly args: Named<Argument, Value>;
  readonly each?: readonly Named<Entry, Value>[];
}

interface Replication {
  readonly replicas: number;
  /** How long they may take. */
  readonly timeoutMs: number;
}

/** Every script that was defined, for the test that compares the headers. */
export const definedScripts: ScriptDefinition<string, string, string, unknown>[] = [];

/**
 * A Lua script, with names for its keys and arguments, and a parsed reply. A line `--- @include
 * "../record/record.lua"` is replaced by that file. Runs by its hash; Redis gets the source when it does not know it
 * (after a restart).
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
  readonly #sha: string;

  constructor(definition: ScriptDefinition<Key, Argument, Entry, Reply>) {
    const { file, from, keys, args, each = [], reply } = definition;
    this.name = basename(file, '.lua');
    this.#names = { keys: keys.map(plain), args: args.map(plain), each: each.map(plain) };
    this.#reply = reply;
    this.source = withIncludes(new URL(file, from));
    this.#sha = createHash('sha1').update(this.source).digest('hex');
  }

  async run(redis: RedisConnection, call: ScriptCall<Key, Argument, Entry>): Promise<Reply> {
    const values = this.#valuesOf(call);
    try {
      return this.#reply(await redis.sendCommand(new ScriptCommand('evalsha', values, AS_TEXT)));
    } catch (error) {
      const whole = this.#withSource(values, error);
      return this.#reply(await redis.sendCommand(new ScriptCommand('eval', whole, AS_TEXT)));
    }
  }

  /**
   * As `run`, but resolves once replicas have the writes. Script and WAIT go together over one connection, so that a
   * fail-over between them cannot look like a confirmation.
   * @throws {NotReplicated} the write may be stored nevertheless
   */
  async runReplicated(
    redis: RedisConnection,
    call: ScriptCall<Key, Argument, Entry>,
    replication: Replication,
  ): Promise<Reply> {
    const values = this.#valuesOf(call);
    try {
      return this.#reply(await sendAndWait(redis, ['evalsha', ...values], replication));
    } catch (error) {
      return this.#reply(await sendAndWait(redis, ['eval', ...this.#withSource(values, error)], replication));
    }
  }

  /** The arguments of EVAL. @throws the error, unless it is that Redis does not know the script */
  #withSource(values: readonly Value[], error: unknown): Value[] {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return [this.source, ...values.slice(1)];
  }

  /** The arguments of EVALSHA: a hash, how many keys there are, keys, arguments. */
  #valuesOf(call: ScriptCall<Key, Argument, Entry>): Value[] {
    const { keys, args, each } = this.#names;
    const values: Value[] = [this.#sha, 0];
    push(values, keys, call.keys);
    values[1] = values.length - 2;
    push(values, args, call.args);
    for (const entry of call.each ?? []) push(values, each, entry);
    return values;
  }
}

/** @throws {NotReplicated} */
async function sendAndWait(
  redis: RedisConnection,
  command: Value[],
  { replicas, timeoutMs }: Replication,
): Promise<unknown> {
  const pipeline = redis.pipeline([command]);
  const [ran, waited] = (await pipeline.wait(replicas, timeoutMs).exec()) ?? [];
  if (ran?.[0]) throw ran[0];
  if (waited?.[0]) throw waited[0];
  if (Number(waited?.[1]) < replicas) throw new NotReplicated(Number(waited?.[1]), replicas);
  return ran?.[1];
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

/** Scripts of packages above the store begin the path of what they include of the store with this. */
const STORE = '@switchyard/store/';

/** @param file as in the line of the include; @param url of the file that has the line */
export function includedFile(file: string, url: URL): URL {
  return file.startsWith(STORE) ? new URL(`../${file.slice(STORE.length)}`, import.meta.url) : new URL(file, url);
}

/** Healthy replicas need about a millisecond. */
const REPLICATED_WITHIN_MS = 1_000;

export interface DurableDependencies {
  readonly redis: RedisConnection;
  /** For writes that wait for replicas; other commands must not wait behind them. Unset: no write waits. */
  readonly replicated: RedisConnection | undefined;
  readonly settings: { readonly waitReplicas: number };
}

/**
 * Runs a script, and waits for replicas if the deployment demands it.
 * @throws {NotReplicated}
 */
export function runDurably<Key extends string, Argument extends string, Entry extends string, Reply>(
  { redis, replicated, settings }: DurableDependencies,
  script: Script<Key, Argument, Entry, Reply>,
  call: ScriptCall<Key, Argument, Entry>,
): Promise<Reply> {
  if (!replicated) return script.run(redis, call);
  const replication = { replicas: settings.waitReplicas, timeoutMs: REPLICATED_WITHIN_MS };
  return script.runReplicated(replicated, call, replication);
}
