import { Script } from '@switchyard/redis';
import { dieIfAsked } from './kill-point.ts';

// Preloaded into gateways and workers (NODE_OPTIONS=--import): the first of them that is about to run a script, or has
// its reply, dies if a file in KILL_FOLDER says so.

for (const method of ['run', 'runOver'] as const) {
  const run = Script.prototype[method];
  Script.prototype[method] = async function (this: typeof Script.prototype, ...args: unknown[]) {
    dieIfAsked('before', this.name);
    const reply: unknown = await Reflect.apply(run, this, args);
    dieIfAsked('after', this.name);
    return reply;
  };
}
