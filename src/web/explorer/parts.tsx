import type { BlockKind, LedgerNames, LedgerView, SeenBlock } from '../../kernel/ledger-view.ts'
import { Badge, Moment, Nano, Table, shorten } from '../dashboard/show.tsx'

/** What the pages of an explorer need. */
export interface Explorer {
  view: LedgerView
  names: LedgerNames
  /** Prefix of every link, because the explorer can be part of another site; empty if it is a site of its own. */
  base: string
  /** Address of the stream that announces changes. */
  events: string
}

interface Placed {
  base: string
  names: LedgerNames
}

export const SearchForm = ({ base, value = '' }: { base: string; value?: string }) => (
  <form class="ledger-search" action={base === '' ? '/' : base} role="search">
    <label class="unseen" for="q">
      Hash, address or name
    </label>
    <input id="q" name="q" type="search" value={value} placeholder="Hash, address or name" autocomplete="off" />
    <button>Search</button>
  </form>
)

/** A link to an account, with its name if it has one. */
export const AccountLink = ({ base, names, address, whole }: Placed & { address: string; whole?: boolean }) => {
  const name = names.nameOf(address)
  return (
    <a href={`${base}/accounts/${address}`} title={whole ? undefined : address}>
      {name !== undefined && <span class="ledger-name">{name}</span>}
      {(name === undefined || whole) && <code>{whole ? address : shorten(address, 10, 5)}</code>}
    </a>
  )
}

export const BlockLink = ({ base, hash, whole }: { base: string; hash: string; whole?: boolean }) => (
  <a href={`${base}/blocks/${hash}`} title={whole ? undefined : hash}>
    <code>{whole ? hash : shorten(hash, 6, 4)}</code>
  </a>
)

export const Kind = ({ kind }: { kind: BlockKind }) => <span class={`ledger-kind ${kind}`}>{kind}</span>

export const State = ({ confirmed }: { confirmed: boolean }) => <Badge state={confirmed ? 'confirmed' : 'waiting'} />

const BETWEEN: Partial<Record<BlockKind, string>> = { send: 'to', receive: 'from', open: 'from', change: 'rep' }

/** Blocks, one on each line. In the history of an account, the account itself is not repeated. */
export const BlockTable = (props: Placed & { label: string; blocks: readonly SeenBlock[]; ofOne?: boolean }) => {
  const { base, names, label, blocks, ofOne } = props
  const head = ['Block', 'Kind', 'Amount', ...(ofOne ? [] : ['Account']), 'With', 'Status', 'Time']
  return (
    <Table label={label} head={head}>
      {blocks.map(({ hash, kind, account, other, amountRaw, confirmed, at }) => (
        <tr key={hash} data-hash={hash}>
          <td>
            <BlockLink base={base} hash={hash} />
          </td>
          <td>
            <Kind kind={kind} />
          </td>
          <td>{amountRaw === 0n ? <span class="soft">–</span> : <Nano raw={amountRaw} />}</td>
          {!ofOne && (
            <td>
              <AccountLink {...{ base, names }} address={account} />
            </td>
          )}
          <td>
            {other !== undefined && (
              <>
                <span class="soft">{BETWEEN[kind]} </span>
                <AccountLink {...{ base, names }} address={other} />
              </>
            )}
          </td>
          <td>
            <State confirmed={confirmed} />
          </td>
          <td>
            <Moment at={at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
