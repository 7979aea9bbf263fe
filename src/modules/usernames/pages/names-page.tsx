import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Empty, Moment, Table, shorten } from '../../../web/dashboard/show.tsx'

interface NameRow {
  name: string
  address: string
  owner: string
  state: string
  expiresAt: number
  graceUntil: number
  indexed: boolean
}

const NameLine = ({ frame, row }: { frame: FrameProps; row: NameRow }) => (
  <tr>
    <td>
      {row.state === 'leased' ? <a href={`/@${row.name}`}>{`@${row.name}`}</a> : `@${row.name}`}
      {row.state === 'leased' && (
        <span class="under">{row.indexed ? 'listed in search engines' : 'hidden from search engines'}</span>
      )}
    </td>
    <td>
      <Badge state={row.state} />
    </td>
    <td>
      <code title={row.address}>{shorten(row.address)}</code>
    </td>
    <td>
      <Moment at={row.expiresAt} />
      {row.state === 'grace' && (
        <span class="under">
          can be renewed until <Moment at={row.graceUntil} />
        </span>
      )}
    </td>
    <td>
      <a class="button plain" href={`/dashboard/names/${row.name.toLowerCase()}`}>
        Change<span class="unseen">{` @${row.name}`}</span>
      </a>{' '}
      <ActionButton frame={frame} action="/dashboard/names" values={{ name: row.name }} about={`@${row.name}`}>
        Extend
      </ActionButton>
      {row.state === 'leased' && (
        <ActionButton
          frame={frame}
          action={`/dashboard/names/${row.name}/indexing`}
          values={{ indexed: row.indexed ? 'false' : 'true' }}
          about={`the page of @${row.name}`}
        >
          {row.indexed ? 'Hide from search engines' : 'Allow search engines'}
        </ActionButton>
      )}
    </td>
  </tr>
)

/** The names that this account leases, and the form to lease another. */
export const NamesPage = (props: {
  frame: FrameProps
  filled: FormState
  names: readonly NameRow[]
  next: string | undefined
}) => {
  const { frame, filled, names, next } = props
  return (
    <Frame
      {...frame}
      follows={['names']}
      title="Usernames"
      lead="A short name people can use instead of an address, such as @alice."
    >
      <Card>
        {names.length === 0 ? (
          <Empty title="No usernames yet">
            <p>Find one below. The address that pays for it becomes its owner.</p>
          </Empty>
        ) : (
          <Table
            label="Usernames"
            head={['Name', 'Status', 'Address', 'Leased until', <span class="unseen">Actions</span>]}
          >
            {names.map((row) => (
              <NameLine key={row.name} frame={frame} row={row} />
            ))}
          </Table>
        )}
        {next !== undefined && (
          <nav class="pager" aria-label="Pages">
            <a href={next}>Older</a>
          </nav>
        )}
      </Card>
      <Card title="Lease a name" note="Prices are shown next. Pay from the wallet the name should point to.">
        <FormError filled={filled} fields={['name']} />
        <Form frame={frame} action="/dashboard/names">
          <TextField
            filled={filled}
            name="name"
            label="Name"
            hint="Letters and digits, up to 30."
            required
            maxLength={31}
          />
          <button>Continue</button>
        </Form>
      </Card>
    </Frame>
  )
}
