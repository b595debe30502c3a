import { fullTables, shortTable } from '@switchyard/settings';

const begin = '<!-- settings: written by npm run docs -->';
const end = '<!-- end of settings -->';

/** A page with its tables of settings as they have to be. @throws {Error} the page has no place for them */
export function withTable(file: string, page: string): string {
  const [before, rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error(`${file} has no place for settings`);
  const table = file === 'README.md' ? shortTable() : fullTables();
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}
