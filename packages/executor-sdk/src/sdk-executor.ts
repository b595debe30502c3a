import type { AgentExecutor } from '@a2a-js/sdk/server';
import type { Execute, Outcome, Turn } from '@switchyard/agent';
import { TurnInterruption } from '@switchyard/agent';
import { requestContext } from './request-context.ts';
import { TurnBus } from './turn-bus.ts';

/**
 * Runs an executor that was written for `@a2a-js/sdk`, unmodified. Unlike in the SDK's own server, messages of one
 * task run one after the other, a run without an outcome fails the task, error messages do not reach the client, and
 * `cancelTask` is also called when the worker stops or loses the task, as executors have no other signal.
 */
export function sdkExecutor(executor: AgentExecutor): Execute {
  if (typeof executor?.execute !== 'function' || typeof executor.cancelTask !== 'function')
    throw new TypeError('sdkExecutor needs an executor of @a2a-js/sdk, with execute() and cancelTask()');
  return async (turn) => {
    const bus = new TurnBus(turn);
    using _stop = stopWithTurn(executor, turn, bus);
    // An executor may say that it has finished, and go on, or never return.
    await Promise.race([executor.execute(await requestContext(turn), bus), bus.untilFinished]);
    bus.finished();
    return conclude(turn, bus);
  };
}

async function conclude(turn: Turn, bus: TurnBus): Promise<Outcome> {
  try {
    return await bus.conclude();
  } catch (error) {
    // The executor was canceled, and stopped.
    turn.signal.throwIfAborted();
    throw error;
  }
}

/**
 * Stops the executor with its turn. It publishes the CANCELED state itself; at other interruptions its events are
 * dropped.
 */
function stopWithTurn(executor: AgentExecutor, { signal, task }: Turn, bus: TurnBus): Disposable {
  const cancel = async (): Promise<void> => executor.cancelTask(task.id, bus);
  const stop = (): void => {
    if (TurnInterruption.from(signal.reason).kind !== 'canceled') bus.mute();
    // An executor that does not stop is abandoned after the turn's grace period.
    cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', stop) };
}
