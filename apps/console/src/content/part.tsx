import type { Part } from '@switchyard/protocol';
import { useEffect, useState } from 'preact/hooks';
import { DataTree } from './data-tree.tsx';
import { GrowingText } from './growing-text.tsx';
import { Link, Markdown } from './markdown.tsx';
import './content.css';

interface PartProps {
  readonly part: Part;
  readonly isGrowing: boolean;
  /** Media type of the whole artifact or message; a part may have its own. */
  readonly isMarkdown: boolean;
}

/** A part: text, Markdown, data as a tree, an image, or a file to download. */
export function PartView({ part, isGrowing, isMarkdown }: PartProps) {
  if (part.text !== undefined)
    return (
      <>
        {part.filename !== undefined && <div class="part-name">{part.filename}</div>}
        {isMarkdown ? (
          <Markdown text={part.text} isGrowing={isGrowing} />
        ) : (
          <GrowingText text={part.text} isGrowing={isGrowing} />
        )}
      </>
    );
  if (part.data !== undefined) return <DataTree value={part.data} />;
  if (part.url !== undefined)
    return (
      <p class="part-file">
        <Link href={part.url}>{part.filename ?? part.url}</Link>
      </p>
    );
  return <FileView raw={part.raw ?? ''} name={part.filename ?? 'file'} type={part.mediaType ?? ''} />;
}

/** Formats that a browser can show without running code. */
const images = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/;

function FileView({ raw, name, type }: { readonly raw: string; readonly name: string; readonly type: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(raw.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
    const made = URL.createObjectURL(
      new Blob([bytes], { type: images.test(type) ? type : 'application/octet-stream' }),
    );
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [raw, type]);
  if (url === undefined) return null;
  return (
    <figure class="part-file">
      {images.test(type) && <img src={url} alt={name} />}
      <figcaption>
        <a href={url} download={name}>
          {name}
        </a>{' '}
        <span class="data-size">{[type, bytesText((raw.length / 4) * 3)].filter(Boolean).join(' · ')}</span>
      </figcaption>
    </figure>
  );
}

function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${Math.floor(bytes)} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Whether a text is Markdown, by its media type or name only. */
export function isMarkdown(part: Part, name = ''): boolean {
  return part.mediaType === 'text/markdown' || /\.(?:md|markdown)$/i.test(part.filename ?? name);
}
