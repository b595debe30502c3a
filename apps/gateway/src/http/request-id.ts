import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { protocolVersion } from './protocol-version.ts';

/** What a caller's own id may look like: it goes into log lines and back into a header. */
const sane = /^[\w.:/+=@-]{1,128}$/;

/** Names the request, by its caller's id if that is sane, and says in every response which protocol version answered. */
export function identify(req: Request, res: Response, next: NextFunction): void {
  const given = req.headers['x-request-id'];
  res.setHeader('X-Request-Id', typeof given === 'string' && sane.test(given) ? given : randomUUID());
  res.setHeader('A2A-Version', protocolVersion);
  next();
}
