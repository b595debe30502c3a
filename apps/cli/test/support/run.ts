import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { runCli } from '../../src/program.ts';
import type { Invocation } from '../../src/session/session.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Invocation['env'];
  readonly stdin?: string;
  readonly folder?: string;
  readonly home?: string;
  /** A person at a terminal types the text of `stdin`. */
  readonly isAtTerminal?: boolean;
  readonly stopped?: AbortSignal;
  /** Gets each line of stderr as it comes. */
  readonly onLine?: (line: string) => void;
}

/** Runs a command line in this process, without the settings of the developer. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, stdin = '', folder = '/', home = '/nowhere', isAtTerminal = false } = options;
  const { stopped = new AbortController().signal, onLine } = options;
  let out = '';
  let err = '';
  const stdout = new PassThrough().on('data', (bytes) => {
    out += bytes;
  });
  const code = await runCli(
    {
      args,
      env,
      folder,
      home,
      streams: {
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
          for (const line of text.split('\n')) onLine?.(line);
        },
      },
      stdin: Object.assign(Readable.from([stdin]), { isTTY: isAtTerminal }),
      stdout,
      isTerminal: { out: isAtTerminal, err: isAtTerminal },
      stopped,
      stopVerifyingTls: () => undefined,
      listen: async (server) => {
        await once(server.listen(0, '127.0.0.1'), 'listening');
        return (server.address() as AddressInfo).port;
      },
      otherPrograms: ['up'],
    },
    '1.2.3',
  );
  return { code, out, err };
}

/** The single JSON document that a command printed. */
export async function json(args: readonly string[], options?: RunOptions) {
  const ran = await run([...args, '-o', 'json'], options);
  return { ...ran, document: JSON.parse(ran.out) };
}

/** One JSON document per line. */
export async function lines(args: readonly string[], options?: RunOptions) {
  const ran = await run([...args, '-o', 'json', '--stream'], options);
  return {
    ...ran,
    events: ran.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}
