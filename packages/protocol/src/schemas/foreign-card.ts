import { invalidParams } from '../errors/a2a-error.ts';
import type { AgentCard } from '../objects/agent-card.ts';
import type { JsonObject } from '../objects/json.ts';
import { agentCardSchema, agentProviderSchema } from './agent-card.ts';
import { isJsonObject, webLinkSchema } from './fields.ts';
import { context, fieldPath } from './parse.ts';
import { normaliserOf } from './proto-json.ts';

/** The card of an agent of another system, as far as it can be read. */
export interface ForeignCard {
  readonly card: AgentCard;
  /** What was left out, and why: `skills[2].tags must be a list`. At most 20. */
  readonly problems: readonly string[];
}

/** Every link of the card is checked: it is published again, and people follow it. */
const foreignCardSchema = agentCardSchema.extend({
  provider: agentProviderSchema.extend({ url: webLinkSchema }).exactOptional(),
  documentationUrl: webLinkSchema.exactOptional(),
  iconUrl: webLinkSchema.exactOptional(),
});

const maxProblems = 20;
/** A field that cannot be mended takes its parent with it in the next round; cards are less than ten levels deep. */
const maxRounds = 20;

/**
 * Reads the card of another system (§4.4.1), which may be odd: a field that is not valid is left out, and so is an
 * entry of a list without a field that it requires. A missing version of an interface is 1.0, as only cards of 1.0 have
 * interfaces. Missing texts are taken from others: the description of a skill is its name.
 * @throws {A2AError} InvalidParams: the value is not an object, or has no name and no interfaces
 */
export function readForeignCard(value: unknown): ForeignCard {
  if (!isJsonObject(value)) throw refused('(root)', 'must be an object');
  const draft = withDefaults(value);
  const problems: string[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const { data, error } = foreignCardSchema.safeParse(draft, context);
    if (data) return { card: data, problems };
    for (const { path, message } of error.issues) {
      if (!leaveOut(draft, path)) throw refused(fieldPath('', path), message);
      if (problems.length < maxProblems) problems.push(`${fieldPath('', path)} ${message}`);
    }
    compact(draft);
  }
  throw refused('(root)', 'has too many fields that are not valid');
}

function refused(field: string, description: string) {
  return invalidParams([{ field, description }]);
}

/** A copy, whose required fields are filled as far as the card tells. */
function withDefaults(value: JsonObject): JsonObject {
  const draft = structuredClone(normaliserOf(foreignCardSchema)(value)) as JsonObject;
  const { name, description, version, capabilities, skills, supportedInterfaces } = draft;
  if (!name && !Array.isArray(supportedInterfaces)) throw refused('name', 'is required');
  draft.name = name || 'Unnamed';
  draft.description = description || draft.name;
  draft.version = typeof version === 'number' ? String(version) : version || 'unknown';
  draft.capabilities = capabilities ?? {};
  for (const skill of entriesOf(skills)) {
    skill.id ||= skill.name;
    skill.name ||= skill.id;
    skill.description ||= skill.name;
  }
  for (const each of entriesOf(supportedInterfaces)) each.protocolVersion = versionText(each.protocolVersion);
  return draft;
}

function entriesOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function versionText(version: unknown): unknown {
  return typeof version === 'number' ? version.toFixed(1) : version || '1.0';
}

/** Takes the place of an entry of a list that is left out, so that the others keep their numbers. */
const removed = Symbol('removed');

/**
 * Leaves out the value at the path; if there is none, what lacks it.
 * @returns false: the card itself lacks it
 */
function leaveOut(draft: JsonObject, path: readonly PropertyKey[]): boolean {
  const last = path.at(-1);
  if (last === undefined) return false;
  const parent = valueAt(draft, path.slice(0, -1));
  // Something that contains it was left out before.
  if (typeof parent !== 'object' || parent === null) return true;
  if (Array.isArray(parent)) {
    Reflect.set(parent, last, removed);
    return true;
  }
  if (Object.hasOwn(parent, last)) return Reflect.deleteProperty(parent, last);
  return leaveOut(draft, path.slice(0, -1));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), value);
}

function compact(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) value.splice(0, value.length, ...value.filter((entry) => entry !== removed));
  for (const entry of Object.values(value)) compact(entry);
}
