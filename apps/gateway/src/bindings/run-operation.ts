import type { Call } from '../call/call.ts';
import type { Reply, StreamItem } from '../operations/operation.ts';
import type { OperationName } from '../operations/operations.ts';
import type { GatewayContext } from './gateway-context.ts';

/** A stream that can begin. It has one of the slots until it is disposed of. */
export interface OpenStream extends Disposable {
  readonly items: AsyncIterable<StreamItem>;
}

export type Answer = { readonly reply: Reply } | OpenStream;

/**
 * Runs an operation up to its answer. Of what was asked, which may be large, nothing is needed to write that.
 * @throws {A2AError}
 */
export async function runOperation(
  { operations, streams }: Pick<GatewayContext, 'operations' | 'streams'>,
  name: OperationName,
  { call, params }: { readonly call: Call; readonly params: unknown },
): Promise<Answer> {
  const operation = operations[name];
  if (operation.kind === 'unary') return { reply: await operation.invoke(call, params) };
  const slot = streams.take();
  try {
    const items = await operation.invoke(call, params);
    return { items, [Symbol.dispose]: () => slot[Symbol.dispose]() };
  } catch (error) {
    slot[Symbol.dispose]();
    throw error;
  }
}
