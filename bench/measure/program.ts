import { type Program, startProgram } from '../../tests/support/process.ts';

/** Runs a program that answers one line of JSON. */
export async function ask<T>(file: string, ...args: string[]): Promise<T> {
  const program = await startProgram({ file, args });
  const ended = program.exited.then((code): never => {
    throw new Error(`${file} ended with ${code}:\n${program.output()}`);
  });
  try {
    const [, json = ''] = await Promise.race([program.waitFor(/^answer (.*)$/m, 300_000), ended]);
    return JSON.parse(json);
  } finally {
    ended.catch(() => undefined); // its answer was heard
    await program.stop(1_000);
  }
}

/** Starts a server that says where it listens. */
export async function serve(file: string, ...args: string[]): Promise<Program & { readonly url: string }> {
  const program = await startProgram({ file, args });
  const [, url = ''] = await program.waitFor(/listening on (\S+)/, 30_000);
  return { ...program, url };
}
