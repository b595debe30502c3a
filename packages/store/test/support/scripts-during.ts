import { randomUUID } from 'node:crypto';
import { testRedis } from './redis.ts';

const redis = testRedis();

/** How many scripts Redis is given meanwhile, of those that name a key with this prefix. */
export async function scriptsDuring(prefix: string, act: () => Promise<unknown>): Promise<number> {
  const monitor = await redis.duplicate().monitor();
  const end = randomUUID();
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  let scripts = 0;
  monitor.on('monitor', (_time: string, [command = '', ...args]: string[], source: string) => {
    if (args[0] === end) see();
    if (/^eval/i.test(command) && source !== 'lua' && args.some((arg) => arg.startsWith(prefix))) scripts++;
  });
  await act();
  await redis.echo(end); // what came before it has been seen when this is
  await seen;
  monitor.disconnect();
  return scripts;
}
