import type { RedisConnection } from '../redis/connection.ts';
import { isOutage, StoreError } from '../redis/errors.ts';
import { integer, text, tupleAnd, verdict } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { shardLayout } from '../redis/shards.ts';
import { refusals, refusalText } from './refusal.ts';
import { type KnownSchema, release, schema } from './version.ts';

const lookScript = defineScript({
  file: 'look.lua',
  from: import.meta.url,
  keys: ['schema', 'programs', 'shards', 'workers'],
  args: ['program', 'version', 'oldest', 'needs', 'layout', 'release', 'aliveMs'],
  reply: verdict({ welcome: tupleAnd([integer, integer, integer, text], text), ...refusals }),
});

/** How often a program looks again: a newer release may have come. */
const LOOK_EVERY_MS = 5_000;
/** Three looks missed. */
const ALIVE_MS = 15_000;

/** A program that works with a deployment, or has until a few seconds ago. */
export interface KnownProgram {
  /** As in the records of tasks; of a worker that of its reports. */
  readonly id: string;
  /** The schema that it knows; 0: a worker from before there was one. Gateways from before are not seen. */
  readonly version: number;
}

/** What a deployment says of its schema. */
export interface SchemaReading {
  /** The newest that a program has worked with here. */
  readonly version: number;
  /** That a program must know to work here. */
  readonly oldest: number;
  /** Up to which migrations are done. */
  readonly migrated: number;
  /** That made it this version. */
  readonly release: string;
  readonly programs: readonly KnownProgram[];
}

interface SchemaSettings {
  readonly prefix: string;
  readonly shards: number;
  /** Id of the program. */
  readonly program: string;
  readonly lookEveryMs?: number;
}

/** The version of what is in a Redis: whether this program may work with it. */
export class Schema {
  readonly #redis: RedisConnection;
  readonly #settings: SchemaSettings;
  readonly #known: KnownSchema;
  readonly #keys: ReturnType<typeof schemaKeys>;
  #timer: NodeJS.Timeout | undefined;
  #latest: SchemaReading | undefined;

  constructor(redis: RedisConnection, settings: SchemaSettings, known: KnownSchema = schema) {
    this.#redis = redis;
    this.#settings = settings;
    this.#known = known;
    this.#keys = schemaKeys(settings.prefix);
  }

  /** At the last look. */
  get latest(): SchemaReading | undefined {
    return this.#latest;
  }

  /** Says that this program is here, and marks what is new or older. @throws {StoreError} it must not work here */
  async look(): Promise<SchemaReading> {
    this.#latest = await this.#lookAs(this.#settings.program);
    return this.#latest;
  }

  /** As `look`, and changes nothing. */
  visit(): Promise<SchemaReading> {
    return this.#lookAs('');
  }

  /** From now on looks again and again. @param onRefused once: the program must not go on */
  follow(onRefused: (refusal: StoreError) => void, onError: (error: Error) => void): void {
    let isLooking = false;
    const look = async (): Promise<void> => {
      // While Redis is away a look waits for it.
      if (isLooking) return;
      isLooking = true;
      try {
        await this.look();
      } catch (error) {
        if (!(error instanceof StoreError)) return onError(error instanceof Error ? error : new Error(String(error)));
        clearInterval(this.#timer);
        onRefused(error);
      } finally {
        isLooking = false;
      }
    };
    this.#timer ??= setInterval(look, this.#settings.lookEveryMs ?? LOOK_EVERY_MS).unref();
  }

  /** The program ends. @param redis that answers, or refuses, at once */
  async leave(redis: RedisConnection): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#latest) return;
    const own = `${this.#known.version} ${this.#settings.program}`;
    await redis.zrem(this.#keys.programs, own).catch((error: unknown) => {
      if (!isOutage(error)) throw error;
    });
  }

  async #lookAs(program: string): Promise<SchemaReading> {
    const { shards } = this.#settings;
    const args = { ...this.#known, program, layout: shardLayout(shards), release, aliveMs: ALIVE_MS };
    const answer = await lookScript.run(this.#redis, { keys: this.#keys, args });
    if (answer[0] !== 'welcome') throw new StoreError(refusalText(answer, { known: this.#known, shards }));
    const [, version, oldest, migrated, by, ...programs] = answer;
    return { version, oldest, migrated, release: by, programs: programs.map(programIn) };
  }
}

export function schemaKeys(prefix: string) {
  const root = `${prefix}{agents}:`;
  return {
    schema: `${root}schema`,
    programs: `${root}schema:programs`,
    lock: `${root}schema:lock`,
    shards: `${root}shards`,
    workers: `${root}workers`,
  };
}

function programIn(text: string): KnownProgram {
  const blank = text.indexOf(' ');
  return { version: Number(text.slice(0, blank)), id: text.slice(blank + 1) };
}
