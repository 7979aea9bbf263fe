import { RAW_PER_NANO } from '../../kernel/money.ts'
import type { Members } from '../../kernel/nano/node-answer.ts'
import { type NodeRequest, refusal } from '../../kernel/nano/node-request.ts'
import { type Handler, deprecated } from './handler.ts'

/** Whole nano only, in 128 bits that wrap around. The node notices an overflow only if the result is smaller. */
function toRaw(request: NodeRequest, ratio: bigint): Members {
  const amount = request.amount()
  const raw = BigInt.asUintN(128, amount * ratio)
  if (raw <= amount) throw refusal('Amount too big')
  return { amount: raw.toString() }
}

export const nanoToRaw: Handler = (_node, request) => toRaw(request, RAW_PER_NANO)

/** How much raw the units are that nodes had until V27. */
const OLD_UNITS = {
  mnano: RAW_PER_NANO,
  mrai: RAW_PER_NANO,
  knano: RAW_PER_NANO / 1_000n,
  krai: RAW_PER_NANO / 1_000n,
  rai: RAW_PER_NANO / 1_000_000n,
}

const untilV27 =
  (convert: Handler): Handler =>
  (node, request) => {
    if (!node.version.hasOldUnits) throw refusal('Unknown command')
    return deprecated(convert)(node, request)
  }

export const oldUnits: Record<string, Handler> = Object.fromEntries(
  Object.entries(OLD_UNITS).flatMap(([name, ratio]) => [
    [`${name}_to_raw`, untilV27((_node, request) => toRaw(request, ratio))],
    [`${name}_from_raw`, untilV27((_node, request) => ({ amount: (request.amount() / ratio).toString() }))],
  ]),
)

/** Rounds down to whole nano. */
export const rawToNano: Handler = (_node, request) => ({ amount: (request.amount() / RAW_PER_NANO).toString() })
