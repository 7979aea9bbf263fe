import { AppError } from './errors.ts'
import { textOf } from './shape.ts'

/**
 * Places where something can fail without a caller who waits, and what is at stake there. Each is a label of a metric
 * and a row in docs/operating/failures.md.
 */
export const FAILURES = {
  process: 'money',
  'jobs.money': 'money',
  'jobs.other': 'service',
  'jobs.queue': 'money',
  'wallets.pass': 'money',
  'checkout.monitor': 'money',
  'checkout.rate': 'money',
  'checkout.refunds': 'money',
  'links.subscriptions': 'service',
  'checkout.stream': 'service',
  'websocket.frame': 'service',
  'credits.spend': 'money',
  'email.follow': 'money',
  'webhooks.secret': 'money',
  'watches.monitor': 'money',
  'watches.floor': 'money',
  'x402.state': 'money',
  'once.answer': 'money',
  'swap.provider': 'service',
  'names.book': 'service',
  'accounts.usage': 'service',
  'confirmations.listener': 'money',
  'notices.listener': 'money',
  'node.contest': 'service',
  'ledger.embedded': 'service',
  'store.ledger': 'money',
  'traces.export': 'service',
} as const satisfies Record<string, 'money' | 'service'>

/** Failures that do no harm, each with its reason. They are counted, because many of them are a sign of trouble. */
export const LOSSES = {
  'wallet.index':
    'If a new wallet is not stored and its seed index cannot be given back, that index stays unused; `wallets recover` continues past it.',
  'wallets.lease': 'A lease that is not renewed or released expires, and nothing is signed without one.',
  'checkout.proof': 'A payment without a proof counts like any other; only its proof is missing.',
  'x402.lease': 'A lease that is not renewed or released expires.',
  'x402.offer': 'A price that was not stored can be paid only until it changes.',
  'x402.remote': 'The gateway asks its own node, whatever the facilitator said.',
  'x402.voters': 'Voters that were not asked may still confirm the block, and the gateway keeps looking.',
  'webhooks.previous-secret': 'The new secret signs.',
  'credits.release': 'Reserved credits are released after a while.',
  'credits.free': 'A free use that stays counted is dropped when its period ends.',
  'once.key': 'A key that stays taken is free again after a while.',
  'jobs.lease': 'A claim that is not renewed expires, and the job is taken again.',
  'accounts.requests': 'It only records the request; the answer was given.',
  'accounts.last-used': 'It only records when a key was last used.',
  'accounts.session-secret':
    'A new secret replaces one that cannot be read; people whose sessions it had signed must sign in again.',
  'work.ready': 'Work that was not stored can be computed again.',
  'work.ahead': 'Work that was not computed in advance is computed when it is needed.',
  'work.cancel': 'A peer that did not get the cancellation finishes its search, and its result is ignored.',
  'node.republish': 'One node has the block already, so the answers of the others do not matter.',
  'node.lookup': 'A node that does not answer counts as not having the block.',
  'confirmations.catch-up': 'Every listener also checks the ledger on its own.',
  'live.tell': 'A dashboard page that missed a change shows it with the next change, or when it is reloaded.',
  'notices.send': 'A gateway that missed a notice finds the change when it next reads the store.',
  'notices.strange': 'Another program sent a message on the same channel, and it is ignored.',
  'store.mark': 'The store is looked at again five seconds later.',
  'store.connection': 'A broken connection is replaced; a statement that was running on it fails with its own error.',
  'commands.link': 'The command has stored its change, and reports that the gateway did not answer.',
  'limits.connection': 'While Redis is unavailable each gateway grants its share, and reports it.',
  'clock.follow': 'While the store’s clock cannot be read, the gateway’s own continues.',
  'metrics.gauge': 'A number that cannot be read is left out; the others are shown.',
} as const satisfies Record<string, string>

export type FailurePlace = keyof typeof FAILURES
export type LossPlace = keyof typeof LOSSES

/** Ids with which an operator can find the object; they contain no secrets. */
export interface FailureIds {
  walletId?: string
  paymentId?: string
  checkoutId?: string
  refundId?: string
  subscriptionId?: string
  eventId?: string
  endpointId?: string
  hash?: string
  job?: string
  jobId?: string
  doing?: string
}

/** Reports all failures in the background. Both functions return a handler for `catch`, so that no error is dropped. */
export interface Failures {
  /** Logged and counted. The operator is alerted if money is at stake and no other service caused the failure. */
  failed(place: FailurePlace, ids?: FailureIds): (error: unknown) => undefined
  /** Only counted, because it is harmless for the reason in the table. */
  lost(place: LossPlace): (error: unknown) => undefined
}

const CAUSES_MAX = 5
/** Error codes of sockets; errors of the store are recognised in `infra/db/store-failure.ts`. */
const AWAY_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/

/**
 * Whether another service was unavailable: a node, the store, a source of work. Such failures end by themselves and
 * have alarms of their own.
 */
export function isOutage(error: unknown): boolean {
  let at = error
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth++, at = at.cause) {
    if (at instanceof AppError && at.status >= 502) return true
    if ('code' in at && AWAY_CODES.test(textOf(at.code))) return true
  }
  return false
}
