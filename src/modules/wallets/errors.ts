import type { BlockRefusal } from '../../kernel/wallet-alarm.ts'
import { AppError, type ErrorCode } from '../../kernel/errors.ts'

/** Also used for wallets of other accounts and for ended ones, so that a caller cannot learn which exist. */
export const walletNotFound = () =>
  new AppError('wallet_not_found', 'Wallet not found.', { body: { field: 'account' } })
export const walletNotEmpty = () =>
  new AppError('wallet_not_empty', 'The wallet still holds funds and has no refund address. Send the funds out first.')
export const walletIsPayout = () =>
  new AppError('wallet_not_empty', 'Your money goes to this wallet. Choose another address for it first.')
export const walletFrozen = () => new AppError('wallet_frozen', 'The wallet is frozen while the operator investigates.')
export const insufficientFunds = () => new AppError('insufficient_funds', 'The wallet does not have enough funds.')
export const walletBusy = (cause?: unknown) =>
  new AppError('wallet_busy', 'The wallet is busy with earlier blocks. Nothing was sent.', {
    retryAfterSeconds: 2,
    cause,
  })
/**
 * Why a send failed before it was signed. It does not mention an earlier block whose outcome is open: that block's hash would be taken
 * for the hash of this send.
 */
export const notSent = (failure: unknown): unknown => {
  const isOfAnother = failure instanceof AppError && 'hash' in failure.body
  return failure === undefined || isOfAnother ? walletBusy(failure) : failure
}
/** Only the operator may learn which key is missing. */
export const masterKeyMissing = (cause: unknown) =>
  new AppError('wallet_busy', 'The wallet cannot be used at the moment. Nothing was sent.', {
    retryAfterSeconds: 30,
    cause,
  })
export const sendsDisabled = () => new AppError('feature_disabled', 'Sending from cloud wallets is disabled.')
export const sendsFrozen = () => new AppError('wallet_frozen', 'Sends are frozen while the operator investigates.')
export const tooManyWallets = (max: number) =>
  new AppError('limit_reached', `An account can have up to ${max} wallets.`)
export const sendTooLarge = (max: string) => new AppError('limit_reached', `A send can be at most ${max} nano.`)
export const dailyLimitReached = (max: string) =>
  new AppError('limit_reached', `An account can send at most ${max} nano in 24 hours.`)
export const invalidVanity = () =>
  new AppError('invalid_vanity', 'vanity must be 1 to 5 address characters after nano_, starting with 1 or 3.', {
    body: { field: 'vanity' },
  })
export const vanityNotFound = (seconds: number) =>
  new AppError('vanity_not_found', `No matching address was found within ${seconds} seconds. Try a shorter prefix.`, {
    retryAfterSeconds: 1,
  })
export const referenceReused = () =>
  new AppError('idempotency_conflict', 'This Idempotency-Key was used with another request.')
/** The block is signed and will be published again; only its first publication is uncertain. */
export const outcomeOpen = (hash: string, cause?: unknown) =>
  new AppError('publish_unknown', 'No node has confirmed the block yet. Look up its hash before sending again.', {
    body: { hash },
    cause,
  })

/** The block is signed and may still arrive, so the caller must not send again. */
export const blockRefused = ({ hash, words }: BlockRefusal) =>
  new AppError(
    'publish_refused',
    `The node refused the block: ${words}. The gateway keeps the block and retries; look up its hash before sending again.`,
    { body: { hash, node_error: words } },
  )

/** It was signed, but another block of the wallet is final in its place. */
const neverConfirmed = () =>
  new AppError(
    'send_void',
    'Nothing was sent: the block of this send can never be confirmed. Send again with another Idempotency-Key.',
  )

const REFUSALS: Partial<Record<string, () => AppError>> = {
  insufficient_funds: insufficientFunds,
  wallet_busy: walletBusy,
  wallet_frozen: walletFrozen,
  send_void: neverConfirmed,
}

/** Error codes of sends that failed after they were accepted. */
export type SendRefusal = Extract<ErrorCode, 'insufficient_funds' | 'wallet_busy' | 'wallet_frozen'>

/** The error stored with a failed send. */
export const refusedSend = (code: string | null) => (REFUSALS[code ?? ''] ?? walletBusy)()

/** Another process has the lock now, so nothing may be written any more. */
export class LockLost extends Error {
  constructor() {
    super('Another instance works on this wallet.')
  }
}
