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
  ['website', 'Website', 'An address that begins with https://.'],
  ['image', 'Picture', 'An address that begins with https://.'],
  ['location', 'Place', undefined],
  ['github', 'GitHub', 'A name there.'],
  ['twitter', 'X', 'A name there.'],
  ['mastodon', 'Mastodon', 'A name there.'],
] as const

export const NAME_FIELDS: readonly string[] = ['address', ...TEXTS.map(([name]) => name)]

/** What a name stands for and tells, and how to change that. */
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
          title="Change it"
          note={
            <>
              A change costs <Nano raw={fee} />, which you pay next. What is left empty is taken away.
            </>
          }
        >
          <FormError filled={filled} fields={NAME_FIELDS} />
          {isFresh ? (
            <Form frame={frame} action={place} label="Change the name">
              <TextField
                filled={filled}
                name="address"
                label="Stands for"
                hint="Where money goes that is sent to the name."
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
              <button>Continue to the payment</button>
            </Form>
          ) : (
            <ProveFirst next={place} />
          )}
        </Card>
      )}
    </Frame>
  )
}
