import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Observe } from '../observe/happening.ts';
import { type Exchange, requestName } from './exchange.ts';
import { protocolVersion } from './protocol-version.ts';

/** What a caller's own request id may look like: it goes into log lines and back into a header. */
const saneId = /^[\w.:/+=@-]{1,128}$/;

/** Tells the ids that this process gives from those of others. */
const ourName = randomBytes(9).toString('base64url');
let given = 0;

/** Names each request, by its caller's id if that is sane; says in each response which protocol version answered; reports its end. */
export function beginExchange(observe: Observe, { req, res }: Exchange): void {
  res.setHeader('X-Request-Id', requestIdOf(req.headers['x-request-id']));
  res.setHeader('A2A-Version', protocolVersion);
  const startedAt = performance.now();
  res.on('close', () => {
    const durationMs = Math.round(performance.now() - startedAt);
    observe({ kind: 'answered', status: res.statusCode, durationMs, ...requestName({ req, res }) });
  });
}

/** As `beginExchange`, of every request that comes through Express. */
export function beginEachExchange(observe: Observe): RequestHandler {
  return (req, res, next) => {
    beginExchange(observe, { req, res });
    next();
  };
}

/** The caller's own id if it is sane, else a new one. */
export function requestIdOf(named: unknown): string {
  return typeof named === 'string' && saneId.test(named) ? named : `${ourName}-${++given}`;
}
