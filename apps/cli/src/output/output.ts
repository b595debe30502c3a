import { visible } from '@switchyard/settings/terminal';
import type { CommandFailure } from '../failures/failure.ts';
import type { CliOptions } from '../settings/options.ts';
import { field } from './labelled-text.ts';

export interface Streams {
  /** Standard output: the payload. */
  readonly out: (text: string) => void;
  /** Standard error: everything else. */
  readonly err: (text: string) => void;
}

/** The output of a command: the payload on one stream, everything else on the other. */
export class Output {
  readonly isJson: boolean;
  readonly #isLines: boolean;
  readonly #streams: Streams;

  constructor(streams: Streams, { output, stream }: Pick<CliOptions, 'output' | 'stream'>) {
    this.#streams = streams;
    this.isJson = output === 'json';
    this.#isLines = stream;
  }

  /** The result as A2A JSON, or as text. With `--stream`, JSON is one line per event. */
  result(json: unknown, text: () => string): void {
    // Control characters are escaped as JSON escapes them, so the values stay the same.
    if (this.isJson) this.#streams.out(`${visible(JSON.stringify(json, undefined, this.#isLines ? undefined : 2))}\n`);
    else this.#streams.out(text());
  }

  /** Only in the text format. */
  text(text: string): void {
    if (!this.isJson) this.#streams.out(text);
  }

  /** A line on standard error, which may quote an agent. */
  note(text: string): void {
    this.#streams.err(`${visible(text)}\n`);
  }

  /** @param id of what it is about, if there are several */
  failure({ code, message, hint, a2aCode }: CommandFailure, id?: string): void {
    const error = { code, message, hint: hint ?? null, a2aCode: a2aCode ?? null };
    if (this.isJson) this.result({ error }, () => '');
    else this.#streams.err(field('Id', id) + field('Error', code) + field('Reason', message) + field('Hint', hint));
  }
}
