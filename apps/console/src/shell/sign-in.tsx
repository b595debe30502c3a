import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { leaveForIssuer, type Oidc, readOidc } from '../app/oidc.ts';
import { signIn } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { notifyProblem } from '../design/notices.tsx';
import { Problem } from '../design/views.tsx';
import { Mark } from './mark.tsx';
import './sign-in.css';

/** Asks for an operator's key. */
export function SignIn({ problem }: { readonly problem: string | undefined }) {
  const key = useSignal('');
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    await signIn(key.value.trim());
  };
  return (
    <main class="sign-in">
      <form class="panel" onSubmit={submit}>
        <div class="sign-in-head">
          <Mark size={32} />
          <h1>Switchyard</h1>
        </div>
        <Field label="Key of an operator">
          <input
            class="input mono"
            type="password"
            name="key"
            autocomplete="current-password"
            required
            value={key.value}
            onInput={(event) => {
              key.value = event.currentTarget.value;
            }}
          />
        </Field>
        {problem !== undefined && <Problem text={problem} />}
        <Button kind="primary" submits>
          Sign in
        </Button>
        <IssuerButton />
        <p class="faint">
          <code>npm start</code> prints a link that signs in. Elsewhere it is the gateway’s <code>ADMIN_KEY</code>, or a
          client’s key with the scope <code>admin</code>. It stays in this tab.
        </p>
      </form>
    </main>
  );
}

/** If there is an issuer, its users need no key. */
function IssuerButton() {
  const oidc = useSignal<Oidc | undefined>(undefined);
  useEffect(() => {
    readOidc()
      .then((found) => {
        oidc.value = found;
      })
      .catch(notifyProblem);
  }, []);
  const { value } = oidc;
  return value ? <Button onPress={() => leaveForIssuer(value)}>Sign in at {new URL(value.issuer).host}</Button> : null;
}
