import { parseArgs } from 'node:util';
import { isTemplate, type Template, templates } from './templates.ts';

/** The command line, or what it asks for, is not possible. The message says why, and what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A parsed command line. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'create'; readonly folder: string; readonly template: Template; readonly install: boolean }
  | { readonly kind: 'add'; readonly name: string; readonly template: Template };

export const help = `Creates a folder with an A2A agent, its test and its scripts.

  npm create @switchyard@latest <folder> [-- <options>]
  npm create @switchyard@latest -- --add <name>     adds an agent to the current folder

Options:
  --template <name>   ${Object.entries(templates)
    .map(([name, { description }]) => `${name}: ${description}`)
    .join('\n                      ')}
  --no-install        only writes the files, and does not run npm install
  --help              this text
`;

/** @throws {UsageError} */
export function readArguments(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { kind: 'help' };
  const { template = 'hello', add } = values;
  if (!isTemplate(template))
    throw new UsageError(`There is no template "${template}": choose one of ${Object.keys(templates).join(', ')}.`);
  const [folder, ...others] = positionals;
  if (add !== undefined) {
    if (folder !== undefined)
      throw new UsageError('--add adds an agent to the current folder: leave out the name of a folder.');
    return { kind: 'add', name: add, template };
  }
  if (folder === undefined || folder === '')
    throw new UsageError('Name the folder: npm create @switchyard@latest my-agent (see --help)');
  if (others.length > 0) throw new UsageError(`Name only one folder, without "${others.join(' ')}" (see --help)`);
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
    throw new UsageError(`${error instanceof Error ? error.message : error} (see --help)`);
  }
}
