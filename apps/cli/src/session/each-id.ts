import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import type { Session } from './session.ts';

/** What was done with one thing. */
export interface Done {
  readonly json: unknown;
  readonly text: string;
}

interface ManyIds {
  readonly ids: readonly string[];
  readonly act: (id: string) => Promise<Done>;
  /** Converts what `act` threw, where callFailure does not know it. */
  readonly explain?: (error: unknown) => unknown;
}

type Result = { readonly id: string } & ({ readonly result: unknown } | { readonly error: object });

/**
 * Does the same with each of several ids, one after the other, and goes on after a failure. As JSON one id has its
 * result alone, several have `{ results: [{ id, result } or { id, error }] }`.
 * @throws {CommandFailure} the first one, if any failed
 */
export async function withEachId(session: Session, { ids, act, explain = (error) => error }: ManyIds): Promise<void> {
  const { output, call } = session;
  const [only] = ids;
  if (only !== undefined && ids.length === 1) {
    const { json, text } = await act(only);
    return output.result(json, () => text);
  }
  const results: Result[] = [];
  const failures: CommandFailure[] = [];
  for (const id of new Set(ids)) {
    try {
      const { json, text } = await act(id);
      results.push({ id, result: json });
      output.text(text);
    } catch (error) {
      if (call.signal.aborted) throw error;
      const failure = callFailure(explain(error), call.signal);
      const { code, message, hint } = failure;
      results.push({ id, error: { code, message, hint: hint ?? null } });
      failures.push(failure);
      if (!output.isJson) output.failure(failure, id);
    }
  }
  output.result({ results }, () => '');
  const [first] = failures;
  if (first)
    throw new CommandFailure(first.code, `${failures.length} of ${results.length} failed`, {
      isReported: true,
      cause: first,
    });
}
