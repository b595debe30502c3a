import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go } from '../app/route.ts';
import { Dialog } from '../design/dialog.tsx';
import { pages } from './pages.tsx';

const isHelpOpen = signal(false);

const keys = [
  ['/', 'Search'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Choose the task for an action'],
  ['Esc', 'Back, or close'],
  ['?', 'This list'],
] as const;

/** `g` waits this long for the key of a page. */
const pairMs = 1_200;

let sinceG = Number.NEGATIVE_INFINITY;

function onKey(event: KeyboardEvent): void {
  if (isForAnother(event)) return;
  const isPair = event.timeStamp - sinceG < pairMs;
  const page = isPair ? pages.find(({ key }) => key === event.key) : undefined;
  sinceG = event.key === 'g' && !page ? event.timeStamp : Number.NEGATIVE_INFINITY;
  const act = page ? () => go(`/${page.name}`) : actions[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

const actions: Readonly<Record<string, () => void>> = {
  '/': focusSearch,
  '?': () => {
    isHelpOpen.value = true;
  },
};

/** Keys of the whole console, and their list. */
export function KeyboardHelp() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const close = (): void => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keys" isOpen={isHelpOpen.value} onClose={close}>
      <dl class="facts">
        {keys.map(([key, text]) => (
          <KeyLine key={key} keys={key} text={text} />
        ))}
        {pages.map(({ key, title }) => key && <KeyLine key={key} keys={`g ${key}`} text={title} />)}
      </dl>
    </Dialog>
  );
}

function KeyLine({ keys: pressed, text }: { readonly keys: string; readonly text: string }) {
  return (
    <>
      <dt>
        {pressed.split(' ').map((key) => (
          <kbd key={key} class="key">
            {key}
          </kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}

function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>('[data-search]');
  search?.focus();
  search?.select();
}

/** Keys of a field, a dialog, or the browser. */
function isForAnother({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}
