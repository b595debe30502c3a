import { z } from 'zod';

/** ISO 8601. */
export const time = z.string();
export const count = z.number().int().min(0);

/** A page of a list. @param name the field of the response that contains the items */
export function pageOf<const Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const items = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return z.object({ ...items, totalSize: count, nextPageToken: z.string() });
}
