import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Confirmed, Form, FormError, SelectField, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Badge, Card, Copyable, Empty, Facts, Moment, Nano, Table } from '../../../web/dashboard/show.tsx'
import { FEATURES } from '../../accounts/index.ts'

interface Standing {
  suspendedAt: number | null
  plan: { perMinute?: number; concurrencyMax?: number }
  features: Partial<Record<keyof typeof FEATURES, boolean>>
}

interface AccountPageProps {
  frame: FrameProps
  filled: FormState
  account: { id: string; email: string | null; role: 'user' | 'admin'; createdAt: number; standing: Standing }
  credits: number
  plan: 'free' | 'prepaid'
  keys: readonly {
    id: string
    name: string
    start: string
    kind: string
    revokedAt: number | null
    lastUsedAt: number | null
  }[]
  entries: readonly { id: string; amount: number; reason: string; createdAt: number }[]
  activity: readonly {
    id: string
    at: number
    actor: string
    what: string
    detail: Readonly<Record<string, unknown>>
  }[]
  counts: readonly { status: string; count: number }[]
  /** In the last 30 days. */
  requests: number
  wallets: { count: number; raw: bigint }
  failing: { retrying: number; dead: number }
}

const FIELDS = ['reason', 'amount', 'credit_reason', 'per_minute', 'concurrency']
const REASON = 'Shown to the account in its activity.'

const Suspension = ({ frame, filled, account }: Pick<AccountPageProps, 'frame' | 'filled' | 'account'>) => {
  const { suspendedAt } = account.standing
  const action = `/dashboard/admin/accounts/${account.id}`
  if (account.role === 'admin') return <p>An administrator’s account cannot be suspended.</p>
  if (suspendedAt !== null) {
    return (
      <Confirmed ask="Resume account">
        <p>
          Suspended since <Moment at={suspendedAt} />. Payments to its open checkouts are recorded and sent to its
          webhooks, its wallets receive; its own sends wait.
        </p>
        <Form frame={frame} action={`${action}/resume`}>
          <TextField filled={filled} name="reason" label="Reason" hint={REASON} required maxLength={200} />
          <button>Resume now</button>
        </Form>
      </Confirmed>
    )
  }
  return (
    <Confirmed ask="Suspend account" kind="danger">
      <p>
        Its keys and sessions stop working until you resume it. Payments to its open checkouts are still recorded and
        sent to its webhooks, its wallets still receive, and nothing is deleted.
      </p>
      <Form frame={frame} action={`${action}/suspend`}>
        <TextField filled={filled} name="reason" label="Reason" hint={REASON} required maxLength={200} />
        <button class="danger">Suspend now</button>
      </Form>
    </Confirmed>
  )
}

