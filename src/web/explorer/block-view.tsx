import type { ComponentChildren } from 'preact'
import type { DecodedLink, SeenElection, ShownBlock } from '../../kernel/ledger-view.ts'
import { Card, Copyable, Facts, Moment, Nano } from '../dashboard/show.tsx'
import { AccountLink, BlockLink, Kind, SearchForm, State } from './parts.tsx'
import type { Explorer } from './parts.tsx'

type Fact = readonly [string, ComponentChildren]

/** One block: what it does, what its link says, and who decided it. */
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
