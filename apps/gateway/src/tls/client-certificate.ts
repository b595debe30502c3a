import type { Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';

/** By connection: Node makes the object anew each time. */
const known = new WeakMap<TLSSocket, PeerCertificate>();

/** The certificate of a client, if TLS_CLIENT_CA_FILE has signed it. One that has not proves nothing. */
export function clientCertificate(socket: Socket): PeerCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = known.get(socket) ?? socket.getPeerCertificate();
  known.set(socket, certificate);
  return certificate;
}
