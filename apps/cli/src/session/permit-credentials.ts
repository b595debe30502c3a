import { join } from 'node:path';
import { z } from 'zod';
import { UserFile, type UserPlace, userFolderOf } from '../data-folder/user-folder.ts';
import { CommandFailure } from '../failures/failure.ts';
import { type Elsewhere, elsewhereOf, type ScopeSettings } from '../settings/credential-scope.ts';
import { type Asker, ask } from './ask.ts';

/** Answers of earlier questions. */
const permittedSchema = z.array(z.object({ origin: z.string(), namedBy: z.string() }));
const maxPermitted = 1_000;

/**
 * Lets credentials go to the URL of an interface, or asks the user in a terminal. The answer is kept.
 * @throws {CommandFailure} the user has not named this origin for them
 */
export async function permitCredentials(url: string, scope: ScopeSettings, asker: Asker & UserPlace): Promise<void> {
  const elsewhere = elsewhereOf(url, scope);
  if (!elsewhere) return;
  const file = new UserFile(join(userFolderOf(asker), 'permitted.json'), permittedSchema);
  const permitted = (await file.read()) ?? [];
  const { origin, namedBy } = elsewhere;
  if (permitted.some((each) => each.origin === origin && each.namedBy === namedBy)) return;
  if (!(await isPermitted(elsewhere, asker))) throw refusal(elsewhere);
  await file.write([...permitted, { origin, namedBy }].slice(-maxPermitted));
}

/** Only a person in a terminal can answer. */
async function isPermitted({ origin, namedBy, credentials }: Elsewhere, asker: Asker): Promise<boolean> {
  const what = `${namedBy} points to ${origin}, which would get ${credentials.join(' and ')}.`;
  return (await ask(`${what}\nSend it there, now and later?`, asker)) ?? false;
}

function refusal({ origin, namedBy, credentials }: Elsewhere): CommandFailure {
  const text = `${namedBy} points to ${origin}, and ${credentials.join(' and ')} was not given for it: nothing was sent`;
  return new CommandFailure('SWITCHYARD_ERR_CREDENTIAL_SCOPE', text, {
    hint: `If you trust it: --credentials-for ${origin}, or A2ACLI_CREDENTIALS_FOR.`,
  });
}
