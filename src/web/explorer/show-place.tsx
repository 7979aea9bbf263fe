import type { VNode } from 'preact'
import type { LedgerNames, LedgerView } from '../../kernel/ledger-view.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { isHex } from '../../kernel/nano/hex.ts'
import { Empty } from '../dashboard/show.tsx'
import { type Explorer, SearchForm } from './parts.tsx'
import { AccountView, BlockView, BlocksView } from './views.tsx'

export type ExplorerPlace =
  | { kind: 'blocks'; query: Readonly<Record<string, string>> }
  | { kind: 'block'; hash: string }
  | { kind: 'account'; address: string; query: Readonly<Record<string, string>> }

export interface ShownPlace {
  title: string
  status: 200 | 404
  content: VNode
}

/** Most lines of a page. */
const LINES = 25

/** One page of the explorer, without its frame. */
export async function showPlace(explorer: Explorer, place: ExplorerPlace): Promise<ShownPlace> {
  if (place.kind === 'block') return showBlock(explorer, place.hash)
  if (place.kind === 'account') return showAccount(explorer, place.address, place.query.from)
  const { q = '', before = '' } = place.query
  const wanted = q.trim()
  if (wanted !== '') {
    const found = await findInLedger(explorer, wanted)
    if (found?.kind === 'block') return showBlock(explorer, found.hash)
    if (found) return showAccount(explorer, found.address, undefined)
    return nothing(explorer, 'Nothing found', wanted)
  }
  const position = /^[0-9]{1,15}$/.test(before) ? Number(before) : undefined
  const blocks = explorer.view.latest(LINES + 1, position)
  const content = <BlocksView {...{ explorer, blocks, count: LINES, isFirst: position === undefined }} />
  return { title: 'Ledger', status: 200, content }
}

function showBlock(explorer: Explorer, hash: string): ShownPlace {
  const block = explorer.view.block(hash.toUpperCase())
  if (!block) return nothing(explorer, 'Block not found', hash)
  return { title: 'Block', status: 200, content: <BlockView explorer={explorer} block={block} /> }
}

function showAccount(explorer: Explorer, address: string, from: string | undefined): ShownPlace {
  const account = explorer.view.account(address, LINES, from)
  if (!account) return nothing(explorer, 'Account not found', address)
  const content = <AccountView explorer={explorer} account={account} isFirst={from === undefined} />
  return { title: 'Account', status: 200, content }
}

function nothing(explorer: Explorer, title: string, wanted: string): ShownPlace {
  const content = (
    <>
      <SearchForm base={explorer.base} value={wanted} />
      <Empty title={title}>
        <p>
          Search by hash (or its first six digits), address, public key or name. Blocks that were rolled back are gone.
        </p>
      </Empty>
    </>
  )
  return { title, status: 404, content }
}

type Found = { kind: 'block'; hash: string } | { kind: 'account'; address: string }

/** The form of a name; other texts are not looked up. */
const NAME = /^[\w .-]{1,100}$/

/** Finds what a reader typed: a hash, the beginning of one, a public key, an address, or a name. */
async function findInLedger(
  { view, names }: { view: LedgerView; names: LedgerNames },
  text: string,
): Promise<Found | undefined> {
  const key = fromAddress(text)
  if (key !== undefined) return { kind: 'account', address: toAddress(key) }
  const name = text.replace(/^@/, '')
  const named = NAME.test(name) ? await names.find(name) : undefined
  if (named !== undefined) return { kind: 'account', address: named }
  const digits = text.toUpperCase()
  if (isHex(text, 64) && !view.block(digits)) return { kind: 'account', address: toAddress(digits) }
  const hash = /^[0-9a-f]{6,64}$/i.test(text) ? view.startingWith(digits) : undefined
  return hash === undefined ? undefined : { kind: 'block', hash }
}
