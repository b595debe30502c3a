import { type Command, Redis } from 'ioredis';
import { PostgresArchive } from '../../../packages/archive/src/postgres-archive.ts';
import { dieIfAsked } from './kill-point.ts';

// Preloaded into workers (NODE_OPTIONS=--import): the first of them that is about to write copies of tasks to the
// archive (`put`), or has done so, or has then noted in Redis what is copied (`archived`), dies if a file in
// KILL_FOLDER says so.

let hasPut = false;

const { put } = PostgresArchive.prototype;
PostgresArchive.prototype.put = async function (...args) {
  dieIfAsked('before', 'put');
  await Reflect.apply(put, this, args);
  dieIfAsked('after', 'put');
  hasPut = true;
};

const { sendCommand } = Redis.prototype;
Redis.prototype.sendCommand = function (command: Command, ...more) {
  const reply: unknown = Reflect.apply(sendCommand, this, [command, ...more]);
  if (hasPut && command.name !== 'get' && command.args.some((arg) => String(arg).endsWith(':outbox:archived')))
    void Promise.resolve(reply).then(
      () => {
        hasPut = false;
        dieIfAsked('after', 'archived');
      },
      () => undefined,
    );
  return reply;
};
