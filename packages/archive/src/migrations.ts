import { countedByTriggers } from './counts.ts';
import type { Tables } from './tables.ts';

/**
 * What makes the tables, step by step; `migrations` in the schema has those that were done. Steps only add: processes of
 * the version before go on while a new one starts. A step that was released is never changed.
 */
export const migrations: readonly ((tables: Tables) => string)[] = [
  /*
   * Keys are what is searched by: see keyed-texts.ts. A task that was deleted has neither letter nor contents, so that
   * no search finds it. Letters come before times in indexes: a list of rare states is read as quickly as one of all.
   * Texts compare as bytes, whatever the database's collation is.
   */
  (tables) => `
    CREATE TABLE ${tables.tasks} (
      id text COLLATE "C" PRIMARY KEY,
      owner text COLLATE "C",
      owner_key text COLLATE "C",
      principal_key text COLLATE "C",
      tenant_key text COLLATE "C",
      agent_key text COLLATE "C",
      context text COLLATE "C",
      context_key text COLLATE "C",
      letter text COLLATE "C",
      time text COLLATE "C",
      ended_at text COLLATE "C" NOT NULL,
      version text COLLATE "C",
      seq bigint,
      answered bigint,
      head text,
      artifacts text,
      history text[],
      history_bytes bigint,
      tail text,
      row_json text,
      detail_json text,
      origin_json text,
      words tsvector,
      deleted_at timestamptz
    );
    CREATE INDEX tasks_of_owner ON ${tables.tasks} (owner_key, letter, time, id);
    CREATE INDEX tasks_of_context ON ${tables.tasks} (context_key, owner_key, time, id) INCLUDE (letter);
    CREATE INDEX tasks_of_agent ON ${tables.tasks} (agent_key, letter, ended_at, id);
    CREATE INDEX tasks_of_principal ON ${tables.tasks} (principal_key, letter, time, id) INCLUDE (agent_key);
    CREATE INDEX tasks_of_tenant ON ${tables.tasks} (tenant_key, letter, ended_at, id) INCLUDE (agent_key);
    CREATE INDEX tasks_of_state ON ${tables.tasks} (letter, ended_at, id);
    CREATE INDEX tasks_by_end ON ${tables.tasks} (ended_at) WHERE letter IS NOT NULL;
    CREATE INDEX tasks_by_words ON ${tables.tasks} USING gin (words);
    CREATE INDEX deleted_tasks_by_end ON ${tables.tasks} (ended_at) WHERE deleted_at IS NOT NULL;
    ${countedByTriggers(tables)}
  `,
];
