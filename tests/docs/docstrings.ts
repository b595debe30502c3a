import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An example in a docstring: the lines that are indented by four more blanks than its text. */
interface Example {
  /** `Turn.step`, `defineAgent` */
  readonly name: string;
  /** '' if there is none. */
  readonly code: string;
}

/** Packages with an example of everything that they export. */
export const packages = ['agent', 'executor-ai', 'executor-anthropic', 'executor-langgraph', 'executor-openai'];

const entries = ['index.ts', 'runtime.ts', 'testing/index.ts', 'models/index.ts'];

/** Classes whose methods authors call: each has an example of its own. */
const classes = new Set(['Turn', 'TurnView', 'ArtifactWriter', 'ContextMemory']);

/** What examples may use without an import or a declaration, besides the names that the package exports. */
const prelude = `
declare const turn: Turn;
declare const agent: Agent;
declare const port: MemoryPort;
declare const booking: Agent;
declare const client: ModelClient<ModelRequest & { prompt: string }, Answer>;
declare const chatModel: ChatModel<string, Answer>;
declare const call: OpenCall;
declare function askModel(question: DirectQuestion<string>): AsyncGenerator<string, Answer, undefined>;
declare const order: DataSchema<{ pizza: string }>;
declare function askPrice(pizza: string, signal?: AbortSignal): Promise<string>;
`;

/** Of every function and class that an entry exports, of the methods of `classes`, and of what else has an example. */
export function examplesIn(name: string): Example[] {
  const root = rootOf(name);
  const exported = new Set(
    entriesOf(name).flatMap((entry) => exportsOf(readFileSync(join(root, entry), 'utf8')).map(nameOf)),
  );
  return globSync(`${root}/**/*.ts`)
    .sort()
    .flatMap((file) => examplesOf(readFileSync(file, 'utf8'), exported));
}

function rootOf(name: string): string {
  return `packages/${name}/src`;
}

function entriesOf(name: string): string[] {
  return entries.filter((entry) => existsSync(join(rootOf(name), entry)));
}

/** Names that a module exports from others, each with `type ` if it is one. */
function exportsOf(text: string): string[] {
  const lists = text.matchAll(/^export (type )?\{([^}]*)\}/gm);
  return Array.from(lists, ([, type = '', list = '']) =>
    (list.match(/(?:type )?\w+/g) ?? []).map((each) => type + each),
  ).flat();
}

const nameOf = (each: string): string => each.replace(/^type /, '');

/** Indentation, contents, `export`, kind and name. */
const declared = new RegExp(
  [
    /^( *)\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n */,
    /(export )?(?:async |readonly )*/,
    /(class |function |interface |type |const |get )?(\w+)/,
  ]
    .map(({ source }) => source)
    .join(''),
  'gm',
);

function examplesOf(text: string, exported: ReadonlySet<string>): Example[] {
  let owner = '';
  return Array.from(text.matchAll(declared)).flatMap(
    ([, indent = '', comment = '', isExport, kind = '', word = '']) => {
      if (indent === '') owner = word;
      const name = indent === '' ? word : `${owner}.${word}`;
      const code = codeIn(comment);
      const isNeeded =
        indent === ''
          ? isExport && exported.has(name) && /^(?:class|function) $/.test(kind)
          : classes.has(owner) && kind === '' && isMethod(text, word);
      return isNeeded || code !== '' ? [{ name, code }] : [];
    },
  );
}

function isMethod(text: string, name: string): boolean {
  return new RegExp(`^  (?:async )?${name}[<(]`, 'm').test(text) && name !== 'constructor';
}

function codeIn(comment: string): string {
  return Array.from(comment.matchAll(/^ *\* {5}(.*)$/gm), ([, line]) => line).join('\n');
}

/** Writes each example as a module into a folder `docstrings`, where the compiler finds it. */
export async function writeExamples(folder: string): Promise<void> {
  const own = join(folder, 'docstrings');
  const ofAgent = importsOf('agent');
  for (const name of packages) {
    const imports = name === 'agent' ? ofAgent : [...importsOf(name), ...ofAgent];
    const found = examplesIn(name).filter(({ code }) => code !== '');
    await mkdir(join(own, name), { recursive: true });
    await Promise.all(
      found.map((each) => writeFile(join(own, name, `${each.name}.ts`), moduleOf(whole(each.code), imports))),
    );
  }
}

function importsOf(name: string): Import[] {
  return entriesOf(name).map((entry) => ({
    from: `@switchyard/${name}${entry === 'index.ts' ? '' : `/${entry.split(/[/.]/)[0]}`}`,
    names: exportsOf(readFileSync(join(rootOf(name), entry), 'utf8')),
  }));
}

interface Import {
  readonly from: string;
  readonly names: readonly string[];
}

function moduleOf(code: string, imports: readonly Import[]): string {
  const used = new Set(`${prelude}${code}`.match(/\w+/g));
  const lines = imports.map(({ from, names }) => {
    const wanted = names.filter((each) => used.delete(nameOf(each)));
    return `import { ${wanted.join(', ')} } from '${from}';`;
  });
  return [...lines, prelude, code].join('\n');
}

/** A module as it is, a field of a definition, or the body of a function. */
function whole(code: string): string {
  if (/^(?:export|import) /m.test(code)) return code;
  if (/^\w+: /.test(code)) return `export const fields: Partial<AgentDefinition> = {\n${code}\n};`;
  return `export async function example(): Promise<unknown> {\n${code}\nreturn [${constantsIn(code).join(', ')}];\n}`;
}

/** What an example declares and may not use. */
function constantsIn(code: string): string[] {
  const declarations = code.matchAll(/^const (?:[{[]([^}\]]*)[}\]]|(\w+))/gm);
  return Array.from(declarations, ([, several, one = '']) => several?.split(',') ?? [one])
    .flat()
    .map((each) => /(\w+)\s*(?:=.*)?$/.exec(each.trim())?.[1] ?? '');
}
