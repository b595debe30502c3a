import { readFileSync } from 'node:fs';

/** A kind of key in docs/redis-keys.md, such as `P{s<n>}:t:<task>:i`. */
interface Kind {
  readonly name: string;
  readonly pattern: RegExp;
}

const page = new URL('../../../../docs/redis-keys.md', import.meta.url);
const ROW = /^\| (`P[^|]+) \|([^|]*)\|/gm;

const kinds: readonly Kind[] = Array.from(readFileSync(page, 'utf8').matchAll(ROW))
  .filter(([, , type]) => type?.trim() !== 'channel')
  .flatMap(([, names = '']) => Array.from(names.matchAll(/`([^`]+)`/g), ([, name = '']) => kindOf(name)))
  // The more specific name wins: `q:@push:…` is not `q:<agent>:…`.
  .sort((a, b) => literalLength(b.name) - literalLength(a.name));

/** Every documented kind of key. */
export const documentedKeys: readonly string[] = kinds.map(({ name }) => name);

/** The kind of a key, or `undocumented: <key>`. */
export function documentedKindOf(key: string, prefix: string): string {
  const rest = key.startsWith(prefix) ? key.slice(prefix.length) : '';
  return kinds.find(({ pattern }) => pattern.test(rest))?.name ?? `undocumented: ${key}`;
}

function kindOf(name: string): Kind {
  const pattern = name
    .slice(1)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('<n>', '\\d+')
    .replace(/<\w[^>]*>/g, '[^:]+')
    .replace('…', '.+');
  return { name, pattern: new RegExp(`^${pattern}$`) };
}

function literalLength(name: string): number {
  return name.replace(/<[^>]*>|…/g, '').length;
}
