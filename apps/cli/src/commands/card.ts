import type { Command } from 'commander';
import { problemsOf } from '../agent/card.ts';
import { fetchCard } from '../agent/connect.ts';
import { CommandFailure } from '../failures/failure.ts';
import { cardText } from '../output/card-text.ts';
import { type Invocation, openSession, withAgent } from '../session/session.ts';

interface CardFlags {
  readonly validate?: boolean;
  readonly extended?: boolean;
}

export function addCardCommands(program: Command, invocation: Invocation): void {
  const card = program.command('card').description('show the Agent Card');
  card
    .command('get')
    .description('fetch the card')
    .option('--validate', 'validate it against the schema of A2A 1.0')
    .option('--extended', 'the extended card, for authenticated callers')
    .action((flags: CardFlags, command: Command) => (flags.extended ? extended : plain)(invocation, command, flags));
}

async function plain(invocation: Invocation, command: Command, { validate }: CardFlags): Promise<void> {
  const { output, call } = await openSession(invocation, command);
  const { card, raw } = await fetchCard(call);
  const problems = validate ? await problemsOf({ card, raw }) : undefined;
  if (problems && problems.length > 0 && output.isJson)
    throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', `The card is not valid: ${problems.join('; ')}`);
  output.result(raw, () => cardText(card, { signature: signatureOf(card), ...(problems && { problems }) }));
  if (problems && problems.length > 0)
    throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', `The card is not valid: ${problems.length} problems`);
}

function extended(invocation: Invocation, command: Command): Promise<void> {
  return withAgent(invocation, command, async ({ output, options }, agent) => {
    if (!agent.can('extendedAgentCard'))
      throw new CommandFailure(
        'ExtendedAgentCardNotConfiguredError',
        'The agent’s card says that it has no extended card',
      );
    const accepts = Object.keys(agent.card.securitySchemes ?? {}).length > 0;
    if ((options.bearer || options.apiKey) && !accepts)
      throw new CommandFailure(
        'A2ACLI_ERR_CREDENTIALS_MISSING',
        'The card declares no security scheme, so no credential can be sent',
      );
    const card = await agent.extendedCard();
    output.result(card, () => cardText(card, { signature: signatureOf(card) }));
  });
}

/** Signatures are not verified, because there is no trusted key. */
function signatureOf({ signatures = [] }: { readonly signatures?: readonly unknown[] | undefined }): string {
  return signatures.length === 0 ? 'absent' : 'not verified';
}
