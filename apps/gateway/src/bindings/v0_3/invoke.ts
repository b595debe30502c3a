import type { StreamResponse } from '@a2a-js/sdk';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import { retainCopies } from '@switchyard/store';
import { requireShallow } from '../../exchange/read-json.ts';
import { runOperation } from '../../operations/operation.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { toStreamResponse } from '../grpc/messages.ts';
import { callerOf } from './caller.ts';

/** Of an answer: text, message and events of both versions, and the bytes that leave. */
const COPIES = 6;

/** Runs an operation that answers once. @returns JSON text */
export function invokeUnary({ operations }: GatewayContext) {
  return async (name: OperationName, params: unknown, context: ServerCallContext): Promise<string> => {
    const caller = callerOf(context);
    caller.hasAsked = true;
    try {
      const run = { call: caller.call, params: requireShallow(params, 'request') };
      const answer = await runOperation(operations[name], run);
      if ('items' in answer) throw new TypeError(`${name} answers with a stream`);
      const { json = '{}' } = answer;
      caller.wire.hold(retainCopies(json, COPIES));
      return json.toString();
    } catch (thrown) {
      throw caller.wire.refuse(thrown);
    } finally {
      caller.wire.done();
    }
  };
}

/** Runs an operation that answers with a stream, no faster than its client reads. */
export function invokeStreaming({ operations }: GatewayContext) {
  return async function* (
    name: OperationName,
    params: unknown,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const caller = callerOf(context);
    caller.hasAsked = true;
    try {
      const run = { call: caller.call, params: requireShallow(params, 'request') };
      const answer = await runOperation(operations[name], run);
      if (!('items' in answer)) throw new TypeError(`${name} answers with one message`);
      using stream = answer;
      for await (const { seq, incarnation, json } of stream.items) {
        caller.position = { seq, incarnation };
        using _copies = retainCopies(json, COPIES);
        yield toStreamResponse(json.toString());
        await caller.wire.drained(json.length);
      }
    } catch (thrown) {
      throw caller.wire.refuse(thrown);
    } finally {
      caller.wire.done();
    }
  };
}
