import { BlockList, isIP } from 'node:net';
import { TargetError } from './target.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * A load test is an attack unless one may: this machine, or the one host that was named. An agent card may lead
 * elsewhere than it came from, so that the endpoint is asked about, too.
 * @throws {TargetError}
 */
export function requireAllowed({ hostname }: URL, allowedHost: string | undefined): void {
  if (isLoopback(hostname) || hostname === allowedHost) return;
  throw new TargetError(
    `${hostname} is not this machine. If you may put it under load, say so: --allow-host ${hostname}` +
      (allowedHost === undefined ? '' : ` (you allowed ${allowedHost})`),
  );
}

function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0) return address === 'localhost' || address.endsWith('.localhost');
  return loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
