import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import './page.css';

interface PageProps {
  readonly title: ComponentChildren;
  /** Title of the browser's tab; unset: the page's name. */
  readonly tab?: string | undefined;
  /** Beside the title: a number or a name. */
  readonly about?: ComponentChildren;
  /** Buttons, on the right. */
  readonly actions?: ComponentChildren;
  /** Of live data: a dot shows the state of the connection. */
  readonly isLost?: ReadonlySignal<boolean>;
  /** A second line of the header: search, tabs. */
  readonly bar?: ComponentChildren;
  /** The page scrolls its content itself, like long lists. */
  readonly isFull?: boolean;
  readonly children: ComponentChildren;
}

/** A page with a fixed header and a scrolling body. */
export function Page({ title, tab, about, actions, isLost, bar, isFull = false, children }: PageProps) {
  useEffect(() => {
    if (tab !== undefined) document.title = `${tab} · Switchyard`;
  }, [tab]);
  return (
    <section class="page">
      <header class="page-head">
        <div class="page-line">
          <h1 class="clip">{title}</h1>
          {about !== undefined && <span class="faint clip">{about}</span>}
          {isLost && <LiveDot isLost={isLost} />}
          <span class="grow" />
          {actions}
        </div>
        {bar && <div class="page-bar">{bar}</div>}
      </header>
      {isFull ? children : <div class="page-body">{children}</div>}
    </section>
  );
}

function LiveDot({ isLost }: { readonly isLost: ReadonlySignal<boolean> }) {
  return isLost.value ? (
    <span class="live lost" role="status">
      Not live
    </span>
  ) : (
    <span class="live" title="Kept up to date">
      Live
    </span>
  );
}
