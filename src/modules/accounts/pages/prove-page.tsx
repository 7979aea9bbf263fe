import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'
import { PasskeyPart } from './passkey-button.tsx'

interface ProvePageProps {
  frame: FrameProps
  filled: FormState
  /** Where to go on. */
  next: string
  isMailed: boolean
  /** Where their passkeys work; undefined for who has none. */
  passkeysAt: string | undefined
  hasCodes: boolean
  /** Whether a code in a mail counts. */
  mailOpens: boolean
}

const Next = ({ next }: { next: string }) => <input type="hidden" name="next" value={next} />

const ByMail = ({ frame, filled, next, isMailed }: ProvePageProps) => (
  <>
    <Card title={isMailed ? 'Your code' : 'Have you a code?'}>
      <Form frame={frame} action="/dashboard/prove">
        <Next next={next} />
        <TextField
          filled={filled}
          name="code"
          label="Code"
          autocomplete="one-time-code"
          hint="From the mail, for ten minutes."
          required
        />
        <button class={isMailed ? undefined : 'plain'}>Continue</button>
      </Form>
    </Card>
    <Card title={isMailed ? 'No mail?' : 'By mail'}>
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
      <TextField filled={filled} name="recovery" label="Recovery code" hint="It counts once." required />
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
        hint="Of this account; the one you have signed in with will do."
        type="password"
        autocomplete="current-password"
        required
      />
      <button>Continue</button>
    </Form>
  </Card>
)

/** Asks again who is there, before money moves, keys are made or people change. */
export const ProvePage = (props: ProvePageProps) => (
  <Frame
    {...props.frame}
    title="Is it you?"
    scripts={['passkeys.js']}
    lead="Before money moves, keys are made or people change we ask again, once in 15 minutes. Then send your form once more."
  >
    <FormError filled={props.filled} fields={['code', 'key', 'recovery']} />
    {props.frame.member ? <OfPerson {...props} /> : <ByKey {...props} />}
  </Frame>
)
