import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** The labels of each metric that a program has registered, by name. */
export type Registered = ReadonlyMap<string, ReadonlySet<string>>;

/** Given by Prometheus itself. */
const SCRAPED = ['instance', 'job'];

/** What is wrong with a query, by Prometheus' own grammar, and for names that nobody has registered, in words. */
export function queryProblems(query: string, registered: Registered): string[] {
  const text = query.replaceAll('$__rate_interval', '5m');
  const { errors, selectors, groups } = partsOf(text);
  const names = selectors.flatMap((selector) => namesIn(selector, registered));
  const labels = new Set([...SCRAPED, ...names.flatMap((name) => [...(registered.get(name) ?? [])])]);
  return [
    ...errors.map((from) => `not understood from here: ${text.slice(from)}`),
    ...selectors.flatMap((selector) => selectorProblems(selector, registered)),
    ...groups.filter((label) => !labels.has(label)).map((label) => `no label ${label} to group by`),
  ];
}

interface Selector {
  readonly metric: string | undefined;
  /** Label, and what it is compared with. */
  readonly matchers: readonly (readonly [label: string, value: string])[];
}

interface Parts {
  /** Where the query stops to be one. */
  readonly errors: number[];
  readonly selectors: Selector[];
  readonly groups: string[];
}

function partsOf(text: string): Parts {
  const parts: Parts = { errors: [], selectors: [], groups: [] };
  const word = ({ from, to }: SyntaxNode): string => text.slice(from, to);
  parser.parse(text).iterate({
    enter({ type, from, node }) {
      if (type.isError) parts.errors.push(from);
      if (type.name === 'GroupingLabels') parts.groups.push(...node.getChildren('LabelName').map(word));
      if (type.name !== 'VectorSelector') return;
      const metric = node.getChild('Identifier');
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      parts.selectors.push({
        metric: metric ? word(metric) : undefined,
        matchers: matchers.map((matcher) => {
          const [label, value] = ['LabelName', 'StringLiteral'].map((name) => matcher.getChild(name));
          return [label ? word(label) : '', value ? word(value).slice(1, -1) : ''];
        }),
      });
    },
  });
  return parts;
}

/** One without a name has a pattern of names. */
function namesIn({ metric, matchers }: Selector, registered: Registered): string[] {
  if (metric !== undefined) return [metric];
  const isLike = new RegExp(`^(?:${new Map(matchers).get('__name__')})$`);
  return [...registered.keys()].filter((name) => isLike.test(name));
}

function selectorProblems(selector: Selector, registered: Registered): string[] {
  const names = namesIn(selector, registered);
  if (names.length === 0) return [`no metric is like ${new Map(selector.matchers).get('__name__')}`];
  const asked = selector.matchers.map(([label]) => label).filter((label) => label !== '__name__');
  return names.flatMap((name) => {
    const labels = registered.get(name);
    if (!labels) return [`no metric ${name}`];
    const unknown = asked.filter((label) => !labels.has(label) && !SCRAPED.includes(label));
    return unknown.map((label) => `${name} has no label ${label}`);
  });
}
