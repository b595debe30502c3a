// `npm run lint:lua`: reads every Lua script with its includes, and reports undefined globals, unused locals, calls of
// own functions with too many arguments, includes that do something or share a local that changes, included files that do
// not say which locals of others they read, includes from a folder above, lines of more than 120 columns, and comments
// that name what there is not.

import { globSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Chunk, type Node, parse } from 'luaparse';

const source = new URL('../packages/', import.meta.url);
/** What a script includes of another package. */
const OF_PACKAGE = /^@switchyard\/([^/]+)\/(.+)$/;
const INCLUDE = /^ *--- @include "(.+)"$/gm;
/** What Redis gives a script, as far as ours use it. */
const GIVEN = new Set(
  'redis KEYS ARGV unpack tonumber tostring type pairs ipairs pcall error next string table math setmetatable'.split(
    ' ',
  ),
);

/** A package and the folders of the store from low to high; all others stand side by side on top of them. */
const LAYERS = ['redis', 'queue', 'record', 'tasks', 'turns'];

interface Script {
  readonly name: string;
  readonly chunk: Chunk;
  /** How often each name stands in it. */
  readonly counts: ReadonlyMap<string, number>;
  readonly files: ReadonlySet<string>;
}

const files = globSync('*/src/**/*.lua', { cwd: source }).sort();
const namesOfFiles = new Set(
  globSync('{apps,packages}/*/{src,test}/**/*.{lua,ts}', { cwd: new URL('../', source) }).map((file) => basename(file)),
);
/** Words that stand outside of comments, and names of keys and arguments in headers. */
const wordsOfCode = new Set(files.flatMap((file) => [...wordsOutside(text(file)), ...namesInHeader(text(file))]));
const included = new Set(files.flatMap((file) => [...includesOf(file)]));
const scripts = files.filter((file) => !included.has(file)).map(readScript);
const problems = [
  ...scripts.flatMap(globals),
  ...scripts.flatMap(arities),
  ...scripts.flatMap(shared),
  ...[...included].flatMap(acting),
  ...[...included].flatMap(unsaid),
  ...files.flatMap(unused),
  ...files.flatMap(upward),
  ...files.flatMap(long),
  ...files.flatMap(stale),
];
for (const problem of new Set(problems)) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

function text(file: string): string {
  return readFileSync(new URL(file, source), 'utf8');
}

function includesOf(file: string): Set<string> {
  const found = Array.from(text(file).matchAll(INCLUDE), ([, path = '']) => pathFrom(file, path));
  return new Set(found.flatMap((path) => [path, ...includesOf(path)]));
}

function pathFrom(file: string, path: string): string {
  const [, other, rest] = OF_PACKAGE.exec(path) ?? [];
  if (other !== undefined) return `${other}/src/${rest}`;
  return relative(fileURLToPath(source), fileURLToPath(new URL(path, new URL(file, source))));
}

function expanded(file: string): string {
  return text(file).replace(INCLUDE, (_, path: string) => expanded(pathFrom(file, path)));
}

function readScript(name: string): Script {
  const counts = new Map<string, number>();
  const chunk = parse(expanded(name), { luaVersion: '5.1', scope: true, locations: true });
  visit(chunk, (node) => {
    if (node.type === 'Identifier') counts.set(node.name, (counts.get(node.name) ?? 0) + 1);
  });
  return { name, chunk, counts, files: new Set([name, ...includesOf(name)]) };
}

function globals({ name, chunk }: Script): string[] {
  const found: string[] = [];
  const fields = new Set<unknown>();
  visit(chunk, (node) => {
    if (node.type === 'MemberExpression') fields.add(node.identifier);
    if (node.type === 'TableKeyString') fields.add(node.key);
    // The parser marks what is local; names of fields are none.
    const isGlobal = node.type === 'Identifier' && isFree(node);
    if (isGlobal && !fields.has(node) && !GIVEN.has(node.name)) found.push(`${name}: ${node.name} is defined nowhere`);
  });
  return found;
}

function arities({ name, chunk }: Script): string[] {
  const parameters = new Map<string, number>();
  visit(chunk, (node) => {
    if (node.type !== 'FunctionDeclaration' || node.identifier?.type !== 'Identifier') return;
    const isOpen = node.parameters.some(({ type }) => type === 'VarargLiteral');
    parameters.set(node.identifier.name, isOpen ? Number.POSITIVE_INFINITY : node.parameters.length);
  });
  const found: string[] = [];
  visit(chunk, (node) => {
    if (node.type !== 'CallExpression' || node.base.type !== 'Identifier') return;
    const most = parameters.get(node.base.name);
    if (most !== undefined && node.arguments.length > most)
      found.push(`${name}: ${node.base.name} takes ${most} arguments, and is given ${node.arguments.length}`);
  });
  return found;
}

/** A local that stands once in each script that has the file: there it is defined. */
function unused(file: string): string[] {
  const having = scripts.filter((script) => script.files.has(file));
  const locals: string[] = [];
  visit(parse(text(file), { luaVersion: '5.1' }), (node) => {
    if (node.type === 'LocalStatement') locals.push(...node.variables.map(({ name }) => name));
    if (node.type === 'FunctionDeclaration' && node.isLocal && node.identifier?.type === 'Identifier')
      locals.push(node.identifier.name);
  });
  return locals
    .filter((local) => !local.startsWith('_') && having.every(({ counts }) => (counts.get(local) ?? 0) < 2))
    .map((local) => `${file}: ${local} is never used`);
}

