import { existsSync } from 'node:fs';
import { Turn, TurnMisuseError } from '@switchyard/agent';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import type { TurnEvent } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { attachFiles } from '../src/attach-files.ts';
import { commandExecutor } from '../src/index.ts';
import { Bench } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** A task that takes no second artifact, as the store refuses more than 200. */
class FullPort extends MemoryPort {
  override async publish(event: TurnEvent): Promise<void> {
    const known = this.current.artifacts?.map(({ artifactId }) => artifactId) ?? [];
    if (event.kind === 'artifact' && known.length > 0 && !known.includes(event.artifact.artifactId))
      throw new TurnMisuseError('It has at most 1 artifact.');
    await super.publish(event);
  }
}

/** A folder at a path that is longer than the system takes. */
const nested = `name=$(printf %0200d 0)
nest() { (mkdir $1; cd $1; for i in $(seq 15); do mkdir $name; cd $name; done; echo x > file); }
nest a; nest b; mv b $(find a -type d | tail -n 1)`;

const names = (artifacts: readonly { name?: string | undefined }[]) => artifacts.map(({ name }) => name);

describe('the files of a program', () => {
  it('become artifacts with their media types: text as text, other files as bytes', async () => {
    const { artifacts, statusText } = await bench.run(
      `mkdir -p src; echo 'let a' > src/a.ts; echo '# T' > notes.md; printf '\\377\\000' > blob; echo x > LICENSE; echo y > z.constructor`,
    );
    expect(artifacts).toMatchObject([
      { name: 'LICENSE', parts: [{ text: 'x\n', mediaType: 'text/plain', filename: 'LICENSE' }] },
      { name: 'blob', parts: [{ raw: '/wA=', mediaType: 'application/octet-stream', filename: 'blob' }] },
      { name: 'notes.md', parts: [{ text: '# T\n', mediaType: 'text/markdown' }] },
      { name: 'src/a.ts', parts: [{ text: 'let a\n', mediaType: 'text/x-typescript', filename: 'src/a.ts' }] },
      { name: 'z.constructor', parts: [{ text: 'y\n', mediaType: 'text/plain' }] },
    ]);
    expect(statusText).toBe('Done. Files: LICENSE, blob, notes.md, src/a.ts, z.constructor.');
  });

  it('become artifacts beside one that cannot be read, which is left out with the reason', async () => {
    await using other = await Bench.open();
    const { state, artifacts, statusText } = await other.run(`echo x > c; ${nested}`);
    expect([state, names(artifacts)[1]]).toEqual(['TASK_STATE_COMPLETED', 'c']);
    expect(statusText).toMatch(/\nNot attached: a\/.*\/b\/.*, because it cannot be read \(ENAMETOOLONG\)\.$/);
    await other.run('true', { retentionMs: 0 });
  });

  it('are published in one chunk each', async () => {
    const { port } = await bench.run('echo x > a.txt');
    expect(port.published.filter(({ kind }) => kind === 'artifact')).toMatchObject([
      { append: false, lastChunk: true },
    ]);
  });

  it('are only those that this turn changed; a changed file keeps its artifact id', async () => {
    const first = await bench.run('echo 1 > same; echo 1 > changed; echo q > QUESTION.md');
    const second = await bench.run('echo 22 > changed; echo 2 > new', {}, { task: first.port.current });
    expect(second.statusText).toBe('Done. Files: changed, new.');
    expect(second.artifacts).toHaveLength(3);
    expect(second.artifacts[0]).toMatchObject({
      artifactId: first.artifacts[0]?.artifactId,
      parts: [{ text: '22\n' }],
    });
  });

  it('include those of a failed attempt', async () => {
    const { port } = await bench.run('echo 1 > early.txt; exit 75');
    expect(names((await bench.again(port, 'echo 2 > late.txt')).artifacts)).toEqual(['early.txt', 'late.txt']);
  });

  it('are restored from the artifacts if the workspace does not exist', async () => {
    const first = await bench.run(`mkdir a; echo 1 > a/text; printf '\\377' > blob; echo q > QUESTION.md`);
    await using elsewhere = await Bench.open();
    const { output } = await elsewhere.run('cat a/text; wc -c < blob', {}, { task: first.port.current });
    expect(output.split(/\s+/)).toEqual(['1', '1', '']);
  });

  it('are restored although a later turn made a folder of a file, or a file of a folder', async () => {
    const first = await bench.run('echo 1 > a; mkdir b; echo 1 > b/c');
    const second = await bench.run('rm -r a b; mkdir a; echo 2 > a/d; echo 2 > b', {}, { task: first.port.current });
    await using other = await Bench.open();
    const { output } = await other.run('cat a/d b', {}, { task: second.port.current });
    expect(output.trim().split('\n')).toEqual(['2', '2']);
  });

  it('can be chosen by globs; hidden files, node_modules and the briefing are never attached', async () => {
    const make = 'mkdir -p dist node_modules/p .git; touch a.ts b.js c.ts dist/d.ts node_modules/p/e.ts .git/f.ts .env';
    expect(names((await bench.run(make)).artifacts)).toEqual(['a.ts', 'b.js', 'c.ts', 'dist/d.ts']);
    const files = { include: ['**/*.ts'], exclude: ['dist/**'] };
    expect(names((await bench.run(make, { files })).artifacts)).toEqual(['a.ts', 'c.ts']);
  });

  it('are limited in number and size; the answer lists those that are left out', async () => {
    const files = { maxFiles: 2, maxFileBytes: 5 };
    const { artifacts, statusText } = await bench.run('echo 123456 > a; echo 123 > b; echo > d; echo > e', { files });
    expect(names(artifacts)).toEqual(['b', 'd']);
    expect(statusText?.split('\n')).toEqual([
      'Done. Files: b, d.',
      'Not attached: a, because it is too big (7 bytes).',
      'Not attached: e, because there are too many files.',
    ]);
  });

  describe('that are big, or many', () => {
    const files = { maxInlineBytes: 5, maxTotalInlineBytes: 6 };
    const make = 'echo 123456 > a.csv; echo 123 > b; echo 123 > c; echo > d';

    it('are stored outside of the task, and restored from there', async () => {
      const { artifacts, statusText, port } = await bench.run(make, { files });
      expect(statusText).toBe('Done. Files: a.csv, b, c, d.');
      const [a, b, c] = artifacts.map(({ parts }) => parts[0]);
      expect([a, b, c]).toEqual([
        { url: expect.any(String), filename: 'a.csv', mediaType: 'text/csv' },
        { text: '123\n', filename: 'b', mediaType: 'text/plain' },
        { url: expect.any(String), filename: 'c', mediaType: 'application/octet-stream' },
      ]);
      await using elsewhere = await Bench.open();
      port.world.files.delete(c?.url ?? '');
      const again = await elsewhere.run('cat a.csv; ls', {}, { task: port.current, world: port.world });
      expect(again.output.split(/\s+/)).toEqual(expect.arrayContaining(['123456', 'a.csv', 'b', 'd']));
      expect(again.output).not.toMatch(/\bc\n/);
      expect(again.port.logged).toMatchObject([{ level: 'warn', fields: { path: 'c' } }]);
    });

    it('are left out where no files are stored, and small ones are attached', async () => {
      const { port, result } = bench.begin(make, { files });
      port.files.write = () => Promise.reject(new TurnMisuseError('The deployment stores no files.'));
      await result;
      expect(names(port.current.artifacts ?? [])).toEqual(['b', 'd']);
      expect(port.current.status.message?.parts[0]?.text?.split('\n')).toEqual([
        'Done. Files: b, d.',
        'Not attached: a.csv, because it is big (7 bytes), and the task cannot take it (The deployment stores no files).',
        'Not attached: c, because it is big (4 bytes), and the task cannot take it (The deployment stores no files).',
      ]);
    });
  });

  it('are not read through links out of the workspace', async () => {
    await using other = await Bench.open();
    const { artifacts, port } = await other.run(
      [
        'mkdir ../outside; echo secret > ../outside/s',
        'ln -s ../outside/s file; ln -s ../outside dir; ln -s ../outside/s QUESTION.md; mkfifo pipe; echo ok > ok',
      ].join('; '),
    );
    expect(names(artifacts)).toEqual(['ok']);
    expect(JSON.stringify(port.current)).not.toContain('secret');
    expect(port.current.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('are checked again when they are read, so that a link made after the listing is not followed', async () => {
    await using other = await Bench.open();
    const { port } = await other.run(
      'mkdir ../outside; echo secret > ../outside/s; ln -s ../outside dir; ln -s dir/s file',
    );
    const attached = attachFiles(new Turn(port), {
      workspace: other.workspace(port),
      paths: ['dir/s', 'file', 'gone'],
      limits: {},
    });
    await expect(attached).resolves.toMatchObject({ files: [], leftOut: [{}, {}, {}] });
  });

  it('that the task cannot take are left out; the answer lists the first of those left out', async () => {
    const first = await bench.run('echo 1 > a', {});
    const port = new FullPort({ message: 'Again', task: first.port.current });
    const execute = commandExecutor({ command: 'echo 2 > a; touch b1 b2', shell: true, workspaceRoot: bench.root });
    await executeTurn(agentThat(execute), port, { graceMs: 1_000 });
    expect(port.current.status).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
    expect(port.current.status.message?.parts[0]?.text?.split('\n')).toEqual([
      'Done. Files: a.',
      'Not attached: b1, because the task cannot take it (It has at most 1 artifact).',
      'Not attached: b2, because the task cannot take it (It has at most 1 artifact).',
    ]);
    const { statusText } = await bench.run('touch $(seq 200)', { files: { maxFiles: 1 } });
    expect(statusText?.split('\n')).toHaveLength(52);
    expect(statusText).toMatch(/\nNot attached: 149 further files\.$/);
  });

  it('are attached in a media type that the client accepts, or left out', async () => {
    const make = `echo '# T' > a.md; printf '\\377' > b.png`;
    const { artifacts, statusText } = await bench.run(make, {}, { acceptedOutputModes: ['text/plain'] });
    expect(artifacts).toMatchObject([{ parts: [{ mediaType: 'text/plain' }] }]);
    expect(statusText).toContain('Not attached: b.png, because the client does not accept image/png.');
    const any = await bench.run(make, {}, { acceptedOutputModes: ['text/*', 'image/*'] });
    expect(any.artifacts.map(({ parts }) => parts[0]?.mediaType)).toEqual(['text/markdown', 'image/png']);
  });
});

describe('workspaces', () => {
  it('are removed when no turn has used them for retentionMs', async () => {
    await using other = await Bench.open();
    const { port } = await other.run('echo 1 > file');
    await other.run('true', { retentionMs: 0 });
    await expect(other.read(port, 'file')).rejects.toThrow('ENOENT');
  });

  it('are removed also with paths that are longer than the system takes', async () => {
    await using other = await Bench.open();
    const { port } = await other.run(nested);
    const { state } = await other.run('true', { retentionMs: 0 });
    expect([state, existsSync(other.workspace(port))]).toEqual(['TASK_STATE_COMPLETED', false]);
  });
});
