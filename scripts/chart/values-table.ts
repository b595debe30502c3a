import { isMap, isNode, isScalar, type Pair, parseDocument, stringify } from 'yaml';

interface Row {
  readonly path: string;
  readonly value: string;
  readonly text: string;
}

/** The table of all values: each that is described by `# -- …` above it in values.yaml. */
export function valuesTable(values: string): string {
  const { contents } = parseDocument(values);
  const rows = rowsOf(contents, '');
  const line = ({ path, value, text }: Row): string => `| \`${path}\` | ${value} | ${text} |`;
  return ['| value | default | what it does |', '|---|---|---|', ...rows.map(line)].join('\n');
}

function rowsOf(node: unknown, path: string): Row[] {
  if (!isMap(node)) return [];
  return node.items.flatMap((pair, i) => rowsOfPair(pair, path, i === 0 ? (node.commentBefore ?? '') : ''));
}

function rowsOfPair({ key, value }: Pair, under: string, above: string): Row[] {
  if (!isScalar(key)) return [];
  const path = under === '' ? String(key.value) : `${under}.${key.value}`;
  const [, text] = /(?:^|\n) -- ([\s\S]*)$/.exec(`${above}\n${key.commentBefore ?? ''}`) ?? [];
  const below = rowsOf(value, path);
  if (text === undefined) return below;
  return [{ path, value: shown(value), text: text.replaceAll(/\s*\n\s*/g, ' ').trim() }, ...below];
}

function shown(value: unknown): string {
  const plain: unknown = isNode(value) ? value.toJSON() : value;
  if (plain === '') return '';
  if (typeof plain !== 'object') return `\`${plain}\``;
  const text = stringify(plain, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim();
  return text === '{}' || text === '[]' ? '' : `\`${text}\``;
}
