import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { FormError, Form, SelectField, TextField } from '../../../web/dashboard/form.tsx'

export const kindBox = (kind: string) => `kind-${kind}`
export const ENDPOINT_FIELDS = ['url', 'description', 'events', 'filter']
/** Of other forms on the same page. */
export const REPLAY_FIELDS = ['from_unix', 'missed']
export const WATCH_FIELDS = ['addresses']

/** Where events go and which: the same for a new endpoint and for one that is there. */
export const EndpointForm = (props: {
  frame: FrameProps
  filled: FormState
  kinds: readonly string[]
  action: string
  button: string
}) => {
  const { frame, filled, kinds, action, button } = props
  const { values, error } = filled
  return (
    <Form frame={frame} action={action} label={button}>
      <FormError filled={filled} fields={ENDPOINT_FIELDS} elsewhere={[...REPLAY_FIELDS, ...WATCH_FIELDS]} />
      <TextField
        filled={filled}
        name="url"
        label="Endpoint URL"
        type="url"
        placeholder="https://shop.example/webhooks/nano"
        required
      />
      <TextField filled={filled} name="description" label="Description" maxLength={200} />
      <fieldset id="f-events" tabIndex={-1} class={error?.field === 'events' ? 'field wrong' : 'field'}>
        <legend>Events</legend>
        <div class="choices">
          {['*', ...kinds].map((kind) => (
            <label key={kind} class="choice">
              <input type="checkbox" name={kindBox(kind)} value="yes" checked={kindBox(kind) in values} />
              <span>{kind === '*' ? 'All events, including new kinds' : <code>{kind}</code>}</span>
            </label>
          ))}
        </div>
        {error?.field === 'events' && <p class="error">{error.text}</p>}
      </fieldset>
      <TextField
        filled={filled}
        name="filter"
        label="Metadata filter"
        hint="One per line: name = value. Events must match all of them."
        placeholder="shop = berlin"
        rows={3}
      />
      <SelectField
        filled={filled}
        name="made_with"
        label="Checkouts made with public keys"
        hint="Anyone can make a checkout to any address with a key that is not bound to yours."
        options={[
          ['', 'Only those of bound keys'],
          ['any', 'All, also of keys that are not bound'],
          ['public_key', 'Nothing else'],
        ]}
      />
      <button>{button}</button>
    </Form>
  )
}
