import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Program, startProgram } from '../../../../tests/support/process.ts';
import { temporaryFolder } from '../../../system.ts';
import type { Report } from '../../run-load.ts';

export interface LoadRun {
  readonly code: number;
  /** Standard output and error. */
  readonly output: string;
  /** Parsed report.json. @throws {Error} there is none */
  readonly report: Report;
}

/** Runs `npm run load` as a process to its end. */
export async function load(
  args: readonly string[],
  act: (program: Program) => unknown = () => undefined,
): Promise<LoadRun> {
  await using folder = await temporaryFolder();
  const out = folder.path;
  const program = await startProgram({ file: 'workshop/load/main.ts', args: [...args, '--out', out] });
  await act(program);
  const code = await program.exited;
  // A run that could not start writes nothing.
  const json = await readFile(join(out, 'report.json'), 'utf8').catch(() => undefined);
  const output = program.output();
  return {
    code,
    output,
    get report() {
      if (!json) throw new Error(`there is no report. It said:\n${output}`);
      return JSON.parse(json);
    },
  };
}

/** Splits a command line: `--rate 20 --text "work 100"`. */
export function words(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '');
}
