import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env } from 'node:process';
import { Script } from '../../../packages/store/src/redis/script.ts';
import { killFile } from './kill-point.ts';

// Preloaded into gateways and workers (NODE_OPTIONS=--import): the first of them that is about to run a script, or has
// its reply, dies if a file in KILL_FOLDER says so: see `killFile`. The file gets the pid of the process.

const app = /apps\/(\w+)\//.exec(argv[1] ?? '')?.[1] ?? '';

function dieIfAsked({ name }: { readonly name: string }, when: 'before' | 'after'): void {
  const file = join(env.KILL_FOLDER ?? '', killFile({ app, when, script: name }));
  try {
    renameSync(file, `${file} ${process.pid}`);
  } catch {
    return; // nobody asked
  }
  process.kill(process.pid, 'SIGKILL');
}

for (const method of ['run', 'runOver'] as const) {
  const run = Script.prototype[method];
  Script.prototype[method] = async function (this: typeof Script.prototype, ...args: unknown[]) {
    dieIfAsked(this, 'before');
    const reply: unknown = await Reflect.apply(run, this, args);
    dieIfAsked(this, 'after');
    return reply;
  };
}
