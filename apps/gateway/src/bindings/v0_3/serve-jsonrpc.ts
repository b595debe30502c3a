import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { Principal } from '@switchyard/protocol';
import { majorMinor, protocolVersion } from '../../call/service-parameters.ts';
import { type Exchange, namedVersion, reportFailure } from '../../exchange/exchange.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type JsonRpcRequest, parseRequest } from '../jsonrpc/parse-request.ts';
import type { OlderVersion } from '../jsonrpc/serve.ts';
import { writeError, writeResult, writeStream } from '../jsonrpc/write.ts';
import { LegacyCaller, type LegacyWire, openLegacyCall } from './caller.ts';
import { fromSdkError } from './errors.ts';
import { type LegacyMethod, type LegacyMethodName, legacyMethods } from './methods.ts';
import { createRequestHandler } from './request-handler.ts';
import { toStreamItems } from './to-stream-items.ts';

const methodNames = Object.keys(legacyMethods).filter(isLegacyMethod);

/**
 * A2A 0.3 over JSON-RPC, at the URL of 1.0: envelopes, limits and streams are the same, the SDK translates what is
 * inside.
 */
export function legacyJsonRpc(context: GatewayContext): OlderVersion {
  return {
    /** Its method is of 0.3, and it does not ask for 1.0 all the same. */
    isSpokenIn({ req }, body) {
      if (typeof body !== 'object' || body === null) return false;
      if (!('method' in body) || !isLegacyMethod(body.method)) return false;
      return majorMinor(namedVersion(req) ?? '') !== protocolVersion;
    },
    async serve(exchange, { principal, received }) {
      const request = parseRequest(received, methodNames);
      try {
        await answer(context, exchange, { principal, request });
      } catch (thrown) {
        if (request.isNotification) finishNotification(context, exchange, thrown);
        else writeError(context, exchange, { id: request.id, thrown });
      }
    },
  };
}

interface Received {
  readonly principal: Principal;
  readonly request: JsonRpcRequest<LegacyMethodName>;
}

async function answer(context: GatewayContext, exchange: Exchange, { principal, request }: Received): Promise<void> {
  if (request.error) throw request.error;
  const caller = new LegacyCaller(openLegacyCall(context, exchange, principal), wire);
  const method: LegacyMethod = legacyMethods[request.method];
  const params = withBlocking(request.params, context.settings.sendMode === 'blocking');
  try {
    const translation = new LegacyRestTransportHandler(createRequestHandler(context));
    const sdkContext = caller.toContext();
    if (method.kind === 'unary') {
      const json = JSON.stringify(await method.run(translation, params, sdkContext));
      return request.isNotification
        ? finishNotification(context, exchange)
        : writeResult(exchange.res, request.id, { json });
    }
    // Clients of 0.3 take nothing but a stream for an answer here: what is refused is said in its only event.
    const items = toStreamItems(await method.run(translation, params, sdkContext), caller);
    await writeStream(context, exchange, { id: request.id, items });
  } catch (thrown) {
    throw fromSdkError(thrown, !caller.hasAsked);
  }
}

/** There is no answer to put anything into, be it an error. */
function finishNotification(context: GatewayContext, exchange: Exchange, thrown?: unknown): void {
  if (thrown !== undefined) reportFailure(context, exchange, thrown);
  exchange.res.statusCode = 204;
  exchange.res.end();
}

/** The stream is written by us, so nothing has to be told to the SDK. */
const wire: LegacyWire = {
  refuse: (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  drained: async () => undefined,
  done: () => undefined,
  zeroIsUnset: false,
};

function isLegacyMethod(name: unknown): name is LegacyMethodName {
  return typeof name === 'string' && Object.hasOwn(legacyMethods, name);
}

/**
 * The SDK takes `configuration` without `blocking` for a call that does not wait. Version 0.3's own servers waited
 * unless they were told not to, so what is not said is what this gateway does by default. For JSON-RPC only: where
 * the wire is protobuf or its JSON, a client that says "do not wait" and one that says nothing send the same.
 */
function withBlocking(params: object, blocking: boolean): object {
  if (!('configuration' in params)) return params;
  const { configuration } = params;
  if (typeof configuration !== 'object' || configuration === null || 'blocking' in configuration) return params;
  return { ...params, configuration: { ...configuration, blocking } };
}
