import { type Channels, defineScript, nothing, type RedisConnection } from '@switchyard/redis';
import type { StoreInside } from '@switchyard/store/inside';

const setLogLevelScript = defineScript({
  file: 'set-log-level.lua',
  from: import.meta.url,
  keys: ['logLevel'],
  args: ['level', 'forMs'],
  reply: nothing,
});

/** The log level of all processes, and for how long; `level` unset: each process uses its own setting. */
export interface LogLevelOverride {
  readonly level: string | undefined;
  readonly forMs: number;
}

/** The log level that an operator sets for all processes. */
export class LogLevels {
  readonly #redis: RedisConnection;
  readonly #channels: Channels;
  /** Also the channel on which a new override is published. */
  readonly #key: string;

  constructor({ redis, channels, settings }: Pick<StoreInside, 'redis' | 'channels' | 'settings'>) {
    const { prefix } = settings;
    this.#redis = redis;
    this.#channels = channels;
    this.#key = `${prefix}{agents}:log-level`;
  }

  /** @param forMs 0 removes the override */
  async set(level: string, forMs: number): Promise<void> {
    await setLogLevelScript.run(this.#redis, { keys: { logLevel: this.#key }, args: { level, forMs } });
  }

  async read(): Promise<LogLevelOverride> {
    const [level, leftMs] = await Promise.all([this.#redis.get(this.#key), this.#redis.pttl(this.#key)]);
    return level === null ? { level: undefined, forMs: 0 } : { level, forMs: Math.max(leftMs, 0) };
  }

  /** Calls `apply` with the current override and each later one. @param onError called if one could not be read */
  async follow(apply: (override: LogLevelOverride) => void, onError: (error: Error) => void): Promise<void> {
    const read = (): void => void this.read().then(apply, onError);
    await this.#channels.subscribe(this.#key, read);
    this.#channels.onReconnect((isLost) => isLost(this.#key) && read());
    apply(await this.read());
  }
}
