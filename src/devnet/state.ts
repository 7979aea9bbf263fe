import { parseRaw } from '../kernel/money.ts'
import { type StateBlock, parseHex } from '../kernel/nano/block.ts'
import { refusal } from '../kernel/nano/node-request.ts'
import { type RequestTree, findMember } from '../kernel/nano/request-tree.ts'
import type { LedgerNode } from './node.ts'

/**
 * A whole ledger as text. Every block is one line, in the order of arrival: seconds, 1 if confirmed, account, previous,
 * representative, balance, link, signature, work. Lines avoid brackets, of which the node's parser accepts at most
 * twenty levels.
 */
interface LedgerState {
  format: string
  genesis: string
  /** Unix seconds of the first block. */
  began: string
  blocks: string[]
  /** Lines that a fork has read from its node. */
  kept?: string[]
}

interface Line {
  timestamp: number
  confirmed: boolean
  block: StateBlock
}

const FORMAT = 'nano-gateway devnet 1'
const SECONDS = /^[0-9]{1,10}$/

export function dumpState({ ledger, fork }: LedgerNode): LedgerState {
  const state: LedgerState = { format: FORMAT, genesis: ledger.genesis.hash, began: '', blocks: [] }
  for (const stored of ledger.store.allBlocks()) {
    const { block, timestamp } = stored
    if (block.type !== 'state' || ledger.isGenesis(stored)) {
      if (state.began === '') state.began = `${timestamp}`
      continue
    }
    const { account, previous, representative, balance, link, signature, work } = block
    const head = [timestamp, ledger.isConfirmed(stored) ? 1 : 0]
    state.blocks.push([...head, account, previous, representative, balance, link, signature, work].join(' '))
  }
  return fork ? { ...state, kept: fork.dump() } : state
}

/**
 * Replaces this ledger by a dumped one. If a block breaks a rule, nothing changes. Signature and work are not checked,
 * because blocks of impersonated accounts have none.
 */
export async function loadState(node: LedgerNode, tree: RequestTree): Promise<number> {
  const { ledger, fork } = node
  const text = (name: string) => findMember(tree, name)?.text ?? ''
  if (text('format') !== FORMAT) throw refusal(`state.format must be "${FORMAT}"`)
  if (text('genesis') !== ledger.genesis.hash) throw refusal('state.genesis is that of another ledger')
  if (!SECONDS.test(text('began'))) throw refusal('state.began must be unix seconds')
  const lines = (findMember(tree, 'blocks')?.members ?? []).map(({ tree }, index) => readLine(tree.text, index))
  const kept = (findMember(tree, 'kept')?.members ?? []).map(({ tree }) => tree.text)
  if (fork && kept.length === 0) throw refusal('state.kept is missing, so this is not the state of a fork')
  await node.snapshots.replaceBy(() => {
    fork?.load(kept)
    ledger.startOver(Number(text('began')))
    for (const [index, { timestamp, confirmed, block }] of lines.entries()) {
      const replay = () => ledger.replay(block, timestamp)
      const applied = fork ? fork.fromKept(replay) : replay()
      if ('refused' in applied) throw refusal(`state.blocks.${index}: ${applied.refused}`)
      if (confirmed) ledger.confirm(applied.hash)
    }
  })
  fork?.settle()
  return lines.length
}

function readLine(text: string, index: number): Line {
  const parts = text.split(' ')
  const [seconds = '', confirmed = '', ...rest] = parts
  const [account, previous, representative, balanceText = '', link, signature, work] = rest
  const hex = (value: string | undefined, digits: number) => parseHex(value ?? '', digits)
  const balance = parseRaw(balanceText)
  const block = {
    type: 'state' as const,
    account: hex(account, 64),
    previous: hex(previous, 64),
    representative: hex(representative, 64),
    balance,
    link: hex(link, 64),
    signature: hex(signature, 128),
    work: hex(work, 16)?.toLowerCase(),
  }
  const isWhole = parts.length === 9 && SECONDS.test(seconds) && /^[01]$/.test(confirmed)
  if (!isWhole || Object.values(block).includes(undefined)) throw refusal(`state.blocks.${index} is not a block`)
  // The cast is safe because no part is missing.
  return { timestamp: Number(seconds), confirmed: confirmed === '1', block: block as StateBlock }
}
