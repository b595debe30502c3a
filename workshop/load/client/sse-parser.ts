export interface SentEvent {
  /** Undefined when the server gives its events no ids. */
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly data: string;
}

/** Server-sent events from a body that comes in pieces, cut anywhere (WHATWG HTML 9.2.6). Comments are left out. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  #rest = '';

  push(piece: Uint8Array): SentEvent[] {
    let text = this.#rest + this.#decoder.decode(piece, { stream: true });
    if (text.includes('\r')) text = text.replaceAll('\r\n', '\n');
    const blocks = text.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(eventIn).filter(({ data }) => data !== '');
  }
}

function eventIn(block: string): SentEvent {
  let id: string | undefined;
  let name: string | undefined;
  let data = '';
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data += data === '' ? value : `\n${value}`;
    else if (field === 'id') id = value;
    else if (field === 'event') name = value;
  }
  return { id, name, data };
}
