import { useSignal } from '@preact/signals';
import { signOut } from '../app/session.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Icon } from '../design/icon.tsx';
import { ThemeButton } from './theme.tsx';

export interface AccountProps {
  readonly name: string;
  readonly version: string;
}

/** Who is signed in, the colours, and the way out. */
export function Account({ name, version }: AccountProps) {
  return (
    <div class="account">
      <div class="grow">
        <div class="clip">{name}</div>
        <div class="faint clip">version {version}</div>
      </div>
      <ThemeButton />
      <IconButton icon="leave" label="Sign out" onPress={() => signOut()} />
    </div>
  );
}

/** The same on a phone, where the navigation has no place for it: an entry that opens a dialog. */
export function AccountEntry({ name, version }: AccountProps) {
  const isOpen = useSignal(false);
  const show = (opens: { readonly dialog: boolean }): void => {
    isOpen.value = opens.dialog;
  };
  return (
    <li class="account-entry">
      <button type="button" onClick={() => show({ dialog: true })}>
        <Icon name="person" />
        <span>Account</span>
      </button>
      <Dialog title="Account" isOpen={isOpen.value} onClose={() => show({ dialog: false })}>
        <dl class="facts">
          <dt>Signed in as</dt>
          <dd>{name}</dd>
          <dt>Version</dt>
          <dd>{version}</dd>
          <dt>Colours</dt>
          <dd>
            <ThemeButton />
          </dd>
        </dl>
        <Button icon="leave" onPress={() => signOut()}>
          Sign out
        </Button>
      </Dialog>
    </li>
  );
}
