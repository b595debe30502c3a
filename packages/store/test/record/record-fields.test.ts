import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Expression, type Node, parse } from 'luaparse';
import { expect, test } from 'vitest';

// The header of fields.lua names every field of a task's hash, and the files that write it besides write_fields(). The
// key of a hash is known by its name: `task_key` and the like are tasks.

const packages = new URL('../../../', import.meta.url);
const TASK = /^(?:record\.key|(?:\w+_)?task_key|caller_key|tasks_root \.\. \w+)$/;
const WRITE = /^H(?:SET|SETNX|DEL|INCRBY)$/;
const ROW = /^-- {3}(\S+)(?: +(.*))?$/gm;

interface File {
  readonly name: string;
  readonly text: string;
  readonly nodes: readonly Node[];
}

function nodesOf(node: Node): Node[] {
  const children = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return [node, ...children.filter(isNode).flatMap(nodesOf)];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const files = globSync('{conversations,push,schedules,store,upkeep}/src/**/*.lua', { cwd: packages }).map(
  (path): File => {
    const text = readFileSync(new URL(path, packages), 'latin1');
    return { name: basename(path, '.lua'), text, nodes: nodesOf(parse(text, { luaVersion: '5.1', ranges: true })) };
  },
);

const textOf = ({ text }: File, node: Node): string => {
  const [from, to] = 'range' in node && Array.isArray(node.range) ? node.range : [0, 0];
  return text.slice(from, to);
};

/** The names that an expression may have as a field: `l<>` for `'l' .. epoch`, those of a variable; none if unknown. */
function names(file: File, field: Node): string[] {
  if (field.type === 'StringLiteral') return [field.raw.slice(1, -1).replace(/^([a-z])\d+$/, '$1<>')];
  if (field.type === 'BinaryExpression')
    return field.left.type === 'StringLiteral' ? [`${field.left.raw.slice(1, -1)}<>`] : [];
  if (field.type !== 'Identifier') return [];
  const values = file.nodes.flatMap((node) => {
    if (node.type !== 'LocalStatement' && node.type !== 'AssignmentStatement') return [];
    const at = node.variables.findIndex((variable) => variable.type === 'Identifier' && variable.name === field.name);
    return node.init[at] ?? [];
  });
  return values.filter(({ type }) => type !== 'Identifier').flatMap((value) => names(file, value));
}

/** The fields of tasks that a command writes; none if it is another one. */
function written(file: File, node: Node): string[] {
  if (node.type !== 'CallExpression' || !/^redis\.p?call$/.test(textOf(file, node.base))) return [];
  const [command, key, ...rest] = node.arguments;
  const word = command?.type === 'StringLiteral' ? command.raw.slice(1, -1) : '';
  if (!key || !WRITE.test(word) || !TASK.test(textOf(file, key))) return [];
  const fields = rest.filter((_, i) => word === 'HDEL' || (word === 'HSET' ? i % 2 === 0 : i === 0));
  return fields.flatMap((field) => names(file, field));
}

/** The fields that an assignment has commit() write: `record.changes.fields.metadata = …`. */
function changed(file: File, node: Node): string[] {
  if (node.type !== 'AssignmentStatement') return [];
  return node.variables.flatMap((variable) => {
    if (variable.type !== 'MemberExpression' && variable.type !== 'IndexExpression') return [];
    if (!/(?:^|\.)fields$/.test(textOf(file, variable.base as Expression))) return [];
    return variable.type === 'MemberExpression' ? [variable.identifier.name] : names(file, variable.index);
  });
}

const found = new Map<string, Set<string>>();
for (const file of files)
  for (const node of file.nodes)
    for (const field of [...written(file, node), ...changed(file, node)])
      found.set(field, (found.get(field) ?? new Set()).add(file.name));

const fields = readFileSync(new URL('store/src/record/fields.lua', packages), 'utf8');
const header = fields.slice(0, fields.indexOf('\nlocal ')).replace(/\n-- {10,}/g, ' ');
const table = new Map(Array.from(header.matchAll(ROW), ([, field = '', by = '']) => [field, by.split(' ').sort()]));

test('fields.lua names the files that write each field of a task', () => {
  const writers = new Map([...found].map(([field, by]) => [field, [...by].sort()]));
  expect(Object.fromEntries([...table].filter(([, by]) => by[0] !== ''))).toEqual(Object.fromEntries(writers));
});

test('fields.lua and docs/redis-keys.md name each field of a task', () => {
  const list = /local FIELDS = \{([^}]*)\}/.exec(fields)?.[1] ?? '';
  const ofRecord = Array.from(list.matchAll(/'([^']+)'/g), ([, name = '']) => name);
  expect(ofRecord.filter((name) => !table.has(name))).toEqual([]);
  const page = readFileSync(new URL('../../../../docs/redis-keys.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## The record of a task');
  const documented = Array.from(section.matchAll(/`([^` ]+)`/g), ([, name = '']) => name.replace(/<\w+>$/, '<>'));
  expect([...table.keys()].filter((name) => name !== '@<>' && !documented.includes(name))).toEqual([]);
});

test('task-keys.lua lists each key that is made from the key of a task', () => {
  const made = files.flatMap(({ text }) =>
    Array.from(
      text.matchAll(/(?:task_key|caller_key|record\.key|tasks_root \.\. [\w.]+) \.\. ':(\w)'/g),
      ([, letter]) => letter,
    ),
  );
  const list = readFileSync(new URL('store/src/record/task-keys.lua', packages), 'utf8');
  const [, ends = '', kept = ''] = /OTHER_KEYS, KEPT_KEYS = '(\w+)', '(\w+)'/.exec(list) ?? [];
  expect([...new Set(made)].sort()).toEqual([...`${ends}${kept}`].sort());
});
