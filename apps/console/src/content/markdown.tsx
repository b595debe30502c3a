import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

/** Markdown as elements: the author's HTML is never used, and nothing is loaded from other servers. */
export function Markdown({ text, isGrowing = false }: { readonly text: string; readonly isGrowing?: boolean }) {
  const shown = usePaced(text, isGrowing);
  const tokens = useMemo(() => lexer(shown), [shown]);
  return <div class="markdown">{blocks(tokens)}</div>;
}

/** Pause between two parses, as a multiple of the parsing time: long growing texts are not parsed for each chunk. */
const REST = 10;

function usePaced(text: string, isGrowing: boolean): string {
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  latest.current = text;
  const isPlanned = useRef(false);
  useEffect(() => {
    if (!isGrowing) return setShown(text);
    if (isPlanned.current || text === shown) return;
    isPlanned.current = true;
    setTimeout(
      () => {
        isPlanned.current = false;
        setShown(latest.current);
      },
      Math.max(50, (text.length / 10_000) * REST),
    );
  }, [text, shown, isGrowing]);
  return isGrowing ? shown : text;
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => block(token));
}

type Render<Kind extends Token> = (token: Kind) => ComponentChildren;

const blockOf: { readonly [Type in string]?: Render<never> } = {
  heading: ({ depth, tokens }: Tokens.Heading) => <Heading depth={depth}>{inlines(tokens)}</Heading>,
  paragraph: ({ tokens }: Tokens.Paragraph) => <p>{inlines(tokens)}</p>,
  code: ({ text }: Tokens.Code) => (
    <pre>
      <code>{text}</code>
    </pre>
  ),
  blockquote: ({ tokens }: Tokens.Blockquote) => <blockquote>{blocks(tokens)}</blockquote>,
  list: (list: Tokens.List) => <List {...list} />,
  table: (table: Tokens.Table) => <Table {...table} />,
  hr: () => <hr />,
  space: () => null,
  def: () => null,
};

function block(token: Token): ComponentChildren {
  const render = blockOf[token.type] as Render<Token> | undefined;
  return render ? render(token) : inline(token);
}

/** The page has its own h1 to h3. */
function Heading({ depth, children }: { readonly depth: number; readonly children: ComponentChildren }) {
  const Tag = depth <= 1 ? 'h4' : depth === 2 ? 'h5' : 'h6';
  return <Tag>{children}</Tag>;
}

function List({ ordered, start, items }: Tokens.List): JSX.Element {
  const each = items.map((item) => <li>{blocks(item.tokens)}</li>);
  return ordered ? <ol start={start === '' ? 1 : start}>{each}</ol> : <ul>{each}</ul>;
}

function Table({ header, rows }: Tokens.Table): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th>{inlines(tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map(({ tokens }) => (
              <td>{inlines(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inlines(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token) => inline(token));
}

const inlineOf: { readonly [Type in string]?: Render<never> } = {
  strong: ({ tokens }: Tokens.Strong) => <strong>{inlines(tokens)}</strong>,
  em: ({ tokens }: Tokens.Em) => <em>{inlines(tokens)}</em>,
  del: ({ tokens }: Tokens.Del) => <del>{inlines(tokens)}</del>,
  codespan: ({ text }: Tokens.Codespan) => <code>{text}</code>,
  br: () => <br />,
  checkbox: ({ checked }: Tokens.Checkbox) => <input type="checkbox" checked={checked} disabled aria-label="done" />,
  text: ({ tokens, text }: Tokens.Text) => (tokens ? inlines(tokens) : text),
  escape: ({ text }: Tokens.Escape) => text,
  link: ({ href, tokens }: Tokens.Link) => <Link href={href}>{inlines(tokens)}</Link>,
  image: ({ href, text }: Tokens.Image) => <Link href={href}>{text || href}</Link>,
};

function inline(token: Token): ComponentChildren {
  const render = inlineOf[token.type] as Render<Token> | undefined;
  return render ? render(token) : token.raw;
}

/** An external link: only http and https, and without a referrer. */
export function Link({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
