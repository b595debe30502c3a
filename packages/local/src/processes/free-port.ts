import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the system's ports for outgoing connections (Linux: from 32,768 on), which could take a free one first. */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/** Those that this process was given. */
const given = new Set<number>();

/** A free loopback port, which this process is not given twice. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (given.has(port)) continue;
    given.add(port);
    if (!(await isPortTaken(port, '127.0.0.1'))) return port;
  }
}

/** Whether something already listens at a port of this machine. */
export function isPortTaken(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('listening', () => probe.close(() => resolve(false)));
    probe.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(true) : reject(error),
    );
    probe.listen(port, host);
  });
}
