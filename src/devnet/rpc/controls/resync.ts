import { refusal } from '../../../kernel/nano/node-refusal.ts'
import type { Handler } from '../handler.ts'

/** As on a node that has fetched the ledger anew: every block arrived at one moment. */
export const devnetResync: Handler = async (node, request) => {
  const text = request.find('timestamp')
  if (text !== undefined && !/^[0-9]{1,10}$/.test(text)) throw refusal('Invalid timestamp')
  await node.resync(text === undefined ? undefined : Number(text))
  return { success: '' }
}
