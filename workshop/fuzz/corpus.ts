import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { Input } from './inputs/input.ts';

const MOST_INPUTS = 200;
/** Long ones are made by the grammars again and again. */
const MOST_CHARACTERS = 2_000;

/** Inputs that have run a branch that none before them had, by the grammar that they come from; a line for each. */
export class Corpus {
  readonly inputs: Input[];
  readonly #file: URL;

  private constructor(file: URL, inputs: Input[]) {
    this.#file = file;
    this.inputs = inputs;
  }

  static async read(name: string): Promise<Corpus> {
    const file = new URL(`corpus/${name}.jsonl`, import.meta.url);
    const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter(Boolean) : [];
    return new Corpus(
      file,
      lines.map((line): Input => JSON.parse(line)),
    );
  }

  get isFull(): boolean {
    return this.inputs.length >= MOST_INPUTS;
  }

  add(input: Input): void {
    if (!this.isFull && JSON.stringify(input).length <= MOST_CHARACTERS) this.inputs.push(input);
  }

  write(): Promise<void> {
    return writeFile(this.#file, this.inputs.map((input) => `${JSON.stringify(input)}\n`).join(''));
  }
}
