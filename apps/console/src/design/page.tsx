import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import './page.css';

interface PageProps {
  readonly title: ComponentChildren;
  /** Beside the title: how many, which. */
  readonly about?: ComponentChildren;
  /** Buttons, at the right. */
  readonly actions?: ComponentChildren;
  /** Of what is followed: a dot tells whether it is live. */
  readonly isLost?: ReadonlySignal<boolean>;
  /** A second line of the head: search, tabs. */
  readonly bar?: ComponentChildren;
  /** The page scrolls itself, as long lists do. */
  readonly isFull?: boolean;
  readonly children: ComponentChildren;
}

/** A page: its head stays, its body scrolls. */
export function Page({ title, about, actions, isLost, bar, isFull = false, children }: PageProps) {
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
