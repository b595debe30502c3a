import { type ReadonlySignal, signal } from '@preact/signals';
import { z } from 'zod';

const viewSchema = z.object({ name: z.string(), text: z.string() });
export type SavedView = z.infer<typeof viewSchema>;

const storedAs = 'switchyard.views';

/** Built-in views. */
export const commonViews: readonly SavedView[] = [
  { name: 'All', text: '' },
  { name: 'Open', text: 'state:open' },
  { name: 'Stuck', text: 'is:stuck' },
  { name: 'Waiting for someone', text: 'state:waiting' },
  { name: 'Failed', text: 'state:failed' },
  { name: 'Completed', text: 'state:completed' },
];

const own = signal(read());

/** Named searches, stored in this browser. */
export const savedViews: ReadonlySignal<readonly SavedView[]> = own;

function read(): readonly SavedView[] {
  try {
    return z.array(viewSchema).parse(JSON.parse(localStorage.getItem(storedAs) ?? '[]'));
  } catch {
    // Stored by another version of the console.
    return [];
  }
}

export function saveView(view: SavedView): void {
  write([...own.value.filter(({ name }) => name !== view.name), view]);
}

export function forgetView(name: string): void {
  write(own.value.filter((view) => view.name !== name));
}

function write(views: readonly SavedView[]): void {
  own.value = views;
  localStorage.setItem(storedAs, JSON.stringify(views));
}
