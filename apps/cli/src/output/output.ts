import type { Failure } from '../failures/failure.ts';
import type { CliOptions } from '../settings/options.ts';
import { field } from './labelled-text.ts';

export interface Streams {
  /** The payload. */
  readonly out: (text: string) => void;
  /** Everything else. */
  readonly err: (text: string) => void;
}

/** What a command says: the payload to one stream, the rest to the other. */
export class Output {
  readonly isJson: boolean;
  readonly #isLines: boolean;
  readonly #streams: Streams;

  constructor(streams: Streams, { output, stream }: Pick<CliOptions, 'output' | 'stream'>) {
    this.#streams = streams;
    this.isJson = output === 'json';
    this.#isLines = stream;
  }

  /** The result as A2A has it; or as text. With `--stream` JSON is a line. */
  result(json: unknown, text: () => string): void {
    if (this.isJson)
      this.#streams.out(`${this.#isLines ? JSON.stringify(json) : JSON.stringify(json, undefined, 2)}\n`);
    else this.#streams.out(text());
  }

  /** Only in the format for people. */
  text(text: string): void {
    if (!this.isJson) this.#streams.out(text);
  }

  note(text: string): void {
    this.#streams.err(`${text}\n`);
  }

  failure({ code, message, hint, a2aCode }: Failure): void {
    const error = { code, message, hint: hint ?? null, a2aCode: a2aCode ?? null };
    if (this.isJson) this.result({ error }, () => '');
    else this.#streams.err(field('Error', code) + field('Reason', message) + field('Hint', hint));
  }
}
