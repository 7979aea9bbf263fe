import type { FormState, FrameProps } from '../../../kernel/page.ts'
import { Confirmed, Form, FormError, TextField } from '../../../web/dashboard/form.tsx'
import { Frame } from '../../../web/dashboard/frame.tsx'
import { Card, Empty, Moment, Table } from '../../../web/dashboard/show.tsx'
import type { FrozenWallet, SendFreeze } from '../../wallets/index.ts'

interface FreezesProps {
  frame: FrameProps
  filled: FormState
  sends: readonly SendFreeze[]
  wallets: readonly FrozenWallet[]
}

const Lift = ({ frame, target, owes }: { frame: FrameProps; target: string; owes: boolean }) => (
  <Confirmed ask="Unfreeze" about={target}>
    <Form frame={frame} action="/dashboard/admin/freezes/lift">
      <input type="hidden" name="target" value={target} />
      {owes && (
        <label>
          <input type="checkbox" name="pay_queued" value="yes" /> Also send what is queued; compare it with the ledger
          first.
        </label>
      )}
      <button>Unfreeze now</button>
    </Form>
  </Confirmed>
)

/** The current freezes, and the form for another one. */
export const FreezesPage = ({ frame, filled, sends, wallets }: FreezesProps) => {
  const rows = [
    ...sends.map(({ scope, ...rest }) => ({
      ...rest,
      target: scope,
      under: scope === 'all' ? 'every wallet' : 'account',
    })),
    ...wallets.map(({ id, address, ...rest }) => ({ ...rest, target: id, under: address })),
  ]
  return (
    <Frame
      {...frame}
      title="Frozen sends"
      lead="Nothing is signed for what is listed here. Deposits are still recorded."
    >
      <FormError filled={filled} fields={['target', 'reason']} />
      <Card>
        {rows.length === 0 ? (
          <Empty title="Nothing is frozen" />
        ) : (
          <Table label="Frozen sends" head={['What', 'Since', 'Reason', <span class="unseen">Actions</span>]}>
            {rows.map(({ target, under, frozenAt, reason }) => (
              <tr key={target}>
                <td>
                  <code>{target}</code>
                  <span class="under">{under}</span>
                </td>
                <td>
                  <Moment at={frozenAt} />
                </td>
                <td class="title-cell">{reason}</td>
                <td>
                  <Lift frame={frame} target={target} owes={target.startsWith('wal_')} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      <Card title="Freeze" note="In force at once on every gateway. What was signed before still goes out.">
        <Form frame={frame} action="/dashboard/admin/freezes" label="Freeze">
          <TextField
            filled={filled}
            name="target"
            label="What"
            hint="all, the id of an account, or the id or address of a wallet."
            required
            maxLength={100}
          />
          <TextField
            filled={filled}
            name="reason"
            label="Reason"
            hint="Shown in the activity."
            required
            maxLength={200}
          />
          <button class="danger">Freeze now</button>
        </Form>
      </Card>
    </Frame>
  )
}
