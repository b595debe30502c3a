import type { ComponentChildren } from 'preact';

interface PanelProps {
  readonly title: string;
  /** Beside the title. */
  readonly about?: ComponentChildren;
  /** The content has no padding. */
  readonly isPlain?: boolean;
  readonly children: ComponentChildren;
}

/** A titled section of the page. */
export function Panel({ title, about, isPlain = false, children }: PanelProps) {
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{title}</h2>
        {about !== undefined && <span class="faint">{about}</span>}
      </div>
      {isPlain ? children : <div class="panel-body">{children}</div>}
    </section>
  );
}
