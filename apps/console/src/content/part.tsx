import type { Part } from '@switchyard/protocol';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { file, problemText } from '../app/api.ts';
import { Button } from '../design/button.tsx';
import { Problem } from '../design/views.tsx';
import { DataTree } from './data-tree.tsx';
import { GrowingText } from './growing-text.tsx';
import { Link, Markdown } from './markdown.tsx';
import './content.css';

interface PartProps {
  readonly part: Part;
  /** The task that has it: operators can read the files of its principal. Unset: there is only their URL. */
  readonly taskId?: string;
  readonly isGrowing: boolean;
  /** Media type of the whole artifact or message; a part may have its own. */
  readonly isMarkdown: boolean;
}

/** A part: text, Markdown, data as a tree, an image, or a file to download. */
export function PartView({ part, taskId, isGrowing, isMarkdown }: PartProps) {
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
  const fileId = taskId === undefined ? undefined : storedFile.exec(part.url ?? '')?.groups;
  if (fileId)
    return <StoredFileView path={`/admin/tasks/${taskId}/files/${fileId.id}`} part={part} size={fileId.size} />;
  if (part.url !== undefined)
    return (
      <p class="part-file">
        <Link href={part.url}>{part.filename ?? part.url}</Link>
      </p>
    );
  return <RawFileView raw={part.raw ?? ''} name={part.filename ?? 'file'} type={part.mediaType ?? ''} />;
}

/** Formats that a browser can show without running code. */
const images = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/;

interface FileProps {
  readonly content: Blob;
  readonly name: string;
  readonly type: string;
}

function FileView({ content, name, type }: FileProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(
      content.slice(0, content.size, images.test(type) ? type : 'application/octet-stream'),
    );
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  if (url === undefined) return null;
  return (
    <figure class="part-file">
      {images.test(type) && <img src={url} alt={name} />}
      <figcaption>
        <a href={url} download={name}>
          {name}
        </a>{' '}
        <FileFacts type={type} bytes={content.size} />
      </figcaption>
    </figure>
  );
}

function RawFileView({ raw, name, type }: { readonly raw: string; readonly name: string; readonly type: string }) {
  const content = useMemo(() => {
    const text = atob(raw.replaceAll('-', '+').replaceAll('_', '/'));
    return new Blob([Uint8Array.from(text, (each) => each.charCodeAt(0))]);
  }, [raw]);
  return <FileView content={content} name={name} type={type} />;
}

/** The id of a file of the deployment at the end of its URL, and in that its size in base 36 (docs/files.md). */
const storedFile = /\/files\/(?<id>r?[\da-f]{32}-(?<size>[\da-z]{1,11}))$/;
/** Larger pictures are read when somebody asks. */
const largestPreview = 5_000_000;

interface StoredFileProps {
  readonly path: string;
  readonly part: Part;
  /** Bytes, in base 36. */
  readonly size: string | undefined;
}

/** A file outside of the task: a picture is shown, others are read when somebody asks. */
function StoredFileView({ path, part, size = '' }: StoredFileProps) {
  const { filename: name = 'file', mediaType: type = '' } = part;
  const bytes = Number.parseInt(size, 36);
  const [content, setContent] = useState<Blob>();
  const [problem, setProblem] = useState<string>();
  const read = (): void => {
    setProblem(undefined);
    file(path).then(setContent, (error: unknown) => setProblem(problemText(error)));
  };
  useEffect(() => {
    if (images.test(type) && bytes <= largestPreview) read();
  }, [path]);
  if (content) return <FileView content={content} name={name} type={type} />;
  return (
    <p class="part-file">
      <Button kind="quiet" onPress={read}>
        Read {name}
      </Button>{' '}
      <FileFacts type={type} bytes={bytes} />
      {problem !== undefined && <Problem text={problem} />}
    </p>
  );
}

function FileFacts({ type, bytes }: { readonly type: string; readonly bytes: number }) {
  return <span class="data-size">{[type, bytesText(bytes)].filter(Boolean).join(' · ')}</span>;
}

function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${Math.floor(bytes)} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Whether a text is Markdown, by its media type or name only. */
export function isMarkdown(part: Part, name = ''): boolean {
  return part.mediaType === 'text/markdown' || /\.(?:md|markdown)$/i.test(part.filename ?? name);
}
