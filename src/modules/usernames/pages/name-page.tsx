import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, FormError, ProveFirst, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Facts, Moment, Nano } from '../../../web/dashboard/show.tsx'

interface NamePageProps {
  frame: FrameProps
  filled: FormState
  name: string
  owner: string
  state: string
  expiresAt: number
  fee: bigint
  isFresh: boolean
}

const TEXTS = [
  ['title', 'Title', undefined],
  ['website', 'Website', 'An https URL.'],
  ['image', 'Picture', 'An https URL.'],
  ['location', 'Place', undefined],
  ['github', 'GitHub', 'Your username there.'],
  ['twitter', 'X', 'Your username there.'],
  ['mastodon', 'Mastodon', 'Your username there.'],
] as const

export const NAME_FIELDS: readonly string[] = ['address', ...TEXTS.map(([name]) => name)]

/** The address and profile of a name, and the form that changes them. */
export const NamePage = (props: NamePageProps) => {
  const { frame, filled, name, owner, state, expiresAt, fee, isFresh } = props
  const place = `/dashboard/names/${name.toLowerCase()}`
  return (
    <Frame
      {...frame}
      follows={['names']}
      title={`@${name}`}
      lead={<Badge state={state} />}
      actions={
        <>
          <a class="button plain" href="/dashboard/names">
            All usernames
          </a>
          {state === 'leased' && (
            <a class="button plain" href={`/@${name}`}>
              Public page
            </a>
          )}
        </>
      }
    >
      <Card>
        <Facts
          facts={[
            ['Owned by', <code>{owner}</code>],
            ['Leased until', <Moment at={expiresAt} />],
          ]}
        />
      </Card>
      {state === 'leased' && frame.opens('POST', place) && (
        <Card
          title="Edit"
          note={
            <>
              A change costs <Nano raw={fee} />, paid in the next step. Empty fields are removed.
            </>
          }
        >
          <FormError filled={filled} fields={NAME_FIELDS} />
          {isFresh ? (
            <Form frame={frame} action={place} label="Edit name">
              <TextField
                filled={filled}
                name="address"
                label="Address"
                hint="Payments to this name go here."
                required
              />
              {TEXTS.map(([field, label, hint]) => (
                <TextField
                  key={field}
                  filled={filled}
                  name={field}
                  label={label}
                  maxLength={99}
                  {...(hint !== undefined && { hint })}
                />
              ))}
              <button>Continue to payment</button>
            </Form>
          ) : (
            <ProveFirst next={place} />
          )}
        </Card>
      )}
    </Frame>
  )
}
