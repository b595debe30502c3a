import { notify } from './notices.tsx';

/** A shortened id; a click copies all of it. */
export function Id({ id, length = 8 }: { readonly id: string; readonly length?: number }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(id);
    notify('Copied');
  };
  return (
    <button type="button" class="id" title={`${id}: copy`} onClick={copy}>
      {shortId(id, length)}
    </button>
  );
}

export function shortId(id: string, length = 8): string {
  return id.length > length + 1 ? `${id.slice(0, length)}…` : id;
}
