import type { Scope } from '../../../kernel/rights.ts'
import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { ActionButton, Confirmed, Form } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Fields, Refusals, boxOf } from '../../../web/dashboard/resource-form.tsx'
import { Badge, Card, Copyable, Empty, Moment, Table, shorten } from '../../../web/dashboard/show.tsx'
import { keyForm } from '../key-form.ts'
import { RightsCell, type ShownRights } from './key-rights.tsx'

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
/** The fields that restrict a key, behind a click. */
const RIGHTS = ['scopes', 'expires_unix', 'per_minute', 'spend_daily_nano']
const isRight = (wire: string) => RIGHTS.includes(wire)

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
  const fields = { of: keyForm, purpose: 'create', filled, rules: { give, now } } as const
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
        <Refusals {...fields} />
        <Form frame={frame} action="/dashboard/keys">
          <Fields {...fields} has={(wire) => !isRight(wire)} />
          <details class="rights" open={isRestricted(filled, give)}>
            <summary>Restrict this key</summary>
            <Fields {...fields} has={isRight} />
          </details>
          <button>Create key</button>
        </Form>
      </Card>
    </Frame>
  )
}

/** Whether a restriction was chosen or is wrong. */
const isRestricted = ({ values, errors = {}, error }: FormState, give: readonly Scope[]) =>
  give.some((scope) => !(boxOf('scopes', scope) in values)) ||
  RIGHTS.some((name) => (values[name] ?? '') !== '' || name in errors || name === error?.field)

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
