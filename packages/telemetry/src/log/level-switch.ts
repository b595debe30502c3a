import type { Logger } from 'pino';

/** Another level for a while. */
interface LevelOrder {
  /** Unset, or of no level: the usual one. */
  readonly level: string | undefined;
  readonly forMs: number;
}

/** The level of a log while its process runs: that of the settings, or for a while another one. */
export class LevelSwitch {
  readonly #log: Logger;
  readonly #usual: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
    this.#usual = log.level;
  }

  readonly set = ({ level, forMs }: LevelOrder): void => {
    clearTimeout(this.#timer);
    const isKnown = level !== undefined && Object.hasOwn(this.#log.levels.values, level) && forMs > 0;
    if (isKnown) this.#timer = setTimeout(() => this.#use(this.#usual), forMs).unref();
    this.#use(isKnown ? level : this.#usual);
  };

  /** From the usual level to debug, and back. */
  readonly toggle = (): void => {
    clearTimeout(this.#timer);
    this.#use(this.#log.level === this.#usual ? 'debug' : this.#usual);
  };

  #use(level: string): void {
    if (level === this.#log.level) return;
    this.#log.level = level;
    this.#log.warn({ event: 'log-level', logLevel: level }, 'the log level has changed');
  }
}
