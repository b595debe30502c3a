import { Command } from 'ioredis';

/** EVALSHA or EVAL: their many arguments become one string at once; ioredis' own would add each to a longer string. */
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

/** The line of RESP before a text, and the end of the one before. */
function lengthOf(text: string): string {
  const length = Buffer.byteLength(text);
  return lengths[length] ?? lengthLine(length);
}

const lengthLine = (length: number): string => `\r\n$${length}\r\n`;

/** Of most texts. */
const lengths = Array.from({ length: 512 }, (_, length) => lengthLine(length));
