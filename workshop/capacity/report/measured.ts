import { type Cost, type Figures, idlers, operations, publications, sizes } from '../figures/figures.ts';
import { bytes, table } from './markdown.ts';

/** What was measured, in tables. */
export function measuredTables(figures: Figures): string {
  const { date, conditions } = figures;
  const where = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  return [
    `**Measured** on ${date} (${where.join(', ')}). Microseconds of processor for each:`,
    costTable('operation', figures.operations, operations),
    '**Measured**: microseconds of processor in each second in which nothing happens:',
    costTable('idle', figures.idle, idlers),
    '**Measured**: memory, and what a published event costs Redis beside itself:',
    table(
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
  return table(
    [what, 'gateway', 'worker', 'Redis', 'to the append-only file', 'over the network', 'messages published'],
    rows,
  );
}

const words = (names: Readonly<Record<string, string>>, name: string): string => names[name] ?? name;
/** What is less than this is noise. */
const orDash = (micros: number): number | undefined => (micros < 0.5 ? undefined : micros);
