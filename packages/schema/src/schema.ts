import {
  defineScript,
  integer,
  isOutage,
  onConnection,
  type RedisAccess,
  type RedisConnection,
  RedisUnusable,
  text,
  toError,
  tupleAnd,
  verdict,
} from '@switchyard/redis';
import { refusals, refusalText } from './refusal.ts';
import { shardLayout } from './shard-layout.ts';
import { type KnownSchema, release, schema } from './version.ts';

const registerScript = defineScript({
  file: 'register-program.lua',
  from: import.meta.url,
  keys: ['schema', 'programs', 'shards'],
  args: ['program', 'version', 'oldest', 'needs', 'layout', 'release', 'aliveMs'],
  reply: verdict({ welcome: tupleAnd([integer, integer, integer, text], text), ...refusals }),
});

/** How often a program registers again: a newer release may have been started. */
const HEARTBEAT_MS = 5_000;
/** A program that has missed three heartbeats is gone. */
const ALIVE_MS = 15_000;

/** A program that works with a deployment, or did until a few seconds ago. */
export interface KnownProgram {
  /** As in the records of tasks; a worker's id is that of its reports. */
  readonly id: string;
  /** The schema version that it knows. */
  readonly version: number;
}

/** The schema of a deployment. */
export interface SchemaReading {
  /** The newest version that a program has worked with here. */
  readonly version: number;
  /** The version that a program must know to work here. */
  readonly oldest: number;
  /** The version up to which migrations are done. */
  readonly migrated: number;
  /** The release that brought `version`. */
  readonly release: string;
  readonly programs: readonly KnownProgram[];
}

interface SchemaSettings {
  readonly prefix: string;
  readonly shards: number;
  /** Number of the deployment. Default: 0. */
  readonly deployment?: number;
  /** Id of the program. */
  readonly program: string;
  readonly heartbeatMs?: number;
}

/** The version of the data in a Redis, and whether this program may work with it. */
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

  /** The schema at the last heartbeat. */
  get latest(): SchemaReading | undefined {
    return this.#latest;
  }

  /** Registers this program, and marks a deployment that is new or that an older release made. @throws {RedisUnusable} it must not work here */
  async register(): Promise<SchemaReading> {
    this.#latest = await this.#registerAs(this.#settings.program);
    return this.#latest;
  }

  /** As `register`, but changes nothing. */
  read(): Promise<SchemaReading> {
    return this.#registerAs('');
  }

  /** Repeats `register` on a timer. @param onRefused called once: the program must not go on */
  follow(onRefused: (refusal: RedisUnusable) => void, onError: (error: Error) => void): void {
    let isRegistering = false;
    const heartbeat = async (): Promise<void> => {
      // The last heartbeat still waits for Redis.
      if (isRegistering) return;
      isRegistering = true;
      try {
        await this.register();
      } catch (error) {
        if (!(error instanceof RedisUnusable)) return onError(toError(error));
        clearInterval(this.#timer);
        onRefused(error);
      } finally {
        isRegistering = false;
      }
    };
    this.#timer ??= setInterval(heartbeat, this.#settings.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  /** Unregisters the program, which ends. @param redis answers, or rejects, at once */
  async leave(redis: RedisConnection): Promise<void> {
    clearInterval(this.#timer);
    if (!this.#latest) return;
    const own = `${this.#known.version} ${this.#settings.program}`;
    await redis.zrem(this.#keys.programs, own).catch((error: unknown) => {
      if (!isOutage(error)) throw error;
    });
  }

  async #registerAs(program: string): Promise<SchemaReading> {
    const { shards, deployment = 0 } = this.#settings;
    const args = { ...this.#known, program, layout: shardLayout(shards, deployment), release, aliveMs: ALIVE_MS };
    const answer = await registerScript.run(this.#redis, { keys: this.#keys, args });
    if (answer[0] !== 'welcome')
      throw new RedisUnusable(refusalText(answer, { known: this.#known, shards, deployment }));
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
  };
}

function programIn(text: string): KnownProgram {
  const blank = text.indexOf(' ');
  return { version: Number(text.slice(0, blank)), id: text.slice(blank + 1) };
}

/** As `Schema.read`, over a connection of its own. @throws {RedisUnusable} this release must not work here */
export function inspectSchema(
  settings: RedisAccess & Pick<SchemaSettings, 'prefix' | 'shards' | 'deployment'>,
): Promise<SchemaReading> {
  const { prefix, shards, deployment = 0 } = settings;
  return onConnection(settings, (redis) => new Schema(redis, { prefix, shards, deployment, program: '' }).read());
}
