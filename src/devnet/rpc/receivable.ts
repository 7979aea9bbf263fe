import { toAddress } from '../../kernel/nano/address.ts'
import { type Answer, Entries, type Members } from '../../kernel/nano/node-answer.ts'
import { type NodeRequest, blockNotFound } from '../../kernel/nano/node-request.ts'
import type { LedgerNode } from '../node.ts'
import type { Receivable, StoredBlock, WaitingSend } from '../records.ts'
import type { Handler } from './handler.ts'

export const receivable: Handler = (node, request) => {
  const account = request.account()
  const count = request.countOr()
  const offset = request.offset()
  const shape = readShape(request, request.flag('min_version'))
  const sorted = request.flag('sorting')

  const isVisible = openVisible(node, request)
  let skipped = offset
  const found: Receivable[] = []
  for (const entry of node.ledger.store.receivableOf(account)) {
    if (!sorted && BigInt(found.length) >= count) break
    if (!isVisible(entry)) continue
    if (!sorted && skipped > 0n) skipped--
    else if (entry.amount >= shape.threshold) found.push(entry)
  }
  if (!sorted) return { blocks: shape.write(found) }
  // The node adds offset and count in 64 bits, so the sum overflows for an offset without a count, and nothing is left.
  const end = BigInt.asUintN(64, offset + count)
  const inWindow = (_entry: Receivable, at: number) => BigInt(at) >= offset && BigInt(at) < end
  return { blocks: shape.write(largestFirst(found).filter(inWindow)) }
}

export const accountsReceivable: Handler = (node, request) => {
  const count = request.countOr()
  const shape = readShape(request, false)
  const sorted = request.flag('sorting')
  const isVisible = openVisible(node, request)
  const blocks = new Entries()
  for (const given of request.list('accounts')) {
    const account = request.toAccount(given)
    const found: Receivable[] = []
    for (const entry of node.ledger.store.receivableOf(account)) {
      if (BigInt(found.length) >= count) break
      if (isVisible(entry) && entry.amount >= shape.threshold) found.push(entry)
    }
    if (found.length > 0) blocks.add(toAddress(account), shape.write(sorted ? largestFirst(found) : found))
  }
  return { blocks }
}

export const receivableExists: Handler = (node, request) => {
  const { store } = node.ledger
  const stored = store.findBlock(request.hash())
  if (!stored) throw blockNotFound()
  const { block, subtype, hash } = stored
  const waits = subtype === 'send' && block.type === 'state' && store.findReceivable(block.link, hash) !== undefined
  const isSeen = () => node.ledger.isConfirmed(stored) || isShownUnconfirmed(node, request, stored)
  return { exists: waits && isSeen() ? '1' : '0' }
}

interface Shape {
  threshold: bigint
  write(entries: Receivable[]): Answer
}

/**
 * The answer is a list of hashes; with a threshold or sorting, it maps hashes to amounts; with source or version,
 * hashes to objects.
 */
function readShape(request: NodeRequest, version: boolean): Shape {
  const threshold = request.threshold()
  const source = request.flag('source')
  const simple = threshold === 0n && !source && !version && !request.flag('sorting')
  return {
    threshold,
    write(entries) {
      if (simple) return entries.map(({ hash }) => hash)
      const written = new Entries()
      for (const { hash, amount, source: sender, epoch } of entries) {
        const details: Members = { amount: amount.toString() }
        if (source) details.source = toAddress(sender)
        if (version) details.min_version = epoch.toString()
        written.put(hash, source || version ? details : amount.toString())
      }
      return written
    },
  }
}

function openVisible(node: LedgerNode, request: NodeRequest): (sent: WaitingSend) => boolean {
  const isConfirmed = node.ledger.confirmedAmong()
  return (sent) => isConfirmed(sent) || isShownUnconfirmed(node, request, node.ledger.store.findBlock(sent.hash)!)
}

/** Unconfirmed sends are shown on request, those in an open election only with `include_active`. */
function isShownUnconfirmed(node: LedgerNode, request: NodeRequest, stored: StoredBlock): boolean {
  if (request.flag('include_only_confirmed', true)) return false
  return request.flag('include_active') || !node.isActive(stored)
}

function largestFirst(entries: Receivable[]): Receivable[] {
  return entries.sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))
}
