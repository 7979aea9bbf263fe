import type { ComponentChildren } from 'preact'
import type { DecodedLink, SeenBlock, SeenElection, ShownAccount, ShownBlock } from '../../kernel/ledger-view.ts'
import { Card, Copyable, Empty, Facts, Figure, Moment, Nano, Pager, Table } from '../dashboard/show.tsx'
import { AccountLink, BlockLink, BlockTable, type Explorer, Kind, SearchForm, State } from './parts.tsx'

interface AccountViewProps {
  explorer: Explorer
  account: ShownAccount
  isFirst: boolean
}

/** One account: its balance, its receivable sends, and its history. The page updates as blocks arrive. */
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

type Fact = readonly [string, ComponentChildren]

/** One block: what it does, the meaning of its link, and who confirmed it. */
export const BlockView = ({ explorer, block }: { explorer: Explorer; block: ShownBlock }) => {
  const { base, names, events } = explorer
  const { hash, kind, account, amountRaw, balanceRaw, representative, previous, successor } = block
  const facts: Fact[] = [
    ['Hash', <Copyable text={hash} label="hash" />],
    [
      'Kind',
      <>
        <Kind kind={kind} /> <State confirmed={block.confirmed} />
      </>,
    ],
    ['Account', <AccountLink {...{ base, names }} address={account} whole />],
    ...(amountRaw === 0n ? [] : ([['Amount', <Nano raw={amountRaw} />]] as Fact[])),
    ['Balance after', <Nano raw={balanceRaw} />],
    ...(representative === undefined
      ? []
      : ([['Representative', <AccountLink {...{ base, names }} address={representative} whole />]] as Fact[])),
    ['Height', `${block.height} of its account`],
    ['Seen', <Moment at={block.at} />],
    ['Previous', previous === undefined ? 'None: the first block' : <BlockLink base={base} hash={previous} whole />],
    ['Next', successor === undefined ? 'None: the newest block' : <BlockLink base={base} hash={successor} whole />],
  ]
  return (
    <>
      <SearchForm base={base} />
      <div id="live" data-follow={block.confirmed ? undefined : events}>
        <Card>
          <Facts facts={facts} />
        </Card>
        <div class="row two">
          <Card title="Link" note={MEANINGS[block.decoded.means]}>
            <Facts facts={[...linkFacts(explorer, block.decoded), ['As it is', <code>{block.link}</code>]]} />
          </Card>
          <Card title="Confirmation">
            <Facts facts={electionFacts(explorer, block.election)} />
          </Card>
        </div>
        <Card title="Proof">
          <Facts
            facts={[
              ['Signature', <code>{block.signature}</code>],
              ['Work', <code>{block.work}</code>],
              ['Epoch', String(block.epoch)],
            ]}
          />
        </Card>
      </div>
    </>
  )
}

const MEANINGS: Record<DecodedLink['means'], string> = {
  recipient: 'In a send: the public key of the recipient.',
  source: 'In a receive: the hash of the send being received.',
  epoch: 'In an epoch block: the words of the upgrade, in letters.',
  nothing: 'Empty: a block that moves no money has no link.',
}

function linkFacts({ base, names }: Explorer, decoded: DecodedLink): Fact[] {
  switch (decoded.means) {
    case 'recipient':
      return [
        ['Recipient', <AccountLink {...{ base, names }} address={decoded.address} whole />],
        [
          'Received in',
          decoded.receivedIn === undefined ? (
            'Not received yet'
          ) : (
            <BlockLink base={base} hash={decoded.receivedIn} whole />
          ),
        ],
      ]
    case 'source':
      return [
        ['Sent in', <BlockLink base={base} hash={decoded.hash} whole />],
        ...(decoded.address === undefined
          ? []
          : ([['Sender', <AccountLink {...{ base, names }} address={decoded.address} whole />]] as Fact[])),
      ]
    case 'epoch':
      return [['Words', decoded.text]]
    case 'nothing':
      return []
  }
}

function electionFacts({ base, names }: Explorer, election: SeenElection): Fact[] {
  if (election.state === 'waiting') {
    const why = election.contested
      ? 'A competing block will win; this one will be dropped.'
      : election.held
        ? 'Blocks are held. Confirm it or release all blocks.'
        : 'Election in progress.'
    return [
      ['Status', <State confirmed={false} />],
      ['Why', why],
    ]
  }
  if (election.by === undefined) {
    return [
      ['Status', <State confirmed />],
      ['Confirmed by', 'Unknown: it was confirmed before the ledger started, or long ago.'],
    ]
  }
  const percent = election.onlineRaw === 0n ? 0n : (election.weightRaw * 100n) / election.onlineRaw
  return [
    ['Status', <State confirmed />],
    ['Confirmed by', <AccountLink {...{ base, names }} address={election.by} whole />],
    [
      'With',
      <>
        <Nano raw={election.weightRaw} /> of weight, {String(percent)} % of what was online at the start; 67 % are
        needed
      </>,
    ],
    ['At', <Moment at={election.at} />],
  ]
}

interface BlocksViewProps {
  explorer: Explorer
  /** One more than are shown, if there are more. */
  blocks: readonly SeenBlock[]
  count: number
  isFirst: boolean
}

const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

/** Everything that happens on the ledger, newest first; the first page updates as blocks arrive. */
export const BlocksView = ({ explorer, blocks, count, isFirst }: BlocksViewProps) => {
  const { base, names, view, events } = explorer
  const { blocks: total, confirmed, accounts, holds } = view.overview()
  const shown = blocks.slice(0, count)
  const last = shown.at(-1)
  return (
    <>
      <div class="ledger-tools">
        <SearchForm base={base} />
        {isFirst && (
          <button type="button" class="plain" id="follow" aria-pressed="true" hidden>
            Following
          </button>
        )}
      </div>
      <div id="live" data-follow={isFirst ? events : undefined}>
        <div class="row four">
          <Figure label="Blocks" value={grouped(total)} />
          <Figure label="Confirmed" value={grouped(confirmed)} />
          <Figure
            label="Waiting"
            value={grouped(total - confirmed)}
            note={holds ? 'New blocks are held.' : undefined}
            {...(total > confirmed && { tone: 'warn' as const })}
          />
          <Figure label="Accounts" value={grouped(accounts)} />
        </div>
        <Card title={isFirst ? 'Latest blocks' : 'Older blocks'}>
          {shown.length === 0 ? (
            <Empty title="No older blocks" />
          ) : (
            <BlockTable {...{ base, names }} label="Blocks" blocks={shown} />
          )}
          <Pager
            first={isFirst ? undefined : base === '' ? '/' : base}
            next={blocks.length > count && last ? `${base === '' ? '/' : base}?before=${last.position}` : undefined}
          />
        </Card>
      </div>
    </>
  )
}
