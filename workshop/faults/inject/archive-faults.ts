import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ARCHIVE_TABLE, ARCHIVE_USER, type Archive } from '../stores/archive.ts';
import type { Bucket } from '../stores/bucket.ts';
import { eventually } from '../workload/lateness.ts';
import type { Fault, Target } from './faults.ts';
import { type KillPoint, killFile } from './kill-point.ts';

const REFUSED_FOR_MS = 3_000;
const DISTURBED_FOR_MS = 3_000;
/** Until nobody uses a connection any more on which nothing comes: pools close idle ones after 10 s. */
const SILENT_FOR_MS = 16_000;
const KILLED_WITHIN_MS = 30_000;

function ofArchive(name: string, inject: (archive: Archive, target: Target) => Promise<unknown>): Fault {
  return { name, stops: 'archive', inject: (target) => inject(target.stores.archive, target) };
}

function ofBucket(name: string, inject: (bucket: Bucket, target: Target) => Promise<unknown>): Fault {
  return { name, stops: 'files', inject: (target) => inject(target.stores.bucket, target) };
}

/** Connections ask again who they are. */
const disconnected = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${ARCHIVE_USER}'`;
const full = `
  CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER refuse_writes BEFORE INSERT OR UPDATE OR DELETE ON ${ARCHIVE_TABLE}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_write()`;

/** Refuses after one statement, and no more after the other one. */
function refusing(name: string, before: string, after: string): Fault {
  return ofArchive(name, async ({ sql }) => {
    await sql(before);
    await delay(REFUSED_FOR_MS);
    await sql(after);
  });
}

const postgresFaults: readonly Fault[] = [
  ofArchive('PostgreSQL frozen', async ({ postgres }, { random }) => {
    postgres.freeze();
    await delay(random.between(1_000, 9_000));
    postgres.thaw();
  }),
  ofArchive('PostgreSQL killed', ({ postgres }) => postgres.restart()),
  refusing('disk of PostgreSQL full', full, `DROP TRIGGER refuse_writes ON ${ARCHIVE_TABLE}`),
  refusing(
    'PostgreSQL accepts no connection',
    `ALTER ROLE ${ARCHIVE_USER} CONNECTION LIMIT 0; ${disconnected}`,
    `ALTER ROLE ${ARCHIVE_USER} CONNECTION LIMIT -1`,
  ),
  refusing(
    'PostgreSQL does not let its user in',
    `ALTER ROLE ${ARCHIVE_USER} NOLOGIN; ${disconnected}`,
    `ALTER ROLE ${ARCHIVE_USER} LOGIN`,
  ),
  refusing(
    'user of PostgreSQL has no rights',
    `REVOKE ALL ON ${ARCHIVE_TABLE} FROM ${ARCHIVE_USER}`,
    `GRANT ALL ON ${ARCHIVE_TABLE} TO ${ARCHIVE_USER}`,
  ),
  ofArchive('replies of PostgreSQL lost', ({ proxy }, { random }) => proxy.loseReplies(random.between(100, 1_000))),
  ofArchive('connections to PostgreSQL silent', async ({ proxy }) => {
    proxy.silence();
    await delay(SILENT_FOR_MS);
  }),
];

const bucketFaults: readonly Fault[] = [
  ofBucket('server of the bucket frozen', async ({ proxy }, { random }) => {
    proxy.stall();
    await delay(random.between(1_000, 8_000));
    proxy.release();
  }),
  ofBucket('server of the bucket killed', async ({ refuse }, { random }) => {
    refuse(true);
    await delay(random.between(500, 5_000));
    refuse(false);
  }),
  ofBucket('answers of the bucket slow', ({ proxy }) => proxy.disturb('slow', DISTURBED_FOR_MS)),
  ofBucket('answers of the bucket lost', ({ proxy }, { random }) => proxy.loseReplies(random.between(100, 1_000))),
  ofBucket('uploads and downloads break in the middle', async ({ proxy }, { random }) => {
    for (let n = 0; n < 20; n++) {
      await delay(random.between(5, 150));
      proxy.cut();
    }
  }),
];

/** See `kill-at-copy.ts`. */
const copyPoints = {
  'before it writes a copy': { app: 'worker', when: 'before', script: 'put' },
  'after it has written a copy': { app: 'worker', when: 'after', script: 'put' },
  'after it has noted what is copied': { app: 'worker', when: 'after', script: 'move-cursor' },
} as const satisfies Readonly<Record<string, KillPoint>>;

const copyFaults: readonly Fault[] = Object.entries(copyPoints).map(([moment, point]) => ({
  name: `worker killed ${moment}`,
  spendsAttempts: true,
  async inject({ stack, victims, killFolder, ...target }) {
    const file = killFile(point);
    await writeFile(join(killFolder, file), '');
    const killed = async (): Promise<string | undefined> =>
      (await readdir(killFolder)).find((name) => name.startsWith(`${file} `) && !victims.has(pidIn(name)));
    const name = await eventually(killed, { what: `a worker is killed ${moment}`, timeoutMs: KILLED_WITHIN_MS });
    victims.add(pidIn(name));
    const killedMs = Date.now();
    await stack.addWorker();
    // Until then no other worker copies: a second kill could take longer than Redis keeps a task here.
    const goesOn = async (): Promise<boolean> => (await copiedUntil(target)) > killedMs;
    await eventually(goesOn, { what: 'another worker copies', timeoutMs: KILLED_WITHIN_MS, everyMs: 100 });
  },
}));

const pidIn = (name: string): number => Number(name.split(' ').at(-1));

/** Tasks that ended before this time were copied. */
async function copiedUntil({ master, prefix }: Pick<Target, 'master' | 'prefix'>): Promise<number> {
  const reply = await (await master()).ask(`GET ${prefix}{s0}:outbox:archived`);
  const [, time = '0'] = /^([\da-z]{8})\r$/m.exec(reply) ?? [];
  return Number.parseInt(time, 36);
}

export const archiveFaults: readonly Fault[] = [...copyFaults, ...postgresFaults, ...bucketFaults];
