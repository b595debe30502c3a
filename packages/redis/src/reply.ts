/** Parses the reply of a script. @throws {UnexpectedReply} */
export type Parser<Parsed> = (reply: unknown) => Parsed;

type ParsedBy<P> = P extends Parser<infer Parsed> ? Parsed : never;
type ParsedItems<Items extends readonly Parser<unknown>[]> = { -readonly [I in keyof Items]: ParsedBy<Items[I]> };

/** A script's reply does not match its definition: Lua and TypeScript differ. */
class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';

  constructor(expected: string, reply: unknown) {
    super(`A script was expected to return ${expected}, and returned ${JSON.stringify(reply)?.slice(0, 200)}.`);
  }
}

export const text: Parser<string> = (reply) => {
  if (typeof reply !== 'string') throw new UnexpectedReply('a text', reply);
  return reply;
};

export const integer: Parser<number> = (reply) => {
  if (typeof reply !== 'number') throw new UnexpectedReply('a whole number', reply);
  return reply;
};

export const nothing: Parser<null> = (reply) => {
  if (reply !== null) throw new UnexpectedReply('nothing', reply);
  return null;
};

/** Parses one of these words. */
export function word<const Word extends string>(...words: readonly Word[]): Parser<Word> {
  return (reply) => {
    const found = words.find((one) => one === reply);
    if (found === undefined) throw new UnexpectedReply(`one of ${words.join(', ')}`, reply);
    return found;
  };
}

/** Parses with `parser`, or nil as null. */
export function optional<Parsed>(parser: Parser<Parsed>): Parser<Parsed | null> {
  return (reply) => (reply === null || reply === undefined ? null : parser(reply));
}

export function list<Parsed>(parser: Parser<Parsed>): Parser<Parsed[]> {
  return (reply) => array(reply).map(parser);
}

/** Parses a list of items. Missing ones at the end are nil; see `optional`. */
export function tuple<const Items extends readonly Parser<unknown>[]>(...items: Items): Parser<ParsedItems<Items>> {
  return (reply) => readItems(array(reply), items) as ParsedItems<Items>;
}

/** As `tuple`, then any number of `rest`. */
export function tupleAnd<const Items extends readonly Parser<unknown>[], Rest>(
  items: Items,
  rest: Parser<Rest>,
): Parser<[...ParsedItems<Items>, ...Rest[]]> {
  return (reply) => {
    const values = array(reply);
    const read = [...readItems(values, items), ...values.slice(items.length).map(rest)];
    return read as [...ParsedItems<Items>, ...Rest[]];
  };
}

type Verdicts = Readonly<Record<string, Parser<readonly unknown[]>>>;
type ParsedVerdict<V extends Verdicts> = {
  [Word in keyof V & string]: [verdict: Word, ...ParsedBy<V[Word]>];
}[keyof V & string];

/** Parses a list whose first item is a word, which decides on the others. */
export function verdict<const V extends Verdicts>(verdicts: V): Parser<ParsedVerdict<V>> {
  return (reply) => {
    const [first, ...rest] = array(reply);
    const parser = typeof first === 'string' && Object.hasOwn(verdicts, first) ? verdicts[first] : undefined;
    if (!parser) throw new UnexpectedReply(`one of ${Object.keys(verdicts).join(', ')} first`, reply);
    return [first, ...parser(rest)] as ParsedVerdict<V>;
  };
}

/** Verdicts that are their word alone. */
export function words<const Word extends string>(...all: readonly Word[]): Readonly<Record<Word, Parser<[]>>> {
  const none = tuple();
  return Object.fromEntries(all.map((each) => [each, none])) as Record<Word, Parser<[]>>;
}

function readItems(values: readonly unknown[], items: readonly Parser<unknown>[]): unknown[] {
  if (values.length > items.length && items.length === 0) throw new UnexpectedReply('nothing more', values);
  return items.map((item, i) => item(values[i]));
}

function array(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) throw new UnexpectedReply('a list', reply);
  return reply;
}

/** The only item of a list. @throws {UnexpectedReply} */
export function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new UnexpectedReply('a list of one', items);
  return item;
}
