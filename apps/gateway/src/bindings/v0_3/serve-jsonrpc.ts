import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { parse } from '@switchyard/protocol/schemas';
import type { EventId } from '@switchyard/store';
import type { Admission } from '../../admission/admission.ts';
import { disposeOnClose, type Exchange, namedVersion, reportFailure } from '../../exchange/exchange.ts';
import { lastEventIdInMetadata, majorMinor, protocolVersion } from '../../exchange/service-parameters.ts';
import type { StreamItem } from '../../operations/operation.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type OlderVersion, writeJsonRpcStream, writeResult, writeRpcError } from '../jsonrpc.ts';
import { configured, type JsonRpcInvocation, type JsonRpcRequest, parseRequest } from '../jsonrpc-request.ts';
import { checkLegacyConfiguration } from '../unknown-configuration.ts';
import { LegacyCaller, type LegacyWire, openLegacyCall } from './caller.ts';
import { fromSdkError } from './errors.ts';
import { type LegacyEvent, type LegacyMethod, type LegacyMethodName, legacyMethods } from './methods.ts';
import { createRequestHandler } from './request-handler.ts';

const methodNames = Object.keys(legacyMethods).filter(isLegacyMethod);

/**
 * A2A 0.3 over JSON-RPC, at the URL of 1.0. Envelopes, limits and streams are those of 1.0; the SDK translates the
 * contents.
 */
export function legacyJsonRpc(context: GatewayContext): OlderVersion {
  return {
    methods: methodNames,
    /** The method is of 0.3, and the request does not name version 1.0. */
    isSpokenIn({ req }, body) {
      if (typeof body !== 'object' || body === null) return false;
      if (!('method' in body) || !isLegacyMethod(body.method)) return false;
      return majorMinor(namedVersion(req) ?? '') !== protocolVersion;
    },
    async serve(exchange, { admission, received }) {
      const request = parseRequest(received, methodNames);
      try {
        await answer(context, exchange, { admission, request });
      } catch (thrown) {
        if (request.isNotification) finishNotification(context, exchange, thrown);
        else writeRpcError(context, exchange, { id: request.id, thrown });
      }
    },
  };
}

interface Received {
  readonly admission: Admission;
  readonly request: JsonRpcRequest<LegacyMethodName>;
}

async function answer(context: GatewayContext, exchange: Exchange, { admission, request }: Received): Promise<void> {
  if (request.error) throw request.error;
  const lastEventId = lastEventIdInMetadata(request.params);
  const caller = new LegacyCaller(openLegacyCall(context, exchange, { admission, lastEventId }), wireOf(exchange));
  const method: LegacyMethod = legacyMethods[request.method];
  parse(method.params, request.params);
  checkLegacyConfiguration(context.settings, exchange.res, request.params);
  const params = paramsOf(request, context.settings.sendMode === 'blocking');
  try {
    const translation = new LegacyRestTransportHandler(createRequestHandler(context));
    const sdkContext = caller.toContext();
    if (method.kind === 'unary') {
      const json = JSON.stringify(await method.run(translation, params, sdkContext));
      return request.isNotification
        ? finishNotification(context, exchange)
        : writeResult(exchange.res, request.id, { json });
    }
    // Clients of 0.3 expect a stream: the error is its only event.
    const events = await method.run(translation, params, sdkContext);
    const items = request.method === 'message/stream' ? sentItems(events, caller) : resubscribedItems(events, caller);
    if (request.isNotification) {
      for await (const _begun of items) break;
      return finishNotification(context, exchange);
    }
    await writeJsonRpcStream(context, exchange, { id: request.id, items });
  } catch (thrown) {
    throw fromSdkError(thrown, !caller.hasAsked);
  }
}

/** A notification has no answer, not even for an error. */
function finishNotification(context: GatewayContext, exchange: Exchange, thrown?: unknown): void {
  if (thrown !== undefined) reportFailure(context, exchange, thrown);
  exchange.res.statusCode = 204;
  exchange.res.end();
}

/** The gateway writes the stream itself, so the SDK needs no hooks. */
const wireOf = ({ res }: Exchange): LegacyWire => ({
  refuse: (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  drained: async () => undefined,
  hold: (held) => disposeOnClose(res, held),
  done: () => undefined,
  zeroIsUnset: false,
});

function isLegacyMethod(name: unknown): name is LegacyMethodName {
  return typeof name === 'string' && Object.hasOwn(legacyMethods, name);
}

/**
 * The SDK reads a `configuration` without `blocking` as non-blocking, but servers of 0.3 blocked. So unset means the
 * gateway's default. Only for JSON-RPC, because in protobuf false and unset are equal. Notifications do not wait.
 */
function paramsOf(
  { method, params, isNotification }: JsonRpcInvocation<LegacyMethodName> & { readonly isNotification: boolean },
  isBlocking: boolean,
): object {
  if (isNotification && method === 'message/send') return configured(params, { blocking: false });
  const { configuration } = params as { readonly configuration?: { readonly blocking?: unknown } | null };
  return configuration ? configured(params, { blocking: configuration.blocking ?? isBlocking }) : params;
}

/**
 * Events of version 0.3, with the ids of the original events. The last one has `final`, also for a question: clients
 * wait for it, but the SDK sets it only at the end of a task.
 */
async function* sentItems(events: AsyncIterable<LegacyEvent>, caller: LegacyCaller): AsyncIterable<StreamItem> {
  let question: { readonly id: EventId; readonly event: LegacyEvent } | undefined;
  for await (const event of events) {
    if (question) yield toItem(question.id, question.event);
    question = isQuestion(event) ? { id: caller.position, event } : undefined;
    if (!question) yield toItem(caller.position, event);
  }
  if (question) yield toItem(question.id, { ...question.event, final: true });
}

/** The stream goes on after a question, perhaps much later, so that each has `final`. */
async function* resubscribedItems(events: AsyncIterable<LegacyEvent>, caller: LegacyCaller): AsyncIterable<StreamItem> {
  for await (const event of events)
    yield toItem(caller.position, isQuestion(event) ? { ...event, final: true } : event);
}

/** For a new message it is usually the last event. Its stream then ends at once, so holding it back costs no time. */
function isQuestion({ kind, status }: LegacyEvent): boolean {
  return kind === 'status-update' && status?.state === 'input-required';
}

function toItem(id: EventId, event: LegacyEvent): StreamItem {
  return { ...id, json: JSON.stringify(event) };
}
