/**
 * What makes the tables, step by step; `migrations` in the schema has those that were done. Steps only add: processes of
 * the version before go on while a new one starts. A step that was released is never changed.
 * @param table the name of the table of tasks, quoted
 */
export const migrations: readonly ((table: string) => string)[] = [
  /*
   * Keys are what is searched by: see keyed-texts.ts. A task that was deleted has neither letter nor contents, so that
   * no search finds it. Texts compare as bytes, whatever the database's collation is.
   */
  (table) => `
    CREATE TABLE ${table} (
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
    CREATE INDEX tasks_of_owner ON ${table} (owner_key, time, id) INCLUDE (letter);
    CREATE INDEX tasks_of_context ON ${table} (context_key, owner_key, time, id) INCLUDE (letter);
    CREATE INDEX tasks_of_agent ON ${table} (agent_key, ended_at, id) INCLUDE (letter);
    CREATE INDEX tasks_of_principal ON ${table} (principal_key, ended_at, id) INCLUDE (letter, agent_key);
    CREATE INDEX tasks_of_tenant ON ${table} (tenant_key, ended_at, id) INCLUDE (letter, agent_key);
    CREATE INDEX tasks_by_end ON ${table} (ended_at, id) INCLUDE (letter);
    CREATE INDEX tasks_by_words ON ${table} USING gin (words);
    CREATE INDEX deleted_tasks_by_end ON ${table} (ended_at) WHERE deleted_at IS NOT NULL;
  `,
];
