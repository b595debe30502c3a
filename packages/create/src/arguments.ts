import { parseArgs } from 'node:util';
import { isTemplate, type Template, templates } from './templates.ts';

/** Something was typed that cannot be done; the message says what, and what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What is to be done. */
export type Order =
  | { readonly kind: 'help' }
  | { readonly kind: 'create'; readonly folder: string; readonly template: Template; readonly install: boolean }
  | { readonly kind: 'add'; readonly name: string; readonly template: Template };

export const help = `Makes a folder with one A2A agent, its test and its scripts.

  npm create @switchyard@latest <folder> [-- <options>]
  npm create @switchyard@latest -- --add <name>     adds an agent to the folder you are in

Options:
  --template <name>   ${Object.entries(templates)
    .map(([name, { description }]) => `${name}: ${description}`)
    .join('\n                      ')}
  --no-install        writes the files alone, and does not run npm install
  --help              this text
`;

/** @throws {UsageError} */
export function readArguments(args: readonly string[]): Order {
  const { values, positionals } = parse(args);
  if (values.help) return { kind: 'help' };
  const { template = 'hello', add } = values;
  if (!isTemplate(template))
    throw new UsageError(`There is no template "${template}": choose one of ${Object.keys(templates).join(', ')}.`);
  const [folder, ...others] = positionals;
  if (add !== undefined) {
    if (folder !== undefined)
      throw new UsageError('--add adds to the folder that you are in: leave the other name out.');
    return { kind: 'add', name: add, template };
  }
  if (folder === undefined || folder === '')
    throw new UsageError('Name the folder: npm create @switchyard@latest my-agent (--help says more)');
  if (others.length > 0)
    throw new UsageError(`One folder at a time: what is "${others.join(' ')}"? (--help says more)`);
  return { kind: 'create', folder, template, install: values.install };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        template: { type: 'string', short: 't' },
        add: { type: 'string' },
        install: { type: 'boolean', default: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} (--help says more)`);
  }
}
