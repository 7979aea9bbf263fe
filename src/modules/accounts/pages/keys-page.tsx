import type { Scope } from '../../../kernel/rights.ts'
import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Copyable, Empty, Moment, Table, shorten } from '../../../web/dashboard/show.tsx'
import { RIGHTS_FIELDS, RightsCell, RightsFields, type ShownRights } from './key-rights.tsx'

export interface KeyRow extends ShownRights {
  id: string
  start: string
  name: string
  origins: readonly string[]
  boundTo: { addresses: readonly string[]; templates: readonly string[] } | null
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
}

const DAY = 86_400_000
const FIELDS = [
  'name',
  'kind',
  'origins',
  'addresses',
  'templates',
  ...RIGHTS_FIELDS.filter((name) => name !== 'limits'),
]

const stateOf = ({ revokedAt, expiresAt }: KeyRow, now: number) =>
  revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= now ? 'expired' : 'live'

const boundOf = ({ boundTo }: KeyRow) =>
  boundTo === null
    ? 'not bound: anyone can make checkouts to any address with it'
    : `only for ${[...boundTo.addresses.map((address) => shorten(address)), ...boundTo.templates].join(', ')}`

const Row = ({ frame, row, now }: { frame: FrameProps; row: KeyRow; now: number }) => {
  const state = stateOf(row, now)
  const about = `key ${row.name}`
  return (
    <tr>
      <td class="title-cell">
        {row.name}
        <span class="under">
          <code>{`${row.start}…`}</code>
        </span>
        {row.origins.length > 0 && <span class="under">{row.origins.join(', ')}</span>}
        {row.kind === 'public' && <span class="under">{boundOf(row)}</span>}
      </td>
      <RightsCell {...row} />
      <td>
        <Badge state={state} />
        {state === 'live' && row.expiresAt !== null && (
          <span class="under">
            until <Moment at={row.expiresAt} />
          </span>
        )}
      </td>
      <td>
        <Moment at={row.createdAt} />
      </td>
      <td>
        <Moment at={row.lastUsedAt} />
      </td>
      <td>
        {state === 'live' && (
          <div class="actions">
            {(row.expiresAt === null || row.expiresAt - now > DAY) && (
              <Confirmed ask="Rotate" about={about}>
                <p>You get a new key. The old one keeps working for 24 hours.</p>
                <ActionButton frame={frame} action={`/dashboard/keys/${row.id}/rotate`} about={about}>
                  Rotate now
                </ActionButton>
              </Confirmed>
            )}
            <Confirmed ask="Revoke" about={about} kind="danger">
              <p>Anything using this key stops working immediately. This cannot be undone.</p>
              <ActionButton frame={frame} action={`/dashboard/keys/${row.id}/revoke`} about={about} kind="danger">
                Revoke now
              </ActionButton>
            </Confirmed>
          </div>
        )}
      </td>
    </tr>
  )
}

export const KeysPage = (props: {
  frame: FrameProps
  keys: readonly KeyRow[]
  now: number
  filled: FormState
  /** The scopes that the user can grant to a key. */
  give: readonly Scope[]
}) => {
  const { frame, keys, now, filled, give } = props
  return (
    <Frame {...frame} title="API keys" lead="Use secret keys on your server and public keys in the browser.">
      <Card>
        {keys.length === 0 ? (
          <Empty title="No keys yet">
            <p>Create one below and send it with your requests as “Authorization: Bearer …”.</p>
          </Empty>
        ) : (
          <Table
            label="API keys"
            head={['Name', 'May', 'Status', 'Created', 'Last used', <span class="unseen">Actions</span>]}
          >
            {keys.map((row) => (
              <Row key={row.id} frame={frame} row={row} now={now} />
            ))}
          </Table>
        )}
      </Card>
      <Card title="New key" id="new">
        <FormError filled={filled} fields={FIELDS} />
        <Form frame={frame} action="/dashboard/keys">
          <TextField
            filled={filled}
            name="name"
            label="Name"
            hint="What will use it, such as Web shop."
            required
            maxLength={100}
          />
          <SelectField
            filled={filled}
            name="kind"
            label="Kind"
            required
            options={[
              ['secret', 'Secret: full or restricted access, for your server'],
              ['public', 'Public: creates checkouts from your web pages'],
            ]}
          />
          <TextField
            filled={filled}
            name="origins"
            label="Origins (public keys)"
            hint="One per line, such as https://shop.example. Only these sites can use the key."
            rows={2}
          />
          <TextField
            filled={filled}
            name="addresses"
            label="Addresses (public keys)"
            hint="One per line. Checkouts made with the key can only pay these. If empty, anyone who reads the key can make checkouts to any address."
            rows={2}
          />
          <TextField
            filled={filled}
            name="templates"
            label="Templates (public keys)"
            hint="Ids of your checkouts, one per line. The key can also make orders from these."
            rows={2}
          />
          <RightsFields filled={filled} give={give} now={now} />
          <button>Create key</button>
        </Form>
      </Card>
    </Frame>
  )
}

/** Shows a key for the only time. */
export const NewKeyPage = ({ frame, text, name }: { frame: FrameProps; text: string; name: string }) => (
  <Frame {...frame} title="Your new key" lead={name}>
    <Card>
      <div class="secret">
        <Copyable text={text} label="key" />
      </div>
      <p>
        <strong>Copy it now.</strong> You will not see it again; we only store its fingerprint.
      </p>
      <p>
        <a class="button" href="/dashboard/keys">
          I have copied it
        </a>
      </p>
    </Card>
  </Frame>
)
