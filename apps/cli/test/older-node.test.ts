import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';

/** A Node on PATH that cannot read the program; most machines have none. */
const older = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((file) => Number.parseInt(spawnSync(file, ['-p', 'process.versions.node']).stdout?.toString() ?? '', 10) < 24);

/** This Node, which says that it is older. */
const disguise = 'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.0.0" } })';
const olderNode = older === undefined ? [process.execPath, '--import', disguise] : [older];

it('under an older Node, the command runs with the newer one that is installed beside it', () => {
  const [node = '', ...options] = olderNode;
  const { status, stderr } = spawnSync(node, [...options, 'apps/cli/bin/switchyard.mjs', 'up', '--wokers', '2']);
  expect(status).toBe(2);
  expect(stderr.toString()).toContain('(did you mean --workers?)');
});
