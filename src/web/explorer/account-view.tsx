import type { ShownAccount } from '../../kernel/ledger-view.ts'
import { Card, Copyable, Empty, Facts, Moment, Nano, Pager, Table } from '../dashboard/show.tsx'
import { AccountLink, BlockLink, BlockTable, SearchForm } from './parts.tsx'
import type { Explorer } from './parts.tsx'

interface AccountViewProps {
  explorer: Explorer
  account: ShownAccount
  isFirst: boolean
}

/** One account: what it has, what waits for it, and what it did. It follows as its blocks come. */
export const AccountView = ({ explorer, account, isFirst }: AccountViewProps) => {
  const { base, names, events } = explorer
  const { address, isOpen, representative, history, older, receivable } = account
  const name = names.nameOf(address)
  const waits = account.blocks - account.confirmedBlocks
  return (
    <>
      <SearchForm base={base} />
      <div id="live" data-follow={isFirst ? events : undefined}>
        <Card {...(name !== undefined && { title: name })} {...(!isOpen && { note: 'No blocks yet.' })}>
          <Facts
            facts={[
              ['Address', <Copyable text={address} label="address" />],
              ['Balance', <Nano raw={account.balanceRaw} />],
              ['Receivable', <Nano raw={account.receivableRaw} />],
              [
                'Representative',
                representative === undefined ? (
                  'None'
                ) : (
                  <AccountLink {...{ base, names }} address={representative} whole />
                ),
              ],
              ['Voting weight', <Nano raw={account.weightRaw} />],
              ['Blocks', `${account.blocks}${waits > 0 ? `, ${waits} not confirmed` : ''}`],
              ['Last block', <Moment at={account.modifiedAt} />],
              ['Public key', <code>{account.publicKey}</code>],
            ]}
          />
        </Card>
        {receivable.length > 0 && (
          <Card
            title="Receivable"
            {...(account.hasMoreReceivable && { note: `Showing the first ${receivable.length}.` })}
          >
            <Table label="Receivable" head={['Block', 'From', 'Amount']}>
              {receivable.map(({ hash, from, amountRaw }) => (
                <tr key={hash}>
                  <td>
                    <BlockLink base={base} hash={hash} />
                  </td>
                  <td>
                    <AccountLink {...{ base, names }} address={from} />
                  </td>
                  <td>
                    <Nano raw={amountRaw} />
                  </td>
                </tr>
              ))}
            </Table>
          </Card>
        )}
        <Card title="History">
          {history.length === 0 ? (
            <Empty title="No blocks" />
          ) : (
            <BlockTable {...{ base, names }} label="History" blocks={history} ofOne />
          )}
          <Pager
            first={isFirst ? undefined : `${base}/accounts/${address}`}
            next={older === undefined ? undefined : `${base}/accounts/${address}?from=${older}`}
          />
        </Card>
      </div>
    </>
  )
}
