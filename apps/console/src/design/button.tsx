import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { notifyProblem } from './notices.tsx';

interface ButtonProps {
  readonly children: ComponentChildren;
  /** The action. The button is disabled until it is done, and shows a failure. */
  readonly onPress?: () => void | Promise<void>;
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly isDisabled?: boolean;
  readonly submits?: boolean;
  readonly title?: string;
}

export function Button({ children, onPress, kind = 'plain', icon, isDisabled = false, submits, title }: ButtonProps) {
  const isBusy = useSignal(false);
  const press = async (): Promise<void> => {
    isBusy.value = true;
    try {
      await onPress?.();
    } catch (error) {
      notifyProblem(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={`button ${kind}`}
      disabled={isDisabled || isBusy.value}
      onClick={onPress && press}
      title={title}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** For screen readers, and as a tooltip. */
  readonly label: string;
  readonly onPress: () => void;
}

export function IconButton({ icon, label, onPress }: IconButtonProps) {
  return (
    <button type="button" class="button quiet icon-only" aria-label={label} title={label} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}