const Credits = ({ frame, filled, account, credits, entries }: AccountPageProps) => (
  <Card title="Credits" note={`${credits.toLocaleString('en')} left.`}>
    <Form frame={frame} action={`/dashboard/admin/accounts/${account.id}/credits`} label="Change credits">
      <TextField
        filled={filled}
        name="amount"
        label="Credits to add"
        hint="Use a negative number to remove credits."
        required
        maxLength={12}
      />
      <TextField filled={filled} name="credit_reason" label="Reason" hint={REASON} required maxLength={200} />
      <button>Change credits</button>
    </Form>
    {entries.length > 0 && (
      <Table label="Credits" head={['When', 'Change', 'Reason']}>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td>
              <Moment at={entry.createdAt} />
            </td>
            <td>{`${entry.amount > 0 ? '+' : '−'}${Math.abs(entry.amount).toLocaleString('en')}`}</td>
            <td class="title-cell">{entry.reason}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

const switchOf = (on: boolean | undefined) => (on === undefined ? '' : on ? 'on' : 'off')

const StandingForm = ({ frame, filled, account }: Pick<AccountPageProps, 'frame' | 'filled' | 'account'>) => {
  const { plan, features } = account.standing
  const now: FormState = {
    values: {
      per_minute: String(plan.perMinute ?? ''),
      concurrency: String(plan.concurrencyMax ?? ''),
      ...Object.fromEntries(
        Object.keys(FEATURES).map((name) => [name, switchOf(features[name as keyof typeof FEATURES])]),
      ),
    },
  }
  const shown = filled.values.per_minute === undefined ? { ...now, error: filled.error } : filled
  return (
    <Card title="Limits and features" note="Empty fields use the default settings.">
      <Form frame={frame} action={`/dashboard/admin/accounts/${account.id}/standing`} label="Limits and features">
        <TextField
          filled={shown}
          name="per_minute"
          label="Requests per minute"
          hint="0 means no limit."
          inputMode="numeric"
        />
        <TextField
          filled={shown}
          name="concurrency"
          label="Concurrent requests"
          hint="At least 20; 0 means no limit."
          inputMode="numeric"
        />
        {Object.entries(FEATURES).map(([name, about]) => (
          <SelectField
            key={name}
            filled={shown}
            name={name}
            label={about}
            required
            options={[
              ['', 'Default'],
              ['on', 'On'],
              ['off', 'Off'],
            ]}
          />
        ))}
        <button>Save</button>
      </Form>
    </Card>
  )
}

const Activity = ({ activity, account }: Pick<AccountPageProps, 'activity' | 'account'>) => (
  <Card title="Activity" note="The last 20 changes.">
    {activity.length === 0 ? (
      <Empty title="No activity yet" />
    ) : (
      <Table label="Activity" head={['When', 'What', 'By', 'Detail']}>
        {activity.map((entry) => (
          <tr key={entry.id}>
            <td>
              <Moment at={entry.at} />
            </td>
            <td>{entry.what.replaceAll(/[.-]/g, ' ')}</td>
            <td>{entry.actor === account.id ? 'the account' : <code>{entry.actor}</code>}</td>
            <td class="title-cell">
              {Object.entries(entry.detail).map(([name, value]) => (
                <span key={name} class="under">{`${name}: ${String(value)}`}</span>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

const Measures = (props: AccountPageProps) => {
  const { frame, account } = props
  return (
    <div class="actions">
      <Suspension {...props} />
      <Confirmed ask="Sign everyone out">
        <p>Every session of this account ends. Its keys stay.</p>
        <Form frame={frame} action={`/dashboard/admin/accounts/${account.id}/sign-out`}>
          <button>Sign out now</button>
        </Form>
      </Confirmed>
      <a class="button plain" href={`/api/accounts/${account.id}/export`} download={`${account.id}.json`}>
        Export data
      </a>
      {account.role !== 'admin' && (
        <Confirmed ask="Erase data" kind="danger">
          <p>
            The account is closed for good. Names, addresses, texts, keys and events are erased; payments, credits and
            blocks stay under its id. It is refused while checkouts, wallets, refunds or deliveries are open.
          </p>
          <Form frame={frame} action={`/dashboard/admin/accounts/${account.id}/erase`}>
            <button class="danger">Erase now</button>
          </Form>
        </Confirmed>
      )}
    </div>
  )
}

/** The facts about an account, and the operator's actions. */
const Summary = (props: AccountPageProps) => {
  const { account, plan, counts, requests, wallets, failing } = props
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Card>
      <Facts
        facts={[
          ['Status', <Badge state={account.standing.suspendedAt === null ? 'active' : 'suspended'} />],
          ['Account', <Copyable text={account.id} label="account" />],
          ['Role', account.role === 'admin' ? 'administrator' : 'user'],
          ['Plan', plan],
          ['Requests, 30 days', requests.toLocaleString('en')],
          [
            'Checkouts, 30 days',
            <a href={`/dashboard/checkouts?account=${account.id}`}>{total.toLocaleString('en')}</a>,
          ],
          [
            'Wallets',
            <>
              {`${wallets.count.toLocaleString('en')}, `}
              <Nano raw={wallets.raw} />
            </>,
          ],
          ['Webhooks', `${failing.retrying} retrying, ${failing.dead} failed`],
        ]}
      />
      <Measures {...props} />
    </Card>
  )
}

const Keys = ({ keys }: AccountPageProps) => (
  <Card title="Keys" note={`${keys.filter(({ revokedAt }) => revokedAt === null).length} live; the newest 20.`}>
    {keys.length === 0 ? (
      <Empty title="No keys" />
    ) : (
      <Table label="Keys" head={['Name', 'Kind', 'Status', 'Last used']}>
        {keys.map((key) => (
          <tr key={key.id}>
            <td class="title-cell">
              {key.name}
              <span class="under">
                <code>{`${key.start}…`}</code>
              </span>
            </td>
            <td>{key.kind}</td>
            <td>
              <Badge state={key.revokedAt === null ? 'live' : 'revoked'} />
            </td>
            <td>
              <Moment at={key.lastUsedAt} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
)

/** One account, for the operator who handles a request about it. */
export const AccountPage = (props: AccountPageProps) => {
  const { frame, filled, account } = props
  return (
    <Frame
      {...frame}
      title={account.email ?? 'Account without email'}
      lead={`Since ${new Date(account.createdAt).toISOString().slice(0, 10)}.`}
    >
      <FormError filled={filled} fields={FIELDS} />
      <Summary {...props} />
      <Credits {...props} />
      <StandingForm {...props} />
      <Keys {...props} />
      <Activity {...props} />
    </Frame>
  )
}
