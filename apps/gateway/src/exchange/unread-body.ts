import type { IncomingMessage, ServerResponse } from 'node:http';

/** Node reads and drops as much, so that the connection can go on. */
export const MOST_DROPPED = 64 * 1024;

/** How long a client may take to read its answer before the connection is closed. */
const LINGER_MS = 250;

/**
 * Call it before an answer is written that needs no body: a large one that has not arrived is not read, and the
 * connection ends with the answer.
 */
export function leaveUnread(req: IncomingMessage, res: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = req.headers;
  if (req.complete || (transfer === undefined && Number(length) <= MOST_DROPPED)) return;
  res.setHeader('Connection', 'close');
  const { socket } = req;
  // Node would destroy the connection at once: a client that still sends would lose the answer.
  socket.destroySoon = () => {
    socket.end();
    socket.pause();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
