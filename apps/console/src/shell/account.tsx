import { signOut } from '../app/session.ts';
import { IconButton } from '../design/button.tsx';
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
