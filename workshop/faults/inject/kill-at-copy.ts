import { PostgresArchive } from '../../../packages/archive/src/postgres-archive.ts';
import './kill-at-script.ts';
import { dieIfAsked } from './kill-point.ts';

// Preloaded into workers (NODE_OPTIONS=--import): the first of them that is about to write copies of tasks to the
// archive (`put`), or has done so, dies if a file in KILL_FOLDER says so. So it is with all scripts.

const { put } = PostgresArchive.prototype;
PostgresArchive.prototype.put = async function (...args) {
  dieIfAsked('before', 'put');
  await Reflect.apply(put, this, args);
  dieIfAsked('after', 'put');
};
