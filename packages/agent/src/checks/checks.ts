type Results<Checks extends Readonly<Record<string, () => unknown>>> = {
  readonly [Name in keyof Checks]: ReturnType<Checks[Name]>;
};

/** Runs all checks, and returns what they return. @throws {TypeError} with the messages of all that threw */
export function checkAll<Checks extends Readonly<Record<string, () => unknown>>>(checks: Checks): Results<Checks> {
  const problems: string[] = [];
  const results = Object.entries(checks).map(([name, check]) => {
    try {
      return [name, check()];
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new TypeError(problems.join('; '));
  return Object.fromEntries(results) as Results<Checks>;
}

/** Checks each of them. @throws {TypeError} with the messages of all that threw */
export function checkEach<Item>(items: readonly Item[], check: (item: Item, at: number) => unknown): void {
  checkAll(Object.fromEntries(items.map((item, at) => [at, () => check(item, at)])));
}

/** @throws {TypeError} */
export function checkRange(name: string, value: number, highest: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= highest) return;
  throw new TypeError(`its ${name} is ${value} and must be a whole number from 1 to ${highest}`);
}

/**
 * @param of where the fields are, such as `limits.`; '': the definition itself
 * @throws {TypeError} naming every field that there is not, and what was probably meant
 */
export function checkNames(of: string, given: unknown, known: Readonly<Record<string, unknown>>): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(of === '' ? 'its definition is no object' : `its ${of.slice(0, -1)} is no object`);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) throw new TypeError(unknown.map((name) => unknownText(of, name, known)).join('; '));
}

function unknownText(of: string, name: string, known: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(known);
  const meant = closest(name, names);
  const hint = meant === undefined ? `there are ${names.join(', ')}` : `did you mean ${meant}?`;
  return `its ${of}${name} is unknown (${hint})`;
}

/** The name that was probably meant by an unknown one. */
export function closest(name: string, names: readonly string[]): string | undefined {
  return names
    .map((each) => ({ each, distance: distanceOf(each, name) }))
    .filter(({ each, distance }) => distance <= Math.min(2, each.length / 2))
    .sort((a, b) => a.distance - b.distance)[0]?.each;
}

/** How many letters must be added, left out or replaced: this package depends on none that would count them. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
