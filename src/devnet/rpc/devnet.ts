import { parseNano } from '../../kernel/money.ts'
import { refusal } from '../../kernel/nano/node-refusal.ts'
import type { Handler } from './handler.ts'

/** Actions of this ledger alone, for tests and development. */
export const devnetFund: Handler = async (node, request) => {
  const account = request.account()
  const amount = parseNano(request.text('amount_nano'))
  if (amount === undefined) throw refusal('Invalid amount number')
  return { hash: await node.fund(account, amount) }
}

export const devnetHold: Handler = (node) => {
  node.hold()
  return { success: '' }
}

export const devnetRelease: Handler = async (node) => {
  await node.release()
  return { success: '' }
}

export const devnetConfirm: Handler = async (node, request) => {
  await node.confirm(request.hash())
  return { success: '' }
}

export const devnetDrop: Handler = async (node, request) => ({ dropped: await node.drop(request.hash()) })

export const devnetResync: Handler = async (node, request) => {
  const text = request.find('timestamp')
  if (text !== undefined && !/^[0-9]{1,10}$/.test(text)) throw refusal('Invalid timestamp')
  await node.resync(text === undefined ? undefined : Number(text))
  return { success: '' }
}
