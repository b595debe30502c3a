import { hash, randomUUID } from 'node:crypto';
import type { FieldViolation, JsonSchema } from '@switchyard/protocol';
import { defineScript, list, runDurably, text, tuple, verdict, words } from '@switchyard/redis';
import type { ChangeDependencies } from '../deployment/deployment.ts';
import { ownerOf, type Scope } from '../deployment/scope.ts';
import { queueName, queueRoot } from '../queue/queue-names.ts';
import { recordArgNames, recordArgValues, recordKeyNames } from '../record/record-args.ts';
import { quotaArgValues } from '../tasks/quotas/quotas.ts';
import { findArchived, type HasArchive } from '../tasks/read/archived-reads.ts';
import { withdrawnLetter } from '../tasks/visibility/state-letters.ts';

const plainVerdicts = [
  'given',
  'resumed',
  'known',
  'full',
  'too-many-bytes-of-tenant',
  'idle',
  'canceling',
  'terminal',
  'missing',
] as const;
export const giveEventScript = defineScript({
  file: 'give-event.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'queueRoot'],
  args: [
    ...recordArgNames,
    'owner',
    'name',
    'callback',
    'id',
    'hasOwnId',
    'data',
    'checked',
    'seesHidden',
    'maxEvents',
    'maxResults',
    'maxBytes',
  ],
  reply: verdict({ unchecked: tuple(list(text)), unknown: tuple(list(text)), ...words(...plainVerdicts) }),
});
/** Events of a task that may wait for their turn. */
const MAX_EVENTS = 100;

/** An event for a task, from outside. */
export interface GivenEvent {
  readonly name: string;
  /** JSON. */
  readonly data: string;
  /**
   * Chosen by its giver: a second event of the turn with this id is the same one. Unset: it is the same as an event of
   * its name and data that no turn has taken yet.
   */
  readonly id?: string | undefined;
  /** Hash of the token by which it is given, which names the event: see make-callback.lua. */
  readonly callback?: string;
}

/**
 * - `given`: it is kept until the turn waits for it. `resumed`: the suspended turn waited for it. `known`: it was given
 *   before.
 * - `wrong`: the suspended turn waits for other data. `unknown`: it waits for other events, `awaited`. `full`: too many
 *   events wait for the turn, or too many bytes. `too-many-bytes-of-tenant`: as for messages.
 * - `idle`: no message is being worked on. `canceling`: the task will end. `terminal`: it has ended. `missing`: there is
 *   no such task in this scope, or no such callback.
 */
export type Giving =
  | { readonly verdict: (typeof plainVerdicts)[number] }
  | { readonly verdict: 'unknown'; readonly awaited: readonly string[] }
  | { readonly verdict: 'wrong'; readonly violations: readonly FieldViolation[] };

/** Checks data by the JSON Schema for which a suspended turn waits. @returns what is wrong with them */
export type EventCheck = (schema: JsonSchema) => readonly FieldViolation[];

export interface GiveOptions {
  /** Never for a client: to clients, a hidden task is missing. */
  readonly seesHidden?: boolean;
  /** Default: nothing is wrong with any data. */
  readonly check?: EventCheck;
}

export type GiveDependencies = ChangeDependencies & HasArchive;

/**
 * Gives a task an event. A turn that waits for it resumes.
 * @throws {NotReplicated} the event may be kept nevertheless
 */
export async function giveEvent(
  dependencies: GiveDependencies,
  scope: Scope,
  taskId: string,
  { name, data, id, callback = '' }: GivenEvent,
  { seesHidden = false, check = () => [] }: GiveOptions = {},
): Promise<Giving> {
  const { shards, settings } = dependencies;
  const keys = shards.of(taskId);
  const call = {
    keys: { ...keys.record(taskId), queueRoot: queueRoot(queueName(scope.agent), keys) },
    args: {
      ...recordArgValues(taskId, settings),
      owner: ownerOf(scope),
      name,
      callback,
      id: hashOf(id ?? randomUUID()),
      hasOwnId: id === undefined ? '' : '1',
      data,
      seesHidden: seesHidden ? '1' : '',
      maxEvents: MAX_EVENTS,
      maxResults: settings.maxStepsBytes,
      maxBytes: quotaArgValues(settings).maxBytes,
    },
  };
  for (let checked = ''; ; ) {
    const [verdict, texts = []] = await runDurably(dependencies, giveEventScript, {
      ...call,
      args: { ...call.args, checked },
    });
    if (verdict === 'unknown') return { verdict, awaited: texts.sort() };
    if (verdict === 'missing' && (await isArchived(dependencies, scope, taskId, seesHidden)))
      return { verdict: 'terminal' };
    if (verdict !== 'unchecked') return { verdict };
    [checked = ''] = texts;
    const violations = check(JSON.parse(checked));
    if (violations.length > 0) return { verdict: 'wrong', violations };
  }
}

async function isArchived(
  dependencies: HasArchive,
  scope: Scope,
  taskId: string,
  seesHidden: boolean,
): Promise<boolean> {
  const archived = await findArchived(dependencies, scope, taskId);
  return archived !== undefined && (seesHidden || archived.letter !== withdrawnLetter);
}

export const hashOf = (text: string): string => hash('sha256', text, 'base64url');
