import type { AnnouncedAgent } from '@switchyard/store';
import MiniSearch from 'minisearch';
import type { AgentDirectory } from './agent-directory.ts';

/** An agent that matches a text. */
export interface FoundAgent {
  readonly agent: AnnouncedAgent;
  /** 1 to 100, relative to the best match. */
  readonly score: number;
  /** Ids of the matching skills, the best first. */
  readonly skills: readonly string[];
}

/** A searched document: an agent, or one of its skills. */
interface Entry {
  readonly id: string;
  readonly agentId: string;
  /** Unset: the agent itself. */
  readonly skillId?: string;
  readonly name: string;
  readonly tags: string;
  readonly description: string;
  readonly examples: string;
}

/** Maximum number of words of a query; the rest is ignored. */
const MAX_WORDS = 32;
const WEIGHTS = { name: 4, tags: 3, examples: 2 };

/**
 * Full-text search of the announced agents and their skills: names, ids, tags, examples and descriptions. Matches
 * prefixes and words with a typing error, ignoring case and accents.
 */
export class AgentSearch {
  readonly #agents: Pick<AgentDirectory, 'list'>;
  #index: MiniSearch<Entry> | undefined;

  constructor(agents: Pick<AgentDirectory, 'list' | 'onChange'>) {
    this.#agents = agents;
    agents.onChange(() => {
      this.#index = undefined;
    });
  }

  /** The matches that the caller may see, the best first. */
  find(text: string, canUse: (agentId: string) => boolean): FoundAgent[] {
    const agents = new Map(this.#agents.list().map((agent) => [agent.id, agent]));
    this.#index ??= indexOf(agents.values());
    const hits = this.#index.search(wordsIn(text).slice(0, MAX_WORDS).join(' '), {
      boost: WEIGHTS,
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      filter: ({ agentId }) => agents.has(agentId) && canUse(agentId),
    });
    const found = Array.from(
      Map.groupBy(hits, ({ agentId }) => agentId),
      ([id, ofAgent]) => ({
        id,
        sum: ofAgent.reduce((sum, { score }) => sum + score, 0),
        skills: ofAgent.flatMap(({ skillId }) => (skillId === undefined ? [] : [skillId])),
      }),
    ).sort((one, other) => other.sum - one.sum || (one.id < other.id ? -1 : 1));
    const best = found[0]?.sum ?? 1;
    return found.flatMap(({ id, sum, skills }) => {
      const agent = agents.get(id);
      return agent ? [{ agent, skills, score: Math.max(1, Math.round((100 * sum) / best)) }] : [];
    });
  }
}

function indexOf(agents: Iterable<AnnouncedAgent>): MiniSearch<Entry> {
  const index = new MiniSearch<Entry>({
    fields: ['name', 'tags', 'description', 'examples'],
    storeFields: ['agentId', 'skillId'],
    tokenize: wordsIn,
    processTerm: (word) => word,
  });
  for (const agent of agents) index.addAll(entriesOf(agent));
  return index;
}

function entriesOf({ id, card }: AnnouncedAgent): Entry[] {
  const own = { id, agentId: id, name: `${card.name} ${id}`, tags: '', description: card.description, examples: '' };
  const skills = card.skills.map((skill) => ({
    id: JSON.stringify([id, skill.id]),
    agentId: id,
    skillId: skill.id,
    name: `${skill.name} ${skill.id}`,
    tags: skill.tags.join(' '),
    description: skill.description,
    examples: skill.examples?.join(' ') ?? '',
  }));
  return [own, ...skills];
}

/** Removes case and accents. */
function wordsIn(text: string): string[] {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return folded.match(/[\p{L}\p{N}]+/gu) ?? [];
}
