import { legacyRestRouter } from '@a2a-js/sdk/compat/v0_3/server/express';
import { toHttpError, toJsonRpcError } from '@switchyard/protocol';
import type { Request, RequestHandler } from 'express';
import { legacyVersion, majorMinor } from '../../call/protocol-version.ts';
import { askedVersion, type Exchange } from '../../exchange/exchange.ts';
import { readOptionalJson } from '../../exchange/read-json.ts';
import { reportFailure } from '../../exchange/report-failure.ts';
import { drained, respond } from '../../exchange/respond.ts';
import { heartbeatFrame } from '../../sse/serve-stream.ts';
import type { Entrance } from '../gateway-context.ts';
import { LegacyCaller, openLegacyCall } from './caller.ts';
import { WireError } from './errors.ts';
import { createRequestHandler } from './request-handler.ts';
import { legacyErrorBody, speakRestDialect, toPushConfigBody } from './rest-dialect.ts';

/** A2A 0.3 over REST: below `/v1`, where 1.0 has nothing. Mount it at the base of an agent. */
export function serveLegacyRest(entrance: Entrance): RequestHandler {
  const callers = new WeakMap<Request, LegacyCaller>();
  const translate = legacyRestRouter({
    requestHandler: createRequestHandler(entrance),
    userBuilder: async (req) => callers.get(req) ?? unopened(),
    contextBuilder: ({ user }) => (user instanceof LegacyCaller ? user.toContext() : unopened()),
  });
  return async (req, res, next) => {
    if (!req.path.startsWith('/v1/') || !isAsked(req)) return next();
    const exchange = { req, res };
    try {
      callers.set(req, await openCaller(entrance, exchange));
      req.body = toPushConfigBody(req, await readParams(entrance, exchange));
      speakRestDialect(res);
      sendHeartbeats(exchange, entrance.settings.heartbeatMs);
      translate(req, res, next);
    } catch (thrown) {
      writeLegacyError(entrance, exchange, thrown);
    }
  };
}

function isAsked(req: Request): boolean {
  const asked = askedVersion(req);
  return asked === undefined || asked === '' || majorMinor(asked) === legacyVersion;
}

async function openCaller(entrance: Entrance, exchange: Exchange): Promise<LegacyCaller> {
  const principal = await entrance.authenticator.authenticate(exchange.req.headers);
  return new LegacyCaller(openLegacyCall(entrance, exchange, principal), {
    refuse: (thrown) => new WireError(reportFailure(entrance, exchange, thrown), 'rest'),
    drained: async () => {
      if (exchange.res.writableNeedDrain) await drained(exchange.res);
    },
    done: () => undefined,
    zeroIsUnset: true,
  });
}

/** Read by us, with our limit; the SDK's own parser finds nothing left to read. Some clients send `null` for nothing. */
async function readParams({ settings }: Entrance, { req }: Exchange): Promise<unknown> {
  return req.method === 'POST' ? readOptionalJson(req, settings.maxBodyBytes) : {};
}

/** Between two events, each of which is one write. */
function sendHeartbeats({ res }: Exchange, everyMs: number): void {
  const pulse = setInterval(() => {
    if (res.headersSent && res.getHeader('Content-Type') === 'text/event-stream' && res.writable)
      res.write(heartbeatFrame);
  }, everyMs).unref();
  res.once('close', () => clearInterval(pulse));
}

function writeLegacyError(entrance: Entrance, exchange: Exchange, thrown: unknown): void {
  const error = reportFailure(entrance, exchange, thrown);
  exchange.res.statusCode = toHttpError(error).status;
  respond(exchange.res, 'application/json', JSON.stringify(legacyErrorBody(toJsonRpcError(error))));
}

function unopened(): never {
  throw new TypeError('a request of version 0.3 reached the SDK before it was opened');
}
