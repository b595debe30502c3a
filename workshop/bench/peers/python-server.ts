import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { install, pythonAgentToolchain } from '../../../tests/interop/support/toolchains.ts';

const folder = fileURLToPath(new URL('python', import.meta.url));

/** Why there is no Python here; undefined if there is. */
export const missingPython = pythonAgentToolchain.missing;

/** A running server of the SDK for Python. */
export interface PythonServer {
  readonly url: string;
  stop: GuardedProcess['stop'];
}

/** @param database where it keeps its tasks, and `cluster` if other replicas read its events; default: in memory */
export async function startPythonServer(...database: readonly string[]): Promise<PythonServer> {
  const { file, args } = await install(folder, pythonAgentToolchain);
  const program = await spawnGuarded(file, [...args, ...database]);
  const lines: string[] = [];
  program.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  for await (const line of createInterface({ input: program.stdout })) {
    const [, url] = /^listening on (\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    program.stdout.resume();
    return { url, stop: program.stop };
  }
  throw new Error(`the server of the SDK for Python has ended:\n${lines.join('')}`);
}
