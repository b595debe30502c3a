import type { Operation } from '../operations/operation.ts';
import { type Operations, operationNames } from '../operations/operations.ts';
import { toA2AError } from '../telemetry/failures.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';

/** The same operations, each call of which is measured, whichever binding it came by. */
export function measuredOperations(operations: Operations, metrics: GatewayMetrics): Operations {
  const measured = { ...operations };
  for (const name of operationNames)
    measured[name] = measure(operations[name], (outcome, ms) => metrics.requested(name, outcome, ms));
  return measured;
}

type Tell = (outcome: string, durationMs: number) => void;

function measure(operation: Operation, tell: Tell): Operation {
  return operation.kind === 'unary'
    ? { kind: 'unary', invoke: (call, params) => timed(() => operation.invoke(call, params), tell) }
    : { kind: 'streaming', invoke: (call, params) => timed(() => operation.invoke(call, params), tell) };
}

async function timed<T>(run: () => Promise<T>, tell: Tell): Promise<T> {
  const begun = performance.now();
  try {
    const answer = await run();
    tell('ok', performance.now() - begun);
    return answer;
  } catch (thrown) {
    tell(toA2AError(thrown).code, performance.now() - begun);
    throw thrown;
  }
}
