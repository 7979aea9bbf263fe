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

const KeptMail = () => (
  <p class="hint">
    This gateway does not send email. Administrators find the code on the Mail page, or with{' '}
    <code>npx nano-gateway mail list</code>.
  </p>
)

/**
 * One field and one button. A mailed link opens this page with its token after the `#`, and a script puts the token into the form. A script also
 * moves the passkey to the top in a browser where one was used before.
 */
export const SignInPage = ({ devnet, link, passkeysAt, next, email, mailIsKept }: SignInPageProps) => (
  <Gate title="Sign in or start" devnet={devnet} scripts={['passkeys.js']} styles={['sign-in.css']}>
    <section class="card" id="by-link" hidden={link.error === undefined}>
      <h2>Your sign-in link</h2>
      <CodeForm link={link} next={next} />
      <p class="hint">
        <a href="/dashboard/sign-in">Sign in another way</a>
      </p>
    </section>
    <section class="card ways-in">
      <form method="post" action="/dashboard/sign-in/mail">
        <Next next={next} />
        <FormError filled={email} fields={['email']} />
        <TextField
          filled={email}
          name="email"
          label="Your email"
          hint="No password. New here? The same button makes your account."
          autocomplete="username webauthn"
          maxLength={254}
          required
        />
        <button class="wide-button">Continue</button>
      </form>
      {passkeysAt !== undefined && (
        <div class="by-passkey">
          <p class="or" aria-hidden="true">
            or
          </p>
          <PasskeyPart
            options="/api/sign-in/passkey/options"
            send="/api/sign-in/passkey"
            next={next}
            origin={passkeysAt}
          >
            <button type="button" class="plain wide-button">
              Use a passkey
            </button>
          </PasskeyPart>
        </div>
      )}
      <p class="hint">
        You have a secret key? Put it in the same field.
        {passkeysAt !== undefined && (
          <>
            {' '}
            Lost your passkey? <a href="/dashboard/sign-in/recovery">Use a recovery code</a>.
          </>
        )}
      </p>
      {mailIsKept && <KeptMail />}
    </section>
  </Gate>
)

interface DigitsPageProps extends Pick<SignInPageProps, 'devnet' | 'mailIsKept' | 'next'> {
  email: string
  /** Makes the digits work in this page alone. */
  pageSecret: string
  filled: FormState
}

/** One real input, drawn as six boxes. */
export const DigitsPage = ({ devnet, mailIsKept, next, email, pageSecret, filled }: DigitsPageProps) => (
  <Gate title="Six digits" devnet={devnet} styles={['sign-in.css']}>
    <section class="card ways-in">
      <p>
        We sent them to <strong>{email}</strong>, if it can receive email. <a href="/dashboard/sign-in">Change</a>
      </p>
      <FormError filled={filled} fields={['code']} />
      <form method="post" action="/dashboard/sign-in/code">
        <Next next={next} />
        <input type="hidden" name="email" value={email} />
        <input type="hidden" name="page" value={pageSecret} />
        <div class="six">
          <TextField
            filled={filled}
            name="code"
            label="Code from the mail"
            hint="Good for ten minutes, in this page only."
            inputMode="numeric"
            autocomplete="one-time-code"
            maxLength={6}
            required
          />
        </div>
        <button class="wide-button">Sign in</button>
      </form>
      <form method="post" action="/dashboard/sign-in/mail">
        <Next next={next} />
        <input type="hidden" name="email" value={email} />
        <p class="hint">
          Nothing there? Look in the spam folder, or <button class="as-link">send new digits</button>.
        </p>
      </form>
      {mailIsKept && <KeptMail />}
    </section>
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
