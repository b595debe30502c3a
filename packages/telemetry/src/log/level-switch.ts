import type { Logger } from 'pino';

/** A temporary change of the level. */
interface LevelChange {
  /** Unset, or not a level: back to the configured one. */
  readonly level: string | undefined;
  readonly forMs: number;
}

/** Changes the level of a log at run time: to another level for a while, and back to the configured one. */
export class LevelSwitch {
  readonly #log: Logger;
  readonly #configured: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
    this.#configured = log.level;
  }

  readonly set = ({ level, forMs }: LevelChange): void => {
    clearTimeout(this.#timer);
    const isKnown = level !== undefined && Object.hasOwn(this.#log.levels.values, level) && forMs > 0;
    if (isKnown) this.#timer = setTimeout(() => this.#use(this.#configured), forMs).unref();
    this.#use(isKnown ? level : this.#configured);
  };

  /** Switches between the configured level and debug. */
  readonly toggle = (): void => {
    clearTimeout(this.#timer);
    this.#use(this.#log.level === this.#configured ? 'debug' : this.#configured);
  };

  #use(level: string): void {
    if (level === this.#log.level) return;
    this.#log.level = level;
    this.#log.warn({ event: 'log-level', logLevel: level }, 'the log level has changed');
  }
}
