// `npm run workshop structure [-- <checkout>]`: how the sources are laid out, in figures, of this checkout or of
// another one whose packages are installed. With redis-server on PATH it also counts the files that a SendMessage goes
// through.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findRedisServer, freePort, startRedisServer } from '@switchyard/local';
import { folderImports, folderPairs, importsInCircles } from './structure/folders.ts';
import { readSourceFiles, type SourceFile } from './structure/source-files.ts';
import { wayOfAMessage } from './structure/way-of-a-message.ts';

const root = resolve(process.argv[2] ?? '.');
const SMALL = 20;

interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly 'under 20 lines': number;
  readonly folders: number;
  readonly 'pairs of folders that import each other': number;
  readonly 'imports in circles of folders': number;
}

function figuresOf(files: readonly SourceFile[]): Figures {
  const folders = folderImports(files);
  return {
    files: files.length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    'under 20 lines': files.filter(({ lines }) => lines < SMALL).length,
    folders: folders.size,
    'pairs of folders that import each other': folderPairs(folders).length,
    'imports in circles of folders': importsInCircles(folders).length,
  };
}

async function filesOnTheWay(): Promise<Record<'immediate' | 'blocking', readonly string[]> | undefined> {
  const program = findRedisServer(process.env);
  if (!program) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-structure-'));
  const redis = await startRedisServer({ program, port: await freePort(), folder, appendOnly: false });
  try {
    const immediate = await wayOfAMessage(root, { redisUrl: redis.url, isImmediate: true });
    const blocking = await wayOfAMessage(root, { redisUrl: redis.url, isImmediate: false });
    return { immediate: immediate.files, blocking: blocking.files };
  } finally {
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const product = readSourceFiles(root, '{packages,apps}/*/src/**/*.ts');
const tools = readSourceFiles(root, '{workshop,bench,load,faults,capacity}/**/*.ts');
const table: Record<string, Partial<Figures>> = {};
for (const [home, files] of Map.groupBy(product, (file) => file.home)) table[home] = figuresOf(files);
table.product = figuresOf(product);
table.workshop = { files: tools.length, lines: tools.reduce((sum, { lines }) => sum + lines, 0) };

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const columns = Object.keys(table.product);
print(`| | ${columns.join(' | ')} |`);
print(`|---|${columns.map(() => '---').join('|')}|`);
for (const [name, figures] of Object.entries(table))
  print(`| ${name} | ${columns.map((column) => figures[column as keyof Figures] ?? '').join(' | ')} |`);

const ways = await filesOnTheWay();
if (!ways) print('\nWithout redis-server on PATH the way of a SendMessage is not counted.');
for (const [kind, files] of Object.entries(ways ?? {})) {
  const ofGateway = files.filter((file) => file.startsWith('apps/gateway/')).length;
  print(`\nA SendMessage (${kind}) goes through ${files.length} files, ${ofGateway} of them of the gateway:`);
  for (const file of files) print(`  ${file}`);
}
process.exit();
