import type { AgentExecutor } from '@a2a-js/sdk/server';
import type { Execute, Outcome, Turn } from '@switchyard/agent';
import { TurnInterruption } from '@switchyard/agent';
import { requestContext } from './request-context.ts';
import { TurnBus } from './turn-bus.ts';

/**
 * Hosts an executor that was written for `@a2a-js/sdk`, unmodified. What differs from the SDK's own server: messages of
 * one task run one after the other, a run that returns without an outcome fails the task instead of leaving it working
 * for ever, an error's text does not reach the client, and when the worker stops or loses the task the executor is told
 * by `cancelTask`, for it knows no other way.
 */
export function sdkExecutor(executor: AgentExecutor): Execute {
  return async (turn) => {
    const bus = new TurnBus(turn);
    using _stop = stopWithTurn(executor, turn, bus);
    await executor.execute(await requestContext(turn), bus);
    bus.finished();
    return conclude(turn, bus);
  };
}

async function conclude(turn: Turn, bus: TurnBus): Promise<Outcome> {
  try {
    return await bus.conclude();
  } catch (error) {
    // It was told to stop, and did.
    turn.signal.throwIfAborted();
    throw error;
  }
}

/** A cancel is the executor's to confirm; every other interruption is none of the client's business. */
function stopWithTurn(executor: AgentExecutor, { signal, task }: Turn, bus: TurnBus): Disposable {
  const cancel = async (): Promise<void> => executor.cancelTask(task.id, bus);
  const stop = (): void => {
    if (TurnInterruption.from(signal.reason).kind !== 'canceled') bus.mute();
    // One that cannot be stopped is left behind when the turn's grace is over.
    cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', stop) };
}