/** A file that is included defines functions and constants: what it does is done by who calls them. */
function acting(file: string): string[] {
  const acts = parse(text(file), { luaVersion: '5.1' }).body.filter(
    ({ type }) => type !== 'LocalStatement' && type !== 'FunctionDeclaration',
  );
  return acts.length > 0 ? [`${file} is included, and does more than to define functions`] : [];
}

/** A local that is set again is the business of one file: others get it as an argument, or in a table. */
function shared({ name, files }: Script): string[] {
  const names = [...files].map((file) => ({ file, ...namesOf(file) }));
  return names.flatMap(({ file, changed }) =>
    names
      .filter((other) => other.file !== file)
      .flatMap((other) => [...changed].filter((local) => other.free.has(local)).map((local) => [local, other.file]))
      .map(([local, other]) => `${name}: ${file} changes ${local}, which ${other} reads`),
  );
}

/** `free`: what a file uses without defining it. `changed`: what it sets again: locals of its top level, and free names. */
function namesOf(file: string): { readonly free: ReadonlySet<string>; readonly changed: ReadonlySet<string> } {
  const chunk = parse(text(file), { luaVersion: '5.1', scope: true });
  const top = new Set(
    chunk.body.flatMap((node) => (node.type === 'LocalStatement' ? node.variables.map(({ name }) => name) : [])),
  );
  const free = new Set<string>();
  const changed = new Set<string>();
  visit(chunk, (node) => {
    if (node.type === 'Identifier' && isFree(node)) free.add(node.name);
    if (node.type !== 'AssignmentStatement' || node.init.every(isNumberOf)) return;
    for (const variable of node.variables)
      if (variable.type === 'Identifier' && (top.has(variable.name) || isFree(variable))) changed.add(variable.name);
  });
  return { free, changed };
}

/** A file that is included names in its header what it reads of its includer: each local, or the file that defines it. */
function unsaid(file: string): string[] {
  const header = /^(?:--.*\n)*/.exec(text(file))?.[0] ?? '';
  const said = new Set(header.match(/[\w-]+\.lua|\w+/g));
  const own = [...includesOf(file)];
  const named = files.filter((other) => said.has(basename(other)));
  const known = new Set([...own, ...named, ...named.flatMap((other) => [...includesOf(other)])].flatMap(definedBy));
  return [...namesOf(file).free]
    .filter((name) => !GIVEN.has(name) && !known.has(name) && !said.has(name))
    .map((name) => `${file} reads ${name}, which its header does not name`);
}

/** The locals of a file's top level. */
function definedBy(file: string): string[] {
  return parse(text(file), { luaVersion: '5.1' }).body.flatMap((node) => {
    if (node.type === 'LocalStatement') return node.variables.map(({ name }) => name);
    return node.type === 'FunctionDeclaration' && node.identifier?.type === 'Identifier' ? [node.identifier.name] : [];
  });
}

/** An argument becomes a number. */
function isNumberOf(node: Node): boolean {
  return node.type === 'CallExpression' && node.base.type === 'Identifier' && node.base.name === 'tonumber';
}

function isFree(node: Node): boolean {
  return 'isLocal' in node && node.isLocal === false;
}

function upward(file: string): string[] {
  const direct = Array.from(text(file).matchAll(INCLUDE), ([, path = '']) => pathFrom(file, path));
  return direct.filter((path) => !mayInclude(folderOf(file), folderOf(path))).map((path) => `${file} includes ${path}`);
}

function mayInclude(folder: string, other: string): boolean {
  if (folder === other) return true;
  return LAYERS.includes(other) && (!LAYERS.includes(folder) || LAYERS.indexOf(other) < LAYERS.indexOf(folder));
}

/** Of the store, the folder; any other package as a whole. */
function folderOf(file: string): string {
  const [name = '', , folder = ''] = file.split('/');
  return name === 'store' ? folder : name;
}

function long(file: string): string[] {
  const lines = text(file).split('\n');
  return lines.flatMap((line, i) => (line.length > 120 ? [`${file}:${i + 1} has more than 120 columns`] : []));
}

/** A comment names files, and names with underscores, that there are. */
function stale(file: string): string[] {
  const words = (text(file).match(/--.*/g) ?? []).flatMap(
    (comment) => comment.match(/[\w.-]+\.(?:lua|ts)\b|\w+/g) ?? [],
  );
  const unknown = words.filter((word) => (word.includes('.') ? !namesOfFiles.has(word) : !isInCode(word)));
  return [...new Set(unknown)].map((word) => `${file}: a comment names ${word}, which there is not`);
}

function wordsOutside(code: string): string[] {
  return code.replace(/--.*/g, '').match(/\w+/g) ?? [];
}

function namesInHeader(code: string): string[] {
  return Array.from(code.matchAll(/^-- (?:KEYS|ARGV|EACH| {4}) {2}(\w+)/gm), ([, name = '']) => name);
}

function isInCode(word: string): boolean {
  return !/^[a-z]\w*_\w*[a-z]$/.test(word) || wordsOfCode.has(word);
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const value of Object.values(node))
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) visit(one, see);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
