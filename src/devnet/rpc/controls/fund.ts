import { type Raw, parseNano, parseRaw } from '../../../kernel/money.ts'
import { refusal } from '../../../kernel/nano/node-refusal.ts'
import type { NodeRequest } from '../../../kernel/nano/node-request.ts'
import type { Handler } from '../handler.ts'

/** Sends any amount from the genesis account: `amount` in raw, or `amount_nano`. */
export const devnetFund: Handler = async (node, request) => {
  const account = request.account()
  return { hash: await node.fund(account, readAmount(request)) }
}

function readAmount(request: NodeRequest): Raw {
  const [raw, nano] = [request.find('amount'), request.find('amount_nano')]
  if (raw !== undefined && nano !== undefined) throw refusal('Give amount or amount_nano, not both')
  if (raw === undefined && nano === undefined) throw refusal('amount is missing')
  const amount = raw === undefined ? parseNano(nano!) : parseRaw(raw)
  if (amount === undefined) throw refusal(raw === undefined ? 'Invalid amount number' : 'amount must be whole raw')
  return amount
}
