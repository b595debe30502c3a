import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '../../support/until.ts';
import { ask } from './redis-info.ts';

/** A call of a script, and the commands that it ran, in order. */
export interface ScriptCall {
  readonly args: readonly Buffer[];
  readonly commands: (readonly Buffer[])[];
}

/** The script calls that any client sends to a Redis from now on. */
export interface ScriptCalls extends Disposable {
  /** Resolves with the first call that has a text in an argument, once all of its commands are known. */
  withText(text: string): Promise<ScriptCall>;
  /** The scripts that were called so far, in order. */
  all(): Promise<readonly NamedCall[]>;
}

interface NamedCall {
  readonly hash: string;
  /** How many commands it ran. */
  readonly commands: number;
}

/** Reads MONITOR: the commands of a script follow its call, since nothing runs between them. */
export async function watchScriptCalls(redisUrl: string): Promise<ScriptCalls> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(redisUrl).port) });
  await once(socket, 'connect');
  socket.write('MONITOR\r\n');
  const calls: ScriptCall[] = [];
  /** Commands of clients, of any kind. */
  let sent = 0;
  let isCall = false;
  const read = (line: string): void => {
    const [, source, rest = ''] = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/s.exec(line) ?? [];
    const args = Array.from(rest.matchAll(/"((?:[^"\\]|\\.)*)"/gs), ([, quoted = '']) => unquoted(quoted));
    if (source === 'lua') {
      if (isCall) calls.at(-1)?.commands.push(args);
      return;
    }
    sent++;
    isCall = /^evalsha$/i.test(String(args[0]));
    if (isCall) calls.push({ args, commands: [] });
  };
  let rest = '';
  // Redis escapes every byte that is not printable ASCII.
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    lines.forEach(read);
  });
  await until(() => socket.bytesRead > 0, { what: 'Redis reports its commands' });
  /** Resolves when everything that was sent before has been reported. */
  const reported = async (): Promise<void> => {
    const before = sent;
    await ask(redisUrl, 'PING');
    await until(() => sent > before, { what: 'Redis reports a command after the scripts' });
  };
  return {
    async withText(text) {
      const call = await until(() => calls.find(({ args }) => args.some((arg) => arg.includes(text))), {
        what: `a script gets "${text}"`,
      });
      await reported();
      return call;
    },
    async all() {
      await reported();
      return calls.map(({ args: [, hash = ''], commands }) => ({ hash: String(hash), commands: commands.length }));
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

/** The bytes behind what Redis prints between quotes. */
function unquoted(text: string): Buffer {
  const bytes = text.replace(/\\(?:x([\da-f]{2})|(.))/gs, (_, hex?: string, one = '') =>
    hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (escapes[one] ?? one),
  );
  return Buffer.from(bytes, 'latin1');
}

/** Length of a command as Redis writes it to the append-only file and to replicas. */
export function bytesOfCommand(command: readonly Buffer[]): number {
  const withLength = (prefix: string, length: number): number => `${prefix}${length}\r\n`.length;
  return command.reduce(
    (sum, { length }) => sum + withLength('$', length) + length + 2,
    withLength('*', command.length),
  );
}

/** A command as one line, for `ask`. */
export function inline(command: readonly Buffer[]): string {
  return command.map((arg) => `"${arg.toString('latin1').replace(/[^ !#-[\]-~]/g, hex)}"`).join(' ');
}

const hex = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
