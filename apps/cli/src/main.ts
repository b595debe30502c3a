import { once } from 'node:events';
import { existsSync, writeSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';

const { version }: { version: string } = createRequire(import.meta.url)('../package.json');
/** Only in a checkout of the repository. */
const load = new URL('../../../workshop/load/main.ts', import.meta.url);

/** Separate programs, which get the rest of the command line unchanged and are loaded only when needed. */
const programs = new Map<string, () => Promise<unknown>>([
  ['up', () => import('./up/main.ts')],
  ['gateway', () => import(import.meta.resolve('@switchyard/gateway/main'))],
  ['worker', () => import(import.meta.resolve('@switchyard/worker/main'))],
  ['all', () => import('./all/main.ts')],
  ['test', () => import('./agent-tests/main.ts')],
]);
if (existsSync(load)) programs.set('load', () => import(load.href));

const EXIT_AFTER_MS = 1_000;

const program = programs.get(process.argv[2] ?? '');
if (program) {
  const [name = ''] = process.argv.splice(2, 1);
  await runProgram(async () => {
    if (name === 'worker' || name === 'gateway') await joinDeployment(name);
    await program();
  });
} else {
  process.exitCode = await runCommand();
  // What hangs, such as the look-up of a name for `doctor`, must not keep the process.
  setTimeout(() => process.stdout.writableLength === 0 && process.exit(), EXIT_AFTER_MS).unref();
}

/** The packages of a program need not be installed. */
async function runProgram(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const { missingHint, missingPackage, missingText } = await import('./failures/missing-package.ts');
    const missing = missingPackage(error);
    if (missing === undefined) throw error;
    process.stderr.write(`${missingText(missing)}. ${missingHint}\n`);
    process.exitCode = 1;
  }
}

/** Without REDIS_URL, a further worker or gateway belongs to what `switchyard up` runs in this folder. */
async function joinDeployment(name: string): Promise<void> {
  const { deploymentEnvironment } = await import('./operator/deployment-environment.ts');
  const settings = await deploymentEnvironment({ env: process.env, folder: process.cwd() });
  if (settings === undefined || process.argv.includes('--list')) return;
  process.stderr.write(`switchyard ${name}: with the Redis of this folder, ${settings.REDIS_URL}\n`);
  for (const [key, text] of Object.entries(settings)) process.env[key] ||= text;
}

/** All other commands. @returns the exit code */
async function runCommand(): Promise<number> {
  const { runCli } = await import('./program.ts');
  const { CommandFailure } = await import('./failures/failure.ts');
  const { argv, env, stdin, stdout, stderr } = process;
  await setProxies(env);
  const stopped = new AbortController();
  // The reader of the output may close it: `switchyard … | head -1`.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      // Such as that of a full disk; a line that stderr does not take is lost, too.
      if (stream === stdout) writeSync(2, `The output cannot be written: ${error.message}\n`);
      process.exit(1);
    });
  // The second one exits the process.
  process.once('SIGINT', () => stopped.abort(new CommandFailure('A2ACLI_ERR_INTERNAL', 'It was interrupted')));
  const invocation = {
    args: argv.slice(2),
    env,
    folder: process.cwd(),
    home: homedir(),
    streams: { out: (text: string) => void stdout.write(text), err: (text: string) => void stderr.write(text) },
    stdin,
    stdout,
    isTerminal: { out: stdout.isTTY === true, err: stderr.isTTY === true },
    stopped: stopped.signal,
    stopVerifyingTls: () => {
      env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    },
    listen: async (server: Server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    otherPrograms: [...programs.keys()],
  };
  return runCli(invocation, version);
}

/** A proxy that cannot be used is a finding of `doctor`, and other commands fail without it. */
async function setProxies(env: NodeJS.ProcessEnv): Promise<void> {
  const { nodeProxies, readProxies, useProxies } = await import('@switchyard/outgoing/proxies');
  try {
    const proxies = readProxies(env);
    useProxies(proxies);
    // The client for gRPC reads these names.
    Object.assign(env, nodeProxies(proxies));
  } catch (error) {
    process.stderr.write(`warning: ${error instanceof Error ? error.message : error}\n`);
  }
}
