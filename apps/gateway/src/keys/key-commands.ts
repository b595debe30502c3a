import { UsageError } from '@switchyard/settings';
import type { AuditAction, AuditTrail, Credential, Credentials } from '@switchyard/store';
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

/** What the commands need of a store. */
export interface KeyStore {
  readonly credentials: Credentials;
  readonly audit: AuditTrail;
}

/** @returns what is printed. @throws {UsageError} */
export function runKeyCommand(store: KeyStore, words: readonly string[], given: Given): Promise<string> {
  const [command, id, ...rest] = words;
  if (command === 'create' && id === undefined) return create(store, given);
  if (command === 'list' && id === undefined) return list(store.credentials);
  if (command === 'revoke' && id !== undefined && rest.length === 0) return revoke(store, id);
  throw new UsageError('Say create, list, or revoke <id> (--help says more)');
}

async function create(store: KeyStore, given: Given): Promise<string> {
  const { data, error } = keyParameters.safeParse({ ...given });
  if (error) throw new UsageError(error.issues.map(({ path, message }) => `--${path.join()} ${message}`).join('\n'));
  const { key, credential } = await store.credentials.create(keyDraft(data));
  const shown = 'This is the only time that it is shown. Its owner sends it as X-API-Key.';
  const problem = scopesProblem(credential.scopes);
  const lost = await audited(store.audit, 'key-create', credential);
  return [key, '', shown, lineOf(credential), problem, lost].filter((line) => line !== undefined).join('\n');
}

async function list(credentials: Credentials): Promise<string> {
  const all = await credentials.list();
  return all.length === 0 ? 'There are no keys.' : all.map(lineOf).join('\n');
}

async function revoke(store: KeyStore, id: string): Promise<string> {
  const revoked = await store.credentials.revoke(id);
  if (!revoked) throw new UsageError(`There is no key ${id}`);
  const lost = await audited(store.audit, 'key-revoke', revoked);
  return lost === undefined ? lineOf(revoked) : `${lineOf(revoked)}\n${lost}`;
}

/** @returns a line that says so if it could not be written: the key itself is made, and is shown once */
async function audited(trail: AuditTrail, what: AuditAction, { id, tenant }: Credential): Promise<string | undefined> {
  const event = { at: new Date().toISOString(), what, outcome: 'ok', operation: 'npm run keys', tenant, object: id };
  try {
    await trail.write([event]);
    return undefined;
  } catch (error) {
    return `The audit trail does not have it: ${error instanceof Error ? error.message : String(error)}`;
  }
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
