import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, closed by its cross, Escape, or its own buttons. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (isOpen && !dialog?.open) dialog?.showModal();
    if (!isOpen && dialog?.open) dialog.close();
  }, [isOpen]);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      {isOpen && (
        <>
          <div class="dialog-head">
            <h2>{title}</h2>
            <IconButton icon="close" label="Close" onPress={onClose} />
          </div>
          <div class="dialog-body">{children}</div>
        </>
      )}
    </dialog>
  );
}
