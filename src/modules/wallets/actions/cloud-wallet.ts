import type { Actor } from '../../../kernel/actor.ts'
import Type from 'typebox'
import { type Action, action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { AppError, missingField } from '../../../kernel/errors.ts'
import type { KeyRights } from '../../../kernel/rights.ts'
import { type InputOf, READERS, field, input, optional } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { formatNano } from '../../../kernel/money.ts'
import { toPaymentUri } from '../../../kernel/nano/payment-uri.ts'
import { type Json, type JsonObject, withNano, relativeTime } from '../../../kernel/shape.ts'
import { insertAudit } from '../../accounts/index.ts'
import { createWallet, getOwnedWallet, listWallets } from '../domain/wallets.ts'
import { deleteWallet } from '../domain/end-wallet.ts'
import { readBalance } from '../domain/read-balance.ts'
import { receiveDeposits } from '../domain/receive.ts'
import { sendFromWallet } from '../domain/send.ts'
import { BALANCE, DELETED, RECEIVED, SENT, WALLET } from '../answers.ts'
import { walletNotFound } from '../errors.ts'
import { DECIDING, type Operation, changes, chooseOperation, refuseOthers } from '../operation.ts'
import { readRefundAddress } from '../refund-addresses.ts'
import { type Wallet, updateMetadata } from '../store.ts'
import { WALLET_TOOLS } from '../tools.ts'
import type { CloudWalletContext } from '../context.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LIFETIME_MIN = 5 * MINUTE
const LIFETIME_MAX = 10 * 365 * DAY
const LIFETIME_DEFAULT = 90 * DAY
const LISTED_DEFAULT = 100
const AMOUNTS = ['balance', 'pending', 'receivable'] as const

/** The module reads the value itself, so that an unreadable flag is refused instead of counting as not given. */
const flag = (description: string) => freeField(form.flag, description, true)

const fields = input({
  wallet_action: optional(
    freeField(
      form.text,
      '`create_wallet`, `list_wallets`, `account_info`, `receive`, `balance`, `send`, `delete` or `update_metadata`; or the flags below.',
    ),
  ),
  account: optional(field.account),
  vanity: optional(
    Type.String({
      description: 'Create: how the address begins after `nano_`: up to 5 characters, first a 1 or 3.',
      refusal: { text: 'Invalid vanity', code: 'invalid_vanity' },
    }),
  ),
  refund_address: optional(
    Type.Unsafe<string | string[]>({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: 'Create: where funds go at the end; a list shares them equally.',
      refusal: { text: 'Bad account number', code: 'invalid_account' },
    }),
  ),
  expire: optional(
    freeField(
      form.oneOf(form.text, answer.bool),
      'Create: lifetime, 5 minutes to 10 years; 90 days by default. `true` with an `account` ends it now.',
      '2 hours',
    ),
  ),
  metadata: optional(
    field.metadata('Create and update: stored with the wallet. List: what the metadata must contain.'),
  ),
  list: optional(flag('List wallets.')),
  limit: optional(field.count),
  start: optional(field.offset),
  search: optional(Type.String({ description: 'List: part of the address or metadata.', maxLength: 200 })),
  info: optional(flag('Read one wallet; the default if only `account` is given.')),
  receive: optional(freeField(form.oneOf(form.flag, form.words('all')), 'Receive what is receivable.', true)),
  balance: optional(flag('Read balance and receivable amount.')),
  send: optional(field.account),
  /** Another name of `send`, for clients that select the operation by `wallet_action`. */
  address: optional(field.account),
  amount: optional(field.nanoAmountOrAll),
  delete: optional(flag('End the wallet now.')),
  update_metadata: optional(flag('Replace the metadata.')),
})

type Input = InputOf<typeof fields>

export const cloudWallet: Action = action({
  name: 'cloud_wallet',
  summary: 'Wallets whose keys the service keeps: create, list, receive, balance, send, delete, update_metadata.',
  input: fields,
  tools: WALLET_TOOLS,
  fieldSynonyms: { expiration: 'expire', to: 'send', destination: 'send' },
  neverEmpty: DECIDING,
  example: {
    request: {
      refund_address: ['nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'],
      expire: '2 hours',
      metadata: { order: 'A-1' },
    },
    response: {
      address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
      balance: 0,
      refund_address: ['nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'],
      expiration: 'in 2 hours',
      expiration_unix: 1794717241,
      metadata: { order: 'A-1' },
      qrcode: 'data:image/png;base64,…',
    },
  },
  output: answer.oneOf(WALLET, answer.list(answer.oneOf(WALLET, RECEIVED)), BALANCE, SENT, DELETED),
  meter: 'wallet_send',
  errors: {
    wallet_not_found: 'You have no such wallet.',
    insufficient_funds: 'The wallet does not have enough funds.',
    wallet_not_empty: 'It holds funds, has no refund address, and cannot be deleted.',
    wallet_frozen: 'Someone else has signed for the wallet; the operator must investigate.',
    spending_limit: 'More nano than this key may spend in a day; see `limit`, `spent` and `resets_unix`.',
    limit_reached: 'More wallets, or more nano in a send or a day, than the account is allowed.',
    feature_disabled: 'Sending from cloud wallets is disabled.',
    wallet_busy: 'Earlier blocks are still on their way. Nothing was sent.',
    vanity_not_found: 'No address with this start was found in time.',
    send_void:
      'Nothing was sent: the block of an earlier send with this Idempotency-Key can never be confirmed. Send again with another key.',
    publish_refused:
      'The node refuses the block; `node_error` has its words. The block is sent again automatically; do not send again.',
    publish_unknown:
      'Whether the block arrived is not known yet; `hash` says which one to look up. Do not send again before that.',
  },
  auth: 'secret-key',
  scope: 'wallets:send',
  scopeWhen: (given) => (changes(chooseOperation(given)) ? 'wallets:send' : 'wallets:read'),
  onceWhen: (given) => changes(chooseOperation(given)),
  check: refuseOthers,
  run(ctx, given, context: CloudWalletContext) {
    if (ctx.caller.kind !== 'account') throw new AppError('key_required', 'API key required for cloud_wallet.')
    const { accountId, actor } = ctx.caller
    return OPERATIONS[chooseOperation(given)]({ ...context, ...ctx, actor }, accountId, given)
  },
})

/** A request by a wallet's owner; `node` is the one of the request. */
type WalletRequest = Ctx & CloudWalletContext & { actor: Actor }
type Run = (ctx: WalletRequest, accountId: string, given: Input) => Promise<Json>

const rightsOf = ({ caller }: Ctx): KeyRights | undefined => (caller.kind === 'account' ? caller.rights : undefined)

const owned = (ctx: WalletRequest, accountId: string, { account }: Input): Promise<Wallet> =>
  getOwnedWallet(ctx.store.db, accountId, needed('account', account))

const create: Run = async (ctx, accountId, { vanity, refund_address, expire, metadata }) => {
  const lifetimeMilliseconds = readLifetime(expire)
  const wallet = await createWallet(ctx, {
    accountId,
    actor: ctx.actor,
    purpose: 'cloud',
    lifetimeMilliseconds,
    ...(refund_address !== undefined && { refundAddress: await readRefundAddress(ctx.names, refund_address) }),
    ...(metadata !== undefined && { metadata }),
    ...(vanity !== undefined && vanity !== '' && { vanity: { prefix: vanity, leaving: ctx.leaving } }),
    idempotency: ctx.idempotency,
  })
  const { balance_nano: _nano, ...shaped } = shapeWallet(wallet, ctx.store.clock.now())
  // The contract requires a number here, and a new wallet holds nothing.
  return { ...shaped, balance: 0, qrcode: ctx.qrPng(toPaymentUri({ address: wallet.address })) }
}

function readLifetime(expire: unknown): number {
  if (expire === undefined || expire === null || expire === '' || expire === false) return LIFETIME_DEFAULT
  const lifetime = typeof expire === 'string' ? READERS.duration(expire) : undefined
  if (lifetime === undefined) throw badLifetime('Invalid duration: a number and a unit, for example 2 hours.')
  if (lifetime < LIFETIME_MIN || lifetime > LIFETIME_MAX) throw badLifetime('expire is 5 minutes to 10 years.')
  return lifetime
}

const badLifetime = (text: string) => new AppError('invalid_duration', text, { body: { field: 'expire' } })

const list: Run = async (ctx, accountId, { limit = LISTED_DEFAULT, start = 0, search, metadata }) => {
  const bounded = limit < 0 ? ctx.countMax : Math.min(limit, ctx.countMax)
  const wallets = await listWallets(ctx, accountId, { limit: bounded, start, search, metadata })
  return wallets.map((wallet) => shapeWallet(wallet, ctx.store.clock.now()))
}

async function showBalance(ctx: WalletRequest, wallet: Wallet): Promise<JsonObject> {
  const read = await readBalance(ctx, wallet)
  const [balance, receivable] = [read.balance.toString(), read.receivable.toString()]
  return withNano({ balance, pending: receivable, receivable }, AMOUNTS)
}

const info: Run = async (ctx, accountId, given) => {
  const wallet = await owned(ctx, accountId, given)
  return { ...shapeWallet(wallet, ctx.store.clock.now()), ...(await showBalance(ctx, wallet)) }
}

const balance: Run = async (ctx, accountId, given) => {
  const wallet = await owned(ctx, accountId, given)
  const amounts = await showBalance(ctx, wallet)
  return { ...amounts, address: wallet.address, ...expirationOf(wallet, ctx.store.clock.now()) }
}

const receive: Run = async (ctx, accountId, given) => {
  const received = await receiveDeposits(ctx, await owned(ctx, accountId, given), ctx.idempotency)
  return received.map(({ sourceHash, amount, sourceAddress, hash }) => {
    const username = ctx.names.usernameOf(sourceAddress!)
    return {
      hash: sourceHash,
      amount: amount!.toString(),
      amount_nano: formatNano(amount!),
      source: sourceAddress,
      ...(username !== undefined && { username }),
      receive_hash: hash,
    }
  })
}

const send: Run = async (ctx, accountId, { account, send: to, address, amount }) => {
  const from = needed('account', account)
  if (to !== undefined && address !== undefined && to !== address) {
    const text = 'The fields send and address name different destinations.'
    throw new AppError('invalid_request', text, { body: { field: 'address' } })
  }
  const destination = needed('send', to ?? address)
  const wanted = needed('amount', amount)
  if (wanted === 0n) throw new AppError('invalid_amount', 'Invalid amount number', { body: { field: 'amount' } })
  const asked = { from, destination, amount: wanted, idempotencyKey: ctx.idempotency?.key }
  return { hash: await sendFromWallet(ctx, { ...asked, accountId, actor: ctx.actor, rights: rightsOf(ctx) }) }
}

const end: Run = async (ctx, accountId, given) => {
  // When the request is repeated, its first run may have ended the wallet already; the jobs do the rest.
  if (!ctx.idempotency?.made) {
    const { actor, idempotency } = ctx
    await deleteWallet(ctx, await owned(ctx, accountId, given), { actor, idempotency, rights: rightsOf(ctx) })
  }
  return { deleted: true }
}

const update: Run = async (ctx, accountId, { account, metadata }) => {
  const change = { accountId, address: needed('account', account), metadata: needed('metadata', metadata) }
  const { actor, idempotency, store } = ctx
  // After the first run of this request, another request may have changed the wallet; a repetition must not undo that.
  const wallet = idempotency?.made
    ? await getOwnedWallet(store.db, accountId, change.address)
    : await store.db.transaction().execute(async (tx) => {
        const updated = await updateMetadata(tx, change)
        if (!updated) throw walletNotFound()
        const detail = { address: updated.address }
        await insertAudit({ ...store, db: tx }, { actor, accountId, what: 'wallet.changed', detail })
        await idempotency?.record(tx, {})
        return updated
      })
  return shapeWallet({ ...wallet, metadata: change.metadata }, ctx.store.clock.now())
}

const OPERATIONS: Record<Operation, Run> = {
  create,
  list,
  info,
  receive,
  balance,
  send,
  delete: end,
  update_metadata: update,
}

/** Throws for a missing field: which fields are required depends on the operation, and the schema cannot express that. */
function needed<T>(name: string, value: T | undefined): T {
  if (value !== undefined) return value
  throw missingField(name)
}

/** When a wallet ends, in words and in seconds. */
function expirationOf({ expiresAt }: Wallet, now: number): JsonObject {
  if (expiresAt === null) return {}
  return { expiration: relativeTime(expiresAt, now), expiration_unix: Math.floor(expiresAt / 1_000) }
}

/** A wallet in lists and answers (contract 2). It cannot leak the key, because a wallet object does not contain it. */
function shapeWallet(wallet: Wallet, now: number): JsonObject {
  const { address, balance, refundAddress, metadata, status } = wallet
  return {
    address,
    balance: balance.toString(),
    balance_nano: formatNano(balance),
    refund_address: refundAddress ?? [],
    ...expirationOf(wallet, now),
    ...(metadata !== null && { metadata }),
    status,
  }
}
