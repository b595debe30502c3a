import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** URLs of the modules that a program loads before it ends, also if it fails. */
export async function modulesOf(program: string, args: readonly string[]): Promise<string[]> {
  const count = `import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    process.on('exit', () => console.log('\\n' + JSON.stringify(urls)));`;
  const hook = `data:text/javascript,${encodeURIComponent(count)}`;
  const call = promisify(execFile)(process.execPath, ['--import', hook, program, ...args]);
  const { stdout } = await call.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}
