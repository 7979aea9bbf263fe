import { RAW_PER_NANO } from '../../kernel/money.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import { type Handler, deprecated } from './handler.ts'

/** Whole nano only, in 128 bits that wrap around: the node notices an overflow only if the result came out smaller. */
export const nanoToRaw: Handler = (_node, request) => {
  const amount = request.amount()
  const raw = BigInt.asUintN(128, amount * RAW_PER_NANO)
  if (raw <= amount) throw refusal('Amount too big')
  return { amount: raw.toString() }
}

/** The old name, which the node had until V27. */
export const mnanoToRaw: Handler = (node, request) => {
  if (!node.version.hasOldUnits) throw refusal('Unknown command')
  return deprecated(nanoToRaw)(node, request)
}

/** Cuts off what is less than one nano. */
export const rawToNano: Handler = (_node, request) => ({ amount: (request.amount() / RAW_PER_NANO).toString() })
