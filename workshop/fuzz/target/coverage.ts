// Preloaded into a program (NODE_OPTIONS=--import), which then reports its covered branches and its memory.

import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The branches of our own code: `apps/gateway/src/main.ts:120-180`. */
async function branches(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const file = /(?:apps|packages)\/[^?]*\/src\/[^?]*$/.exec(url)?.[0];
    if (file === undefined || url.includes('node_modules')) return [];
    const ranges = functions.flatMap((each) => each.ranges).filter(({ count }) => count > 0);
    return ranges.map(({ startOffset, endOffset }) => `${file}:${startOffset}-${endOffset}`);
  });
}

const server = createServer(async (req, res) => {
  const answer = req.url === '/branches' ? await branches() : { heapBytes: heapBytes() };
  res.end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`coverage at ${(server.address() as AddressInfo).port}\n`);
});
// It ends when the program does.
server.unref();

/** The heap in use, after a garbage collection if `--expose-gc` is set. */
function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
