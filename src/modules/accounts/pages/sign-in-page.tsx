import type { FormState } from '../../../kernel/page.ts'
import { FormError, TextField } from '../../../web/dashboard/form.tsx'
import { PasskeyPart } from './passkey-button.tsx'
import { Gate } from '../../../web/dashboard/frame.tsx'

export interface SignInPageProps {
  devnet: boolean
  /** The page to open afterwards, always one of the dashboard. */
  next: string
  /** Whether mail is stored instead of sent. */
  mailIsKept: boolean
  /** The origin at which passkeys work; undefined where they are not available. */
  passkeysAt: string | undefined
  email: FormState
  secretKey: FormState
  link: FormState
}

const Next = ({ next }: { next: string }) => <input type="hidden" name="next" value={next} />

const CodeForm = ({ link, next }: { link: FormState; next?: string }) => (
  <>
    <FormError filled={link} fields={['token']} />
    <form method="post" action="/dashboard/sign-in/link">
      {next !== undefined && <Next next={next} />}
      <TextField filled={link} name="token" label="Code" hint="The text after # in the link we emailed you." required />
      <button>Continue</button>
    </form>
  </>
)

interface WayIn extends Pick<SignInPageProps, 'next' | 'mailIsKept' | 'email' | 'secretKey'> {
  isFirst: boolean
}

const ByMail = ({ email, mailIsKept, isFirst }: WayIn) => (
  <section class="card">
    <h2>Email</h2>
    <p class="card-note">We email you a sign-in link. No password needed. New here? This creates your account.</p>
    <FormError filled={email} fields={['email']} />
    <form method="post" action="/dashboard/sign-in/mail">
      <TextField filled={email} name="email" label="Email" type="email" autocomplete="email" required />
      <button class={isFirst ? undefined : 'plain'}>Send me a link</button>
    </form>
    {mailIsKept && (
      <p class="hint">
        This gateway does not send email. Administrators find the link on the Mail page, or with{' '}
        <code>npx nano-gateway mail list</code>.
      </p>
    )}
    <noscript>
      <p class="hint">
        Without JavaScript, open <a href="/dashboard/sign-in/code">this page</a> and paste the code from the link.
      </p>
    </noscript>
  </section>
)

const ByPasskey = ({ next, passkeysAt }: Pick<SignInPageProps, 'next' | 'passkeysAt'>) => (
  <section class="card">
    <h2>Passkey</h2>
    <PasskeyPart options="/api/sign-in/passkey/options" send="/api/sign-in/passkey" next={next} origin={passkeysAt!}>
      <button type="button" class="plain">
        Sign in with a passkey
      </button>
    </PasskeyPart>
    <p class="hint">
      Lost your passkey? <a href="/dashboard/sign-in/recovery">Use a recovery code</a>
    </p>
  </section>
)

const ByKey = ({ secretKey, next, isFirst }: WayIn) => (
  <section class="card">
    <h2>API key</h2>
    <FormError filled={secretKey} fields={['key']} />
    <form method="post" action="/dashboard/sign-in/key">
      <Next next={next} />
      <TextField
        filled={secretKey}
        name="key"
        label="Secret key"
        hint="Starts with rpc_sk_. The gateway prints one when it first starts."
        type="password"
        autocomplete="current-password"
        required
      />
      <button class={isFirst ? undefined : 'plain'}>Sign in with key</button>
    </form>
  </section>
)

/** The ways to sign in, the quickest first. A mailed link opens this page with its token after the `#`, and a script puts the token into the form. */
export const SignInPage = ({ devnet, link, passkeysAt, ...ways }: SignInPageProps) => (
  <Gate title="Sign in" devnet={devnet} scripts={['passkeys.js']}>
    <section class="card" id="by-link" hidden={link.error === undefined}>
      <h2>Your sign-in link</h2>
      <CodeForm link={link} next={ways.next} />
    </section>
    {ways.mailIsKept && <ByKey {...ways} isFirst />}
    {passkeysAt !== undefined && <ByPasskey next={ways.next} passkeysAt={passkeysAt} />}
    <ByMail {...ways} isFirst={!ways.mailIsKept} />
    {!ways.mailIsKept && <ByKey {...ways} isFirst={false} />}
    <p class="soft">
      Already signed in? <a href="/dashboard">Go to the dashboard</a>
    </p>
  </Gate>
)

export const LinkSentPage = ({ devnet, mailIsKept }: { devnet: boolean; mailIsKept: boolean }) => (
  <Gate title="Check your email" devnet={devnet}>
    <p>We sent a sign-in link if this address can receive email. It works once, for one hour.</p>
    {mailIsKept && (
      <p class="hint">
        This gateway does not send email. Administrators find the link on the Mail page, or with{' '}
        <code>npx nano-gateway mail list</code>.
      </p>
    )}
    <p>
      <a href="/dashboard/sign-in/code">Enter the code instead</a> · <a href="/dashboard/sign-in">Back</a>
    </p>
  </Gate>
)

/** The same without scripts: the user pastes the code. */
export const CodePage = ({ devnet, link }: { devnet: boolean; link: FormState }) => (
  <Gate title="Your sign-in link" devnet={devnet}>
    <section class="card">
      <CodeForm link={link} />
    </section>
  </Gate>
)

/** For a user who has lost every passkey. */
export const RecoveryPage = ({ devnet, filled }: { devnet: boolean; filled: FormState }) => (
  <Gate title="Recovery code" devnet={devnet}>
    <section class="card">
      <p class="card-note">You received ten codes with your first passkey. Each works once.</p>
      <FormError filled={filled} fields={['email', 'code']} />
      <form method="post" action="/dashboard/sign-in/recovery">
        <TextField filled={filled} name="email" label="Email" type="email" autocomplete="email" required />
        <TextField filled={filled} name="code" label="Recovery code" required />
        <button>Sign in</button>
      </form>
    </section>
    <p>
      <a href="/dashboard/sign-in">Back</a>
    </p>
  </Gate>
)
