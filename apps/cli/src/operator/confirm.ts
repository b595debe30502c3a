import { CommandFailure } from '../failures/failure.ts';
import { ask } from '../session/ask.ts';
import type { Session } from '../session/session.ts';

/**
 * Asks before a command changes many things: at a terminal, unless `--yes` was given. Scripts must give it.
 * @throws {CommandFailure}
 */
export async function confirm(
  { invocation, call }: Session,
  question: string,
  { yes }: { readonly yes: boolean | undefined },
): Promise<void> {
  if (yes) return;
  const answer = await ask(question, { ...invocation, stopped: call.signal });
  if (answer === undefined)
    throw new CommandFailure('A2ACLI_ERR_USAGE', `Nobody can be asked here: ${question}`, {
      hint: 'Add --yes to do it, or --dry-run to see what it would change.',
    });
  if (!answer) throw new CommandFailure('SWITCHYARD_ERR_NOT_CONFIRMED', 'Nothing was changed', { hint: 'Answer y.' });
}
