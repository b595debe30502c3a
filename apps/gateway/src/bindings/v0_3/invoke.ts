import type { StreamResponse } from '@a2a-js/sdk';
import type { ServerCallContext } from '@a2a-js/sdk/server';
import { requireShallow } from '../../exchange/read-json.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { toStreamResponse } from '../grpc/messages.ts';
import { callerOf } from './caller.ts';

/** Runs an operation that answers once. @returns JSON text */
export function invokeUnary({ operations }: GatewayContext) {
  return async (name: OperationName, params: unknown, context: ServerCallContext): Promise<string> => {
    const caller = callerOf(context);
    caller.hasAsked = true;
    try {
      const operation = operations[name];
      if (operation.kind !== 'unary') throw new TypeError(`${name} answers with a stream`);
      const { json = '{}' } = await operation.invoke(caller.call, requireShallow(params, 'request'));
      return json.toString();
    } catch (thrown) {
      throw caller.wire.refuse(thrown);
    } finally {
      caller.wire.done();
    }
  };
}

/** Runs an operation that answers with a stream, no faster than its client reads. */
export function invokeStreaming({ operations, streams }: GatewayContext) {
  return async function* (
    name: OperationName,
    params: unknown,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const caller = callerOf(context);
    caller.hasAsked = true;
    try {
      const operation = operations[name];
      if (operation.kind !== 'streaming') throw new TypeError(`${name} answers with one message`);
      using _slot = streams.take();
      for await (const { seq, incarnation, json } of await operation.invoke(
        caller.call,
        requireShallow(params, 'request'),
      )) {
        caller.position = { seq, incarnation };
        yield toStreamResponse(json);
        await caller.wire.drained();
      }
    } catch (thrown) {
      throw caller.wire.refuse(thrown);
    } finally {
      caller.wire.done();
    }
  };
}
