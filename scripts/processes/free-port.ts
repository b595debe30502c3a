import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A loopback port that was free a moment ago: drawn by the system, so two callers rarely meet. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
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
