import { InvalidPageToken, type Ops, type Page, type PageQuery } from '@switchyard/store';
import { invalidParameters, pageParameters } from './parameters.ts';
import { type AdminRoute, adminRoute } from './route.ts';

/** `GET` of a list, in pages. @param name what the items are called in the answer */
export function listRoute<Item extends object>(
  path: string,
  name: string,
  list: (ops: Ops, query: PageQuery) => Promise<Page<Item>>,
): AdminRoute {
  return adminRoute(['get', path], pageParameters, async (ops, { parameters }) => {
    const { items, totalSize, nextPageToken } = await read(() => list(ops, parameters));
    return { [name]: items, totalSize, nextPageToken };
  });
}

async function read<T>(list: () => Promise<T>): Promise<T> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    throw invalidParameters([{ field: 'pageToken', description: 'is not one that was answered here' }]);
  }
}
