import { RetryableError, type Turn } from '@switchyard/agent';
import { approvalsUrl } from './config.ts';

interface Request {
  readonly proposal: string;
  /** Where `{ approved, by }` is posted. The client must not learn it: it could approve its own wish. */
  readonly answerUrl: string;
  readonly signal: AbortSignal;
}

/** Asks the manager by a webhook. Without one, the log says that an operator may answer. */
export async function askForApproval(turn: Turn, { signal, ...request }: Request): Promise<void> {
  const url = approvalsUrl();
  if (!url) return turn.log.info(`Waits for an approval: npx switchyard task event ${turn.task.id} approval <answer>`);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': turn.task.id },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) throw new RetryableError(`The manager cannot be asked (${response.status}).`);
}
