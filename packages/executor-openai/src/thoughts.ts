const names = ['think', 'thinking', 'thought'];
/** White space before thoughts that is looked at. */
const longestLead = 1_000;

/**
 * Leaves out thoughts at the beginning of an answer, such as `<think>…</think>`: servers without a parser for the
 * model's thoughts send them as content. Later tags belong to the answer.
 */
export class ThoughtFilter {
  #held = '';
  /** Reads: what may be a tag, thoughts up to this tag, white space after thoughts, or the answer. */
  #reads: 'lead' | { readonly upTo: string } | 'gap' | 'answer' = 'lead';

  /** @returns what belongs to the answer for certain; the rest may follow with the next piece */
  add(piece: string): string {
    if (this.#reads === 'answer') return piece;
    if (this.#reads === 'lead') return this.#readLead(this.#held + piece);
    if (this.#reads === 'gap') return this.#readGap(piece);
    return this.#readThoughts(this.#held + piece, this.#reads.upTo);
  }

  /** @returns what was held back and is no tag */
  end(): string {
    const rest = this.#reads === 'lead' ? this.#held : '';
    this.#held = '';
    return rest;
  }

  #readLead(text: string): string {
    const lead = text.trimStart();
    const name = names.find((each) => lead.startsWith(`<${each}>`));
    if (name) return this.#readThoughts(lead.slice(name.length + 2), `</${name}>`);
    if (text.length <= longestLead && names.some((each) => `<${each}>`.startsWith(lead))) {
      this.#held = text;
      return '';
    }
    this.#reads = 'answer';
    return text;
  }

  #readThoughts(text: string, upTo: string): string {
    const end = text.indexOf(upTo);
    if (end >= 0) return this.#readGap(text.slice(end + upTo.length));
    this.#reads = { upTo };
    this.#held = text.slice(-upTo.length);
    return '';
  }

  #readGap(text: string): string {
    const answer = text.trimStart();
    this.#reads = answer ? 'answer' : 'gap';
    return answer;
  }
}
