import type { FrameProps } from '../../../kernel/page.ts'
import { Form, SelectField } from '../../../web/dashboard/form.tsx'
import { Fields, type FieldsProps, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Rows } from '../../../web/dashboard/rows.tsx'
import { endpoint } from './endpoint.ts'
import { MEMBERS_MAX } from './filter.ts'

export const ENDPOINT_FIELDS = ['url', 'description', 'events', 'filter']
/** Fields of other forms on the same page. */
export const REPLAY_FIELDS = ['from_unix', 'missed']
export const WATCH_FIELDS = ['addresses']

const FILTER = {
  as: 'rows',
  label: 'Metadata filter',
  hint: 'Events must have all of these values in their metadata.',
  columns: {
    name: { control: { as: 'text', label: 'Name', placeholder: 'shop' } },
    value: { control: { as: 'text', label: 'Value', placeholder: 'berlin' } },
  },
  max: MEMBERS_MAX,
  one: 'Condition',
  add: 'Add a condition',
} as const

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
              <Rows filled={filled} name="filter" control={FILTER} />
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
