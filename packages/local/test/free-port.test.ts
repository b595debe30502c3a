import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, isPortTaken } from '../src/processes/free-port.ts';

test('freePort returns distinct ports below the range that the system gives to connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port).toBeLessThan(32_768);
  const server = createServer().listen(ports[0], '127.0.0.1');
  await once(server, 'listening');
  expect(await Promise.all(ports.slice(0, 2).map((port) => isPortTaken(port, '127.0.0.1')))).toEqual([true, false]);
  server.close();
});
