import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Form, ProveFirst } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Fields, Refusals } from '../../../web/dashboard/resource-form.tsx'
import { Badge, Card, Facts, Moment, Nano } from '../../../web/dashboard/show.tsx'
import { nameForm } from '../name-form.ts'

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

/** The address and profile of a name, and the form that changes them. */
export const NamePage = (props: NamePageProps) => {
  const { frame, filled, name, owner, state, expiresAt, fee, isFresh } = props
  const fields = { of: nameForm, purpose: 'change', filled } as const
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
          <Refusals {...fields} />
          {isFresh ? (
            <Form frame={frame} action={place} label="Edit name" uploads>
              <Fields {...fields} rules={{}} />
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
