import { type Execute, timesOf } from '@switchyard/agent';
import { RefusedError } from '@switchyard/agent/runtime';
import { RemoteError } from './answers/remote-error.ts';
import { RemoteClient } from './remote-client.ts';
import { RemoteRun } from './remote-run.ts';
import { RetryBudget } from './retry-budget.ts';
import { checkRemoteSettings, defaultTimes, type FullRemoteSettings, type RemoteSettings } from './settings.ts';

/**
 * Puts the queue in front of an A2A agent that runs elsewhere, in any language, with A2A 1.0 or 0.3, over JSON-RPC or
 * HTTP+JSON. Its task is mirrored into ours: messages, artifacts as they grow, questions. Messages, cancels, accepted
 * output modes and requested extensions are passed on. While the agent is unreachable, the turn waits; then it follows
 * the remote task from its current state.
 * @throws {TypeError} a setting is wrong, or a time is longer than a timer
 */
export function remoteExecutor(given: RemoteSettings): Execute {
  checkRemoteSettings('remoteExecutor', given);
  return executeRemotely(given);
}

/** As `remoteExecutor`, with settings that were checked. */
export function executeRemotely(given: RemoteSettings): Execute {
  const settings: FullRemoteSettings = { maxFileBytes: 3_500_000, ...given, ...timesOf(given, defaultTimes) };
  let client: Promise<RemoteClient> | undefined;
  let openedAt = 0;

  /** A client with a recent card. While the card cannot be read, the agent may still answer where it did before. */
  function currentClient(): Promise<RemoteClient> {
    const earlier = client;
    if (earlier && performance.now() - openedAt < settings.cardMaxAgeMs) return earlier;
    openedAt = performance.now();
    client = RemoteClient.open(settings);
    if (earlier) client = client.catch(() => earlier);
    return client;
  }

  /** Opens the client on the first turn and not before: the agent may start after its worker. */
  async function open(signal: AbortSignal): Promise<RemoteClient> {
    const budget = new RetryBudget(settings.retryBudgetMs);
    for (;;) {
      const opening = currentClient();
      try {
        const opened = await opening;
        budget.reset();
        return opened;
      } catch (cause) {
        if (client === opening) client = undefined;
        if (!(cause instanceof RemoteError && cause.isTemporary)) throw unusableCard(cause);
        await budget.wait(cause, signal);
      }
    }
  }

  return async (turn) => new RemoteRun(turn, await open(turn.signal), settings).run();
}

function unusableCard(cause: unknown): RefusedError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const text = `The card of the remote agent cannot be used: ${reason}`;
  return new RefusedError('remote-refused', text, { cause, code: 'bad-card' });
}
