import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports of outgoing connections (Linux: from 32,768 on), which could take a port after its check. */
const [LOWEST, HIGHEST] = [20_000, 32_000];

/** Ports that this process has tried or got already. */
const used = new Set<number>();

/** A free loopback port. This process gets each port only once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (used.has(port)) continue;
    used.add(port);
    if (!(await isPortTaken(port, '127.0.0.1'))) return port;
  }
}

/** Whether a port of this machine is in use. */
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
