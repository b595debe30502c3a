import { Command } from 'ioredis';

/** EVALSHA or EVAL: joins the many arguments once, where ioredis' own command appends them one by one. */
export class ScriptCommand extends Command {
  override toWritable(): string {
    const pieces = new Array<string>(2 * this.args.length + 4);
    pieces[0] = `*${this.args.length + 1}`;
    pieces[1] = lengthOf(this.name);
    pieces[2] = this.name;
    this.args.forEach((arg, i) => {
      const text = String(arg);
      pieces[2 * i + 3] = lengthOf(text);
      pieces[2 * i + 4] = text;
    });
    pieces[pieces.length - 1] = '\r\n';
    return pieces.join('');
  }
}

/** The line of RESP with the length of a text, after the line break that ends the text before. */
function lengthOf(text: string): string {
  const length = Buffer.byteLength(text);
  return lengths[length] ?? lengthLine(length);
}

const lengthLine = (length: number): string => `\r\n$${length}\r\n`;

/** The lines for short texts, which are most. */
const lengths = Array.from({ length: 512 }, (_, length) => lengthLine(length));
