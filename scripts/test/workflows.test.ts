import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const folder = '.github/workflows';

interface Job {
  readonly needs?: string;
  readonly steps: readonly { readonly run?: string }[];
}

describe.each(readdirSync(folder))('the workflow %s', (file) => {
  const text = readFileSync(`${folder}/${file}`, 'utf8');

  it('names each action by its commit, and the version beside it', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(line).toMatch(/^ +(?:- )?uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('may write nothing to the repository', () => {
    expect(parse(text).permissions).toMatchObject({ contents: 'read' });
  });
});

it('a release runs npm test before it publishes', () => {
  const { jobs }: { jobs: Record<string, Job> } = parse(readFileSync(`${folder}/release.yml`, 'utf8'));
  const publishing = Object.values(jobs).filter(({ steps }) => steps.some(({ run }) => run?.includes('publish')));
  expect(publishing).toHaveLength(1);
  const before = jobs[publishing[0]?.needs ?? ''];
  expect(before?.steps.map(({ run }) => run)).toContain('npm test');
});
