import { type AuditAction, AuditTrail, type Credential, Credentials } from '@switchyard/access';
import { keyDraft, keyParameters, meSchema, scopesProblem } from '@switchyard/operator-api';
import { inspectSchema } from '@switchyard/schema';
import { RedisUnusable, type Registry, Store } from '@switchyard/store';
import type { Command } from 'commander';
import { CommandFailure } from '../failures/failure.ts';
import { field, table } from '../output/labelled-text.ts';
import { withEachId } from '../session/each-id.ts';
import { type Invocation, openSession, type Session } from '../session/session.ts';
import { deploymentRedis } from './deployment-redis.ts';
import { requireKnownScopes } from './key-scopes.ts';
import { operatorAccess, operatorClient } from './operator.ts';

/** The part of a store that the commands use. */
interface KeyStore {
  readonly registry: Pick<Registry, 'list'>;
  readonly credentials: Credentials;
  readonly audit: AuditTrail;
}

const help = `
Gateways with AUTH=api-key read these keys from Redis. Which Redis: REDIS_URL, REDIS_PASSWORD_FILE, REDIS_CA_FILE,
KEY_PREFIX and SHARDS (default: that of the deployment running in this folder). A new key is shown once; clients send
it as X-API-Key.`;

/** `keys`: the API keys of clients. */
export function addKeysCommands(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('API keys for clients: create, list, revoke');
  keys.addHelpText('after', help);
  keys
    .command('create')
    .description('create a key, and print it once')
    .option('--subject <name>', 'its owner')
    .option('--tenant <name>', 'its tenant (default: default)')
    .option('--scopes <scopes>', 'some of: send, read, cancel, push, events, priority, admin (default: all but admin)')
    .option('--agents <ids>', 'the agents that it may call (default: all)')
    .option('--any-scope', 'also scopes that no agent asks for yet')
    .option('--days <number>', 'days until it expires (default: never)')
    .option('--note <text>', 'what it is for')
    .action(({ anyScope, ...given }: { anyScope?: boolean }, command: Command) =>
      withStore(invocation, command, async (session, store) => {
        const { output } = session;
        const { key, credential, notes } = await createKey(store, given, anyScope);
        output.result({ key, ...credential }, () => field('Key', key) + credentialText(credential));
        for (const note of [...notes, await whetherAsked(invocation, session)])
          if (note !== undefined) output.note(`warning: ${note}`);
      }),
    );
  keys
    .command('list')
    .description('list keys without their secrets, latest first')
    .action((_, command: Command) =>
      withStore(invocation, command, async ({ output }, { credentials }) => {
        const all = await credentials.list();
        output.result({ keys: all }, () => (all.length === 0 ? field('Keys', 'none') : table(head, all.map(row))));
      }),
    );
  keys
    .command('revoke')
    .description('revoke keys at once, on all gateways')
    .argument('<ids...>')
    .action((ids: string[], _, command: Command) =>
      withStore(invocation, command, (session, store) => {
        const act = async (id: string) => {
          const { credential, notes } = await revokeKey(store, id);
          for (const note of notes) session.output.note(`warning: ${note}`);
          return { json: credential, text: credentialText(credential) };
        };
        return withEachId(session, { ids, act });
      }),
    );
}

/** @throws {CommandFailure} */
async function createKey({ credentials, audit, registry }: KeyStore, given: object, anyScope = false) {
  const { data, error } = keyParameters.safeParse(given);
  if (error) {
    const problems = error.issues.map(
      ({ path, message }) => `--${path[0] === undefined ? '' : String(path[0])} ${message}`,
    );
    throw new CommandFailure('A2ACLI_ERR_USAGE', problems.join('; '));
  }
  if (!anyScope) await requireKnownScopes(registry, data.scopes);
  const { key, credential } = await credentials.create(keyDraft(data));
  const notes = [scopesProblem(credential.scopes), await audited(audit, 'key-create', credential)];
  return { key, credential, notes: notes.filter((note) => note !== undefined) };
}

/** @throws {CommandFailure} */
async function revokeKey({ credentials, audit }: KeyStore, id: string) {
  const credential = await credentials.revoke(id);
  if (!credential)
    throw new CommandFailure('SWITCHYARD_ERR_NOT_FOUND', `There is no key ${id}`, { hint: 'switchyard keys list' });
  const lost = await audited(audit, 'key-revoke', credential);
  return { credential, notes: lost === undefined ? [] : [lost] };
}

/** @returns an error line if the file could not be written: the key is created, and shown only once */
async function audited(trail: AuditTrail, what: AuditAction, { id, tenant }: Credential): Promise<string | undefined> {
  const event = { at: new Date().toISOString(), what, outcome: 'ok', operation: 'switchyard keys', tenant, object: id };
  try {
    await trail.write([event]);
    return undefined;
  } catch (error) {
    return `the audit trail does not have it: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** With AUTH=none the key is of no use yet. @returns undefined: clients need keys, or no gateway could be asked */
async function whetherAsked(invocation: Invocation, session: Session): Promise<string | undefined> {
  try {
    const access = await operatorAccess(invocation);
    const signal = AbortSignal.any([session.call.signal, AbortSignal.timeout(ASK_MS)]);
    const { canTry } = await operatorClient(access, { call: { ...session.call, signal } }).call('/admin/me', meSchema);
    return canTry ? 'No one asks for keys: the gateway has AUTH=none. Set AUTH=api-key.' : undefined;
  } catch {
    // The gateway does not run here, or its key is not known: what it asks for cannot be said.
    return undefined;
  }
}

const ASK_MS = 1_000;

async function withStore(
  invocation: Invocation,
  command: Command,
  run: (session: Session, store: KeyStore) => Promise<void>,
): Promise<void> {
  const session = await openSession(invocation, command);
  const settings = await deploymentRedis(invocation);
  try {
    await inspectSchema(settings); // Fails after 5 s if Redis is frozen; a store would wait for it.
    const store = new Store(settings, () => undefined); // `start` reports the problem.
    try {
      await store.start('reader');
      const { inside, registry } = store;
      await run(session, { registry, credentials: new Credentials(inside), audit: new AuditTrail(inside) });
    } finally {
      await store.stop();
    }
  } catch (error) {
    throw error instanceof RedisUnusable
      ? new CommandFailure('SWITCHYARD_ERR_REDIS', error.message, { cause: error })
      : error;
  }
}

function credentialText({
  id,
  tenant,
  subject,
  scopes,
  agents,
  note,
  createdAt,
  expiresAt,
  revokedAt,
}: Credential): string {
  return [
    field('Id', id),
    field('Tenant', tenant),
    field('Subject', subject),
    field('Scopes', scopesText(scopes)),
    field('Agents', agents?.join(' ')),
    field('Note', note),
    field('Made', createdAt),
    field('Expires', expiresAt),
    field('Revoked', revokedAt),
  ].join('');
}

const head = ['ID', 'OWNER', 'SCOPES', 'AGENTS', 'MADE', 'STATE', 'NOTE'];

function row({
  id,
  tenant,
  subject,
  scopes,
  agents,
  note = '',
  createdAt,
  expiresAt,
  revokedAt,
}: Credential): string[] {
  const state = revokedAt ? `revoked ${revokedAt}` : expiresAt ? `until ${expiresAt}` : 'valid';
  return [id, `${tenant}/${subject}`, scopesText(scopes), agents?.join(' ') ?? 'all', createdAt, state, note];
}

function scopesText(scopes: readonly string[]): string {
  return scopes.length > 0 ? scopes.join(' ') : 'all but admin';
}
