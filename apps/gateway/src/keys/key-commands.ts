import { UsageError } from '@switchyard/settings';
import type { Credential, Credentials } from '@switchyard/store';
import { keyDraft, keyParameters, scopesProblem } from './key-draft.ts';

/** Options of `create`: all of them text. */
export const keyOptions = {
  subject: { type: 'string' },
  tenant: { type: 'string' },
  scopes: { type: 'string' },
  agents: { type: 'string' },
  note: { type: 'string' },
  days: { type: 'string' },
} as const;

type Given = Readonly<Partial<Record<keyof typeof keyOptions, string>>>;

/** @returns what is printed. @throws {UsageError} */
export function runKeyCommand(credentials: Credentials, words: readonly string[], given: Given): Promise<string> {
  const [command, id, ...rest] = words;
  if (command === 'create' && id === undefined) return create(credentials, given);
  if (command === 'list' && id === undefined) return list(credentials);
  if (command === 'revoke' && id !== undefined && rest.length === 0) return revoke(credentials, id);
  throw new UsageError('Say create, list, or revoke <id> (--help says more)');
}

async function create(credentials: Credentials, given: Given): Promise<string> {
  const { data, error } = keyParameters.safeParse({ ...given });
  if (error) throw new UsageError(error.issues.map(({ path, message }) => `--${path.join()} ${message}`).join('\n'));
  const { key, credential } = await credentials.create(keyDraft(data));
  const shown = 'This is the only time that it is shown. Its owner sends it as X-API-Key.';
  const problem = scopesProblem(credential.scopes);
  return [key, '', shown, lineOf(credential), ...(problem === undefined ? [] : [problem])].join('\n');
}

async function list(credentials: Credentials): Promise<string> {
  const all = await credentials.list();
  return all.length === 0 ? 'There are no keys.' : all.map(lineOf).join('\n');
}

async function revoke(credentials: Credentials, id: string): Promise<string> {
  const revoked = await credentials.revoke(id);
  if (!revoked) throw new UsageError(`There is no key ${id}`);
  return lineOf(revoked);
}

function lineOf({ id, tenant, subject, scopes, agents, note, createdAt, expiresAt, revokedAt }: Credential): string {
  const parts = [
    id,
    `${tenant}/${subject}`,
    scopes.length > 0 ? scopes.join(' ') : 'all scopes but admin',
    agents && `agents ${agents.join(' ')}`,
    `made ${createdAt}`,
    expiresAt && `expires ${expiresAt}`,
    revokedAt && `revoked ${revokedAt}`,
    note,
  ];
  return parts.filter((part) => part !== undefined).join(' | ');
}
