import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import { type ArchivedTask, ArchiveUnavailable } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres, startPostgres, type TestPostgres } from '../../../tests/support/postgres.ts';
import { archivedTask, archiveQuery, unexpected } from './support/archived-tasks.ts';

describe.skipIf(skippedFor(missingPostgres))('processes that copy to an archive at the same time', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  async function archiveOf(url: string, timeoutMs: number, onError: (error: Error) => void = unexpected) {
    const archive = new PostgresArchive({ url, timeoutMs, onError });
    onTestFinished(() => archive.stop());
    await archive.start();
    return archive;
  }

  interface LossyWay {
    readonly url: string;
    /** A transaction would be committed now. */
    readonly committing: Promise<void>;
    breakAll(): void;
  }

  /** A way to the server on which no transaction is committed. */
  async function losesCommits(): Promise<LossyWay> {
    const url = new URL(server.url);
    const [port, host] = [Number(url.port), url.hostname];
    const { promise: committing, resolve: lose } = Promise.withResolvers<void>();
    const sockets = new Set<Socket>();
    const way = createServer((near) => {
      const far = connect(port, host);
      near.on('data', (bytes) => (bytes.includes('COMMIT') ? lose() : far.write(bytes)));
      far.on('data', (bytes) => near.write(bytes));
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    });
    onTestFinished(() => void way.close());
    await once(way.listen(0, '127.0.0.1'), 'listening');
    const address = way.address();
    url.port = String(typeof address === 'object' ? address?.port : address);
    const breakAll = () => {
      for (const socket of sockets) socket.destroy();
    };
    return { url: url.href, committing, breakAll };
  }

  /** Its copy is a transaction of several statements. */
  const large = (id: string): ArchivedTask => {
    const { json } = archivedTask(id, 1);
    return archivedTask(id, 1, { json: { ...json, tail: `${' '.repeat(2 * 1024 ** 2)}}` } });
  };

  it('do not wait for one that freezes in a transaction', async () => {
    const other = await archiveOf(server.url, 30_000);
    const { url, committing } = await losesCommits();
    const frozen = await archiveOf(url, 5_000, () => undefined);
    const lost = frozen.put([large('large')]).catch((error: unknown) => error);
    await committing;
    await other.put([archivedTask('small', 1)]);
    expect(await lost).toBeInstanceOf(ArchiveUnavailable);
    expect((await other.find(archiveQuery())).total).toBe(1);
    await other.put([large('large')]);
    expect((await other.find(archiveQuery())).total).toBe(2);
  });

  it('go on if a connection breaks in a transaction', async () => {
    const { url, committing, breakAll } = await losesCommits();
    const archive = await archiveOf(url, 30_000, () => undefined);
    const lost = archive.put([large('broken')]).catch((error: unknown) => error);
    await committing;
    breakAll();
    expect(await lost).toBeInstanceOf(ArchiveUnavailable);
    expect(await archive.existing(['broken'])).toEqual(new Set());
  });

  it('count new tasks and changed ones in one step', async () => {
    const archives = await Promise.all(Array.from({ length: 4 }, () => archiveOf(server.url, 30_000)));
    const agents = ['e', 'f', 'g', 'h'];
    // New tasks of half of the agents, and another state of all tasks of the others, in turns.
    const tasksOf = (number: number, round: number): ArchivedTask[] =>
      agents.flatMap((agent, at) => {
        const task = (i: number) =>
          archivedTask(`${number}-${agent}-${i}`, 1, { owner: `al/ben/${agent}`, letter: 'CF'[round % 2] ?? 'C' });
        return (at + round + number) % 2 ? [task(round)] : Array.from({ length: round }, (_, i) => task(i));
      });
    const copy = async (archive: PostgresArchive, number: number): Promise<void> => {
      for (let round = 0; round < 40; round += 1) await archive.put(tasksOf(number, round));
    };
    await Promise.all(archives.map(copy));
    const [archive] = archives;
    const page = await archive?.find(archiveQuery({ ownerPrefix: 'al/', size: 1_000 }));
    expect(page?.total).toBe(page?.sortKeys.length);
  });
});
