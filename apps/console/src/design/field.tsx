import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface FieldProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A control with its label. */
export function Field({ label, children }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child.
    <label class="field">
      <span class="label">{label}</span>
      {children}
    </label>
  );
}

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** Shown below the field while one types. */
  readonly help?: ComponentChildren;
}

/** The search field of a page: `/` focuses it. */
export function Search({ label, placeholder, value, onInput, help }: SearchProps) {
  const close = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the help of the field in it.
    <div class="search grow" onKeyDown={close}>
      <Icon name="search" size={14} />
      <input
        class="input"
        type="text"
        data-search
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <span class="key">/</span>
      {help && <div class="search-panel">{help}</div>}
    </div>
  );
}
