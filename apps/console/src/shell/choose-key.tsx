import { type KeyChoice, signIn } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { Mark } from './mark.tsx';
import './sign-in.css';

/** Asks before a link replaces the operator of this tab. */
export function ChooseKey({ choice: { given, kept } }: { readonly choice: KeyChoice }) {
  return (
    <main class="sign-in">
      <div class="panel">
        <div class="sign-in-head">
          <Mark size={32} />
          <h1>Sign in with another key?</h1>
        </div>
        <p>You are signed in here already, and the link that you opened has another key. Who sent you the link?</p>
        <Button kind="primary" onPress={() => signIn(kept)}>
          Stay signed in as before
        </Button>
        <Button onPress={() => signIn(given)}>Use the key of the link</Button>
      </div>
    </main>
  );
}
