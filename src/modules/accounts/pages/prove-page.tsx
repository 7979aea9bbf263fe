import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'
import { PasskeyPart } from './passkey-button.tsx'

interface ProvePageProps {
  frame: FrameProps
  filled: FormState
  /** The page to continue with. */
  next: string
  isMailed: boolean
  /** The origin at which their passkeys work; undefined without passkeys. */
  passkeysAt: string | undefined
  hasCodes: boolean
  /** Whether a code by mail is accepted. */
  mailOpens: boolean
}

const Next = ({ next }: { next: string }) => <input type="hidden" name="next" value={next} />

const ByMail = ({ frame, filled, next, isMailed }: ProvePageProps) => (
  <>
    <Card title={isMailed ? 'Your code' : 'Enter code'}>
      <Form frame={frame} action="/dashboard/prove">
        <Next next={next} />
        <TextField
          filled={filled}
          name="code"
          label="Code"
          autocomplete="one-time-code"
          hint="From the email. Valid for ten minutes."
          required
        />
        <button class={isMailed ? undefined : 'plain'}>Continue</button>
      </Form>
    </Card>
    <Card title={isMailed ? 'No email?' : 'By email'}>
      <Form frame={frame} action="/dashboard/prove/mail">
        <Next next={next} />
        <p>{`We send a code to ${frame.member!.email}.`}</p>
        <button class={isMailed ? 'plain' : undefined}>{isMailed ? 'Send another' : 'Send me a code'}</button>
      </Form>
    </Card>
  </>
)

const ByPasskey = ({ next, passkeysAt }: ProvePageProps) => (
  <Card title="With your passkey">
    <PasskeyPart options="/api/prove/options" send="/api/prove" next={next} origin={passkeysAt!}>
      <button type="button">Use a passkey</button>
    </PasskeyPart>
  </Card>
)

const ByCode = ({ frame, filled, next }: ProvePageProps) => (
  <Card title="Lost your passkeys?">
    <Form frame={frame} action="/dashboard/prove">
      <Next next={next} />
      <TextField filled={filled} name="recovery" label="Recovery code" hint="Each code works once." required />
      <button class="plain">Use a recovery code</button>
    </Form>
  </Card>
)

const OfPerson = (props: ProvePageProps) => (
  <>
    {props.passkeysAt !== undefined && <ByPasskey {...props} />}
    {props.mailOpens && <ByMail {...props} />}
    {props.hasCodes && <ByCode {...props} />}
  </>
)

const ByKey = ({ frame, filled, next }: ProvePageProps) => (
  <Card>
    <Form frame={frame} action="/dashboard/prove">
      <Next next={next} />
      <TextField
        filled={filled}
        name="key"
        label="Secret key"
        hint="Any secret key of this account, such as the one you signed in with."
        type="password"
        autocomplete="current-password"
        required
      />
      <button>Continue</button>
    </Form>
  </Card>
)

/** Asks the user to confirm their identity before money moves, keys are made or people change. */
export const ProvePage = (props: ProvePageProps) => (
  <Frame
    {...props.frame}
    title="Confirm it’s you"
    scripts={['passkeys.js']}
    lead="We ask before money moves, keys are created or people change, at most every 15 minutes. Then submit your form again."
  >
    <FormError filled={props.filled} fields={['code', 'key', 'recovery']} />
    {props.frame.member ? <OfPerson {...props} /> : <ByKey {...props} />}
  </Frame>
)
