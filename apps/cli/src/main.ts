#!/usr/bin/env node
import { homedir } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import { Failure } from './failures/failure.ts';
import { runCli } from './program.ts';

const { argv, env, stdin, stdout, stderr } = process;
const stopped = new AbortController();

// Whoever reads the output may close it: `switchyard … | head -1`.
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
  },
  packageJson.version,
);
