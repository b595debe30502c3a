/** The labels of each metric that a program has registered, by name. */
export type Registered = ReadonlyMap<string, ReadonlySet<string>>;

/** Given by Prometheus itself. */
const SCRAPED = ['instance', 'job'];
const operators = new Set(['and', 'or', 'unless']);
const grouping = /\b(?:by|on) \(([^)]*)\)/g;
const range = /\[[^\]]*\]/g;
/** A name that is no function's, with what its labels are to be; or that alone. */
const selector = /([a-zA-Z_]\w*)\b(?! *\()(?:\{([^}]*)\})?|\{([^}]*)\}/g;
const matcher = /([a-zA-Z_]\w*) ?(?:=~|!~|!=|=) ?"([^"]*)"/g;

/** The names in a query that nobody has registered, in words. Patterns of names must find something. */
export function queryProblems(query: string, registered: Registered): string[] {
  const groups = [...query.matchAll(grouping)].flatMap(([, labels = '']) => labels.split(', '));
  const rest = query.replaceAll(grouping, '').replaceAll(range, '');
  const selected = [...rest.matchAll(selector)]
    .filter(([, name]) => name === undefined || !operators.has(name))
    .map(([, name, of = '', like = '']) => ({
      names: name ? [name] : namesLike(like, registered),
      matchers: of + like,
    }));
  const names = selected.flatMap((one) => one.names);
  const labels = new Set([...SCRAPED, ...names.flatMap((name) => [...(registered.get(name) ?? [])])]);
  return [
    ...selected.filter((one) => one.names.length === 0).map(({ matchers }) => `no metric is like ${matchers}`),
    ...selected.flatMap((one) => one.names.flatMap((name) => selectorProblems(name, one.matchers, registered))),
    ...groups.filter((label) => !labels.has(label)).map((label) => `no label ${label} to group by`),
  ];
}

function selectorProblems(name: string, matchers: string, registered: Registered): string[] {
  const labels = registered.get(name);
  if (!labels) return [`no metric ${name}`];
  return [...matchers.matchAll(matcher)]
    .map(([, label = '']) => label)
    .filter((label) => label !== '__name__' && !labels.has(label) && !SCRAPED.includes(label))
    .map((label) => `${name} has no label ${label}`);
}

function namesLike(matchers: string, registered: Registered): string[] {
  const pattern = [...matchers.matchAll(matcher)].find(([, label]) => label === '__name__')?.[2] ?? '';
  const isLike = new RegExp(`^(?:${pattern})$`);
  return [...registered.keys()].filter((name) => isLike.test(name));
}
