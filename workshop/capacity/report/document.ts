import { readFile, writeFile } from 'node:fs/promises';
import type { CapacityFile } from '../figures/file.ts';
import { computedTables } from './computed.ts';
import { measuredTables } from './measured.ts';
import { simulatedTable } from './simulated.ts';

const page = new URL('../../../docs/scaling.md', import.meta.url);

/** The page with the tables of this file between its markers. @throws {Error} a marker is missing */
export function withTables(text: string, file: CapacityFile): string {
  const parts = {
    measured: measuredTables(file.figures),
    computed: computedTables(file.figures),
    simulated: simulatedTable(file),
  };
  return Object.entries(parts).reduce((whole, [name, tables]) => between(whole, name, tables), text);
}

/** docs/scaling.md says what the file says. */
export async function writeDocument(file: CapacityFile): Promise<void> {
  await writeFile(page, withTables(await readFile(page, 'utf8'), file));
}

function between(text: string, name: string, tables: string): string {
  const [begin, end] = [`<!-- ${name}: made by npm run capacity -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/scaling.md has no place for the tables that are ${name}.`);
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`;
}
