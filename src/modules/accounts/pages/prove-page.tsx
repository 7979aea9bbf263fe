import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card } from '../../../web/dashboard/show.tsx'

interface ProvePageProps {
  frame: FrameProps
  filled: FormState
  /** Where to go on. */
  next: string
  isMailed: boolean
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
    lead="Before money moves, keys are made or people change we ask again, once in 15 minutes. Then send your form once more."
  >
    <FormError filled={props.filled} fields={['code', 'key']} />
    {props.frame.member ? <ByMail {...props} /> : <ByKey {...props} />}
  </Frame>
)
