import { type Program, startProgram } from '../../../tests/support/process.ts';

/** Runs a program to its end: it answers one line of JSON. */
export async function ask<T>(file: string, ...args: string[]): Promise<T> {
  const program = await startProgram({ file, args });
  const code = await program.exited;
  const [, json] = /^answer (.*)$/m.exec(program.output()) ?? [];
  if (json === undefined) throw new Error(`${file} ended with ${code} and no answer:\n${program.output()}`);
  return JSON.parse(json);
}

/** Starts a server that says where it listens. */
export async function serve(file: string, ...args: string[]): Promise<Program & { readonly url: string }> {
  const program = await startProgram({ file, args });
  const [, url = ''] = await program.waitFor(/listening on (\S+)/, 30_000);
  return { ...program, url };
}
