import type { FrameProps } from '../../../kernel/page.ts'
import { Form, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Fields, type FieldsProps, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { endpoint } from './endpoint.ts'

export const ENDPOINT_FIELDS = ['url', 'description', 'events', 'filter']
/** Fields of other forms on the same page. */
export const REPLAY_FIELDS = ['from_unix', 'missed']
export const WATCH_FIELDS = ['addresses']

/** URL, event types and filter, for a new and for an existing endpoint. */
export const EndpointForm = (
  props: Pick<FieldsProps, 'purpose' | 'rules' | 'filled'> & { frame: FrameProps; action: string; button: string },
) => {
  const { frame, filled, action, button } = props
  return (
    <Form frame={frame} action={action} label={button}>
      <Refusals {...props} of={endpoint} elsewhere={[...REPLAY_FIELDS, ...WATCH_FIELDS]} />
      <Fields
        {...props}
        of={endpoint}
        own={{
          filter: (
            <>
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
            </>
          ),
        }}
      />
      <button>{button}</button>
    </Form>
  )
}
