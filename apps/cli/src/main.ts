import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failures/failure.ts';
import { runCli } from './program.ts';

const { version }: { version: string } = createRequire(import.meta.url)('../package.json');
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const { argv, env, stdin, stdout, stderr } = process;
const stopped = new AbortController();

// The reader of the output may close it: `switchyard … | head -1`.
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// The second one ends the process.
process.once('SIGINT', () => stopped.abort(new Failure('A2ACLI_ERR_INTERNAL', 'It was interrupted')));

process.exitCode = await runCli(
  {
    args: argv.slice(2),
    env,
    folder: process.cwd(),
    home: homedir(),
    streams: { out: (text) => void stdout.write(text), err: (text) => void stderr.write(text) },
    stdin,
    stdout,
    isTerminal: { out: stdout.isTTY === true, err: stderr.isTTY === true },
    stopped: stopped.signal,
    stopVerifyingTls: () => {
      env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    },
    become: (file, args) => become(join(repository, file), args),
  },
  version,
);

/** The same process goes on as another program: its terminal, signals and exit code need no care. */
function become(file: string, args: readonly string[]): never {
  if (!existsSync(file)) {
    stderr.write(`${file} is not here: this command runs in a checkout of the repository\n`);
    process.exit(1);
  }
  if (!process.execve) throw new Error('this system cannot run another program in place of a process');
  return process.execve(process.execPath, [process.execPath, file, ...args]);
}
