/** Parses the names of commands from the bytes of a Redis client (arrays of bulk strings), split anywhere. */
export class RequestParser {
  #rest = Buffer.alloc(0);

  /** @returns lower-case names of the commands that are complete now */
  push(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const names: string[] = [];
    for (;;) {
      const command = commandIn(this.#rest);
      if (!command) return names;
      names.push(command.name);
      this.#rest = this.#rest.subarray(command.end);
    }
  }
}

function commandIn(bytes: Buffer): { readonly name: string; readonly end: number } | undefined {
  const head = lineAt(bytes, 0, '*');
  if (!head) return undefined;
  let { end } = head;
  let name = '';
  for (let i = 0; i < head.number; i++) {
    const length = lineAt(bytes, end, '$');
    if (!length) return undefined;
    const after = length.end + length.number;
    if (bytes.length < after + 2) return undefined;
    if (i === 0) name = bytes.toString('latin1', length.end, after).toLowerCase();
    end = after + 2;
  }
  return { name, end };
}

/** `*3\r\n` or `$5\r\n`: the number, and where the line ends. */
function lineAt(bytes: Buffer, start: number, kind: '*' | '$'): { number: number; end: number } | undefined {
  const end = bytes.indexOf('\r\n', start);
  if (end < 0) return undefined;
  const line = bytes.toString('latin1', start, end);
  if (line[0] !== kind) throw new Error(`expected a line that begins with ${kind}, not ${line}`);
  return { number: Number(line.slice(1)), end: end + 2 };
}
