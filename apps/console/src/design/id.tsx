import { notify } from './notices.tsx';

/** A shortened id; a click copies all of it. */
export function Id({ id, length = 8 }: { readonly id: string; readonly length?: number }) {
  const copy = async (): Promise<void> => {
    // Over plain HTTP from another host, pages have no clipboard.
    const isCopied = await (navigator.clipboard as Clipboard | undefined)?.writeText(id).then(
      () => true,
      () => false,
    );
    notify(isCopied ? 'Copied' : id);
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
