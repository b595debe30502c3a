import { visible } from '@switchyard/settings/terminal';

/** The content of a block that comes in pieces. An empty line would end the block, so it gets a space. */
export class GrowingBlock {
  #isAtLineStart = true;

  add(text: string): string {
    const clean = visible(text);
    if (clean === '') return '';
    const filled = (this.#isAtLineStart && clean.startsWith('\n') ? ' ' : '') + clean.replaceAll(/\n(?=\n)/g, '\n ');
    this.#isAtLineStart = clean.endsWith('\n');
    return filled;
  }

  end(): string {
    return this.#isAtLineStart ? '\n' : '\n\n';
  }
}
