import { inWords } from '../bench/report/results.ts';
import { markdownTable, number, withSection } from '../tables.ts';
import { type Cost, type Figures, idlers, operations, publications, sizes } from './measure/figures.ts';

/** Writes the figures into the page. @throws {Error} it has no section for them */
export const withTables = (page: string, figures: Figures): string =>
  withSection(page, 'measured', measuredTables(figures));

function measuredTables(figures: Figures): string {
  const { date, conditions } = figures;
  return [
    `**Measured** on ${date} (${inWords(conditions)}).\nMicroseconds of processor time per operation:`,
    costTable('operation', figures.operations, operations),
    '**Measured**: microseconds of processor time per idle second:',
    costTable('idle', figures.idle, idlers),
    '**Measured**: memory, and the additional cost of a published event in Redis:',
    markdownTable(
      ['what', 'each'],
      [
        ...Object.entries(figures.sizes).map(([name, size]) => [words(sizes, name), bytes(size)]),
        ...Object.entries(figures.publications).map(([name, micros]) => [
          `a published message of 300 B, ${words(publications, name)}`,
          `${micros} µs`,
        ]),
      ],
    ),
  ].join('\n\n');
}

function costTable(what: string, costs: Readonly<Record<string, Cost>>, names: Readonly<Record<string, string>>) {
  const rows = Object.entries(costs).map(([name, { gateway, worker, redis, fileBytes, netBytes, published }]) => [
    words(names, name),
    orDash(gateway),
    orDash(worker),
    orDash(redis),
    fileBytes < 1 ? undefined : bytes(fileBytes),
    netBytes < 1 ? undefined : bytes(netBytes),
    published < 0.005 ? undefined : published,
  ]);
  return markdownTable(
    [what, 'gateway', 'worker', 'Redis', 'to the append-only file', 'over the network', 'messages published'],
    rows,
  );
}

const words = (names: Readonly<Record<string, string>>, name: string): string => names[name] ?? name;
/** What is less than this is noise. */
const orDash = (micros: number): number | undefined => (micros < 0.5 ? undefined : micros);

/** Bytes in the unit that leaves three digits at most. */
function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${number(count / 1_000 ** power)} ${units[power]}`;
}
