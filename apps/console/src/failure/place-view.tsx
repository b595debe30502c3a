import type { CodePlace } from '@switchyard/operator-api';
import './failure.css';

/** The line of the author's code. */
export function PlaceView({ place: { file, line, column, source } }: { readonly place: CodePlace }) {
  return (
    <div class="failure-place">
      <span class="mono">
        {file}:{line}:{column}
      </span>
      {source !== undefined && <code>{source.trim()}</code>}
    </div>
  );
}
