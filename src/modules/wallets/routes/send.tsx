import { randomId } from '../../../kernel/api-key.ts'
import type { Db } from '../../../kernel/db.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type Raw, formatNano, parseNano } from '../../../kernel/money.ts'
import { BURN_ADDRESS, fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Names } from '../../../kernel/ports.ts'
import { isFresh } from '../../../kernel/route.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { fromTyped } from '../../../web/dashboard/typed-amount.ts'
import { type Balance, readBalance } from '../domain/read-balance.ts'
import { sendFromWallet } from '../domain/send.ts'
import { getOwnedWallet } from '../domain/wallets.ts'
import { insufficientFunds, sendTooLarge, walletFrozen } from '../errors.ts'
import { ConfirmSendPage, SendPage } from '../pages/send-page.tsx'
import type { WalletContext } from '../context.ts'
import type { Wallet } from '../store.ts'

const TOKEN_LENGTH = 22
const SECTION = '/wallets'
/** Error codes that are shown at the amount field. */
const OF_AMOUNT = new Set(['insufficient_funds', 'limit_reached', 'spending_limit', 'invalid_amount'])

/** Sends by hand in two steps: the second shows everything in full before anything is sent. */
export function sendPages({ wallets: ctx, names }: { wallets: WalletContext; names: Names }): readonly (Page | Form)[] {
  const shownOf = async ({ accountId, params }: PageRequest) => {
    const wallet = await getOwn(ctx.store.db, accountId, params.address!)
    const ledger = await readLedger(ctx, wallet)
    return { wallet: { address: wallet.address, name: nameOf(wallet) }, balance: ledger?.balance }
  }
  const form = async (request: PageRequest, filled: FormState) => {
    const { frame, caller } = request
    const fresh = isFresh(caller, { now: ctx.store.clock.now(), devnet: frame.devnet })
    return <SendPage frame={frame} {...await shownOf(request)} filled={filled} isFresh={fresh} />
  }
  const placed = { section: SECTION, permission: 'wallets:send' } as const
  return [
    { ...placed, degree: 'all', path: '/wallets/:address/send', render: (request) => form(request, EMPTY) },
    {
      ...placed,
      proof: true,
      path: '/wallets/:address/send/check',
      again: form,
      async run({ accountId, params }, fields) {
        const wallet = await getOwn(ctx.store.db, accountId, params.address!)
        const { to, amount } = await readSend(names, fields)
        await refuseHopeless(ctx, wallet, amount)
        // The confirmation page carries one token, so that submitting it repeatedly sends once.
        const token = randomId(ctx.store.random, TOKEN_LENGTH)
        const name = fields.get('to').startsWith('@') ? fields.get('to') : null
        return { shown: { to, name, amount: amount === 'all' ? 'all' : amount.toString(), token } }
      },
      async show(request, shown) {
        const { to, name, amount, token } = shown as { to: string; name: string | null; amount: string; token: string }
        const asked = amount === 'all' ? 'all' : BigInt(amount)
        const about = { to, name: name ?? undefined, amount: asked, formToken: token } as const
        return <ConfirmSendPage frame={request.frame} {...await shownOf(request)} {...about} />
      },
    },
    {
      ...placed,
      proof: true,
      path: '/wallets/:address/send',
      again: form,
      async run({ accountId, params, caller, charged }, fields, idempotency) {
        const { address: from } = await getOwn(ctx.store.db, accountId, params.address!)
        const { to: destination, amount } = await readSend(names, fields)
        const { rights, actor } = caller
        const wish = { accountId, from, destination, amount, rights, actor, idempotencyKey: idempotency.key }
        await sendFromWallet({ ...ctx, charged }, wish).catch(besideAmount)
        return { to: `/dashboard/wallets/${from}?done=sent` }
      },
    },
  ]
}

async function readSend(names: Names, fields: FormFields): Promise<{ to: string; amount: Raw | 'all' }> {
  const given = fields.get('to')
  const found = given.startsWith('@') ? await names.resolve(given.slice(1), 'money') : given
  if (found === undefined) throw wrong('to', 'Username not found.', 'username_not_found')
  const key = fromAddress(found)
  if (!key) throw wrong('to', 'This is not an address or a username such as @alice.', 'invalid_account')
  const to = toAddress(key)
  if (to === BURN_ADDRESS) throw wrong('to', 'Funds sent to the burn account are lost.', 'invalid_account')
  const text = fromTyped(fields.get('amount'), 'NANO')
  const amount = text.toLowerCase() === 'all' ? 'all' : parseNano(text)
  if (amount === undefined || amount === 0n) {
    throw wrong('amount', 'Enter an amount such as 1.5, or all.', 'invalid_amount')
  }
  return { to, amount }
}

/** Refuses early what the send itself would refuse. */
async function refuseHopeless(ctx: WalletContext, wallet: Wallet, amount: Raw | 'all'): Promise<void> {
  const { sendMax } = ctx.rules
  if (wallet.frozenAt !== null) throw walletFrozen()
  const ledger = await readLedger(ctx, wallet)
  const held = ledger && ledger.balance + ledger.receivable
  const asked = amount === 'all' ? held : amount
  if (held !== undefined && (held === 0n || asked! > held)) return besideAmount(insufficientFunds())
  if (sendMax > 0n && asked !== undefined && asked > sendMax) besideAmount(sendTooLarge(formatNano(sendMax)))
}

function besideAmount(error: unknown): never {
  const isOfAmount = error instanceof AppError && OF_AMOUNT.has(error.code) && error.body.field === undefined
  if (!isOfAmount) throw error
  throw new AppError(error.code, error.message, { body: { ...error.body, field: 'amount' } })
}

const wrong = (field: string, text: string, code: 'invalid_account' | 'invalid_amount' | 'username_not_found') =>
  new AppError(code, text, { body: { field } })

/** 404 for a missing wallet, and for one of another account. */
export async function getOwn(db: Db, accountId: string, address: string): Promise<Wallet> {
  try {
    return await getOwnedWallet(db, accountId, address)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'wallet_not_found') throw error
    throw new AppError('not_found', error.message)
  }
}

/** The current balance. Without a node, the page lacks only this. */
export async function readLedger(ctx: WalletContext, wallet: Wallet): Promise<Balance | undefined> {
  try {
    return await readBalance(ctx, wallet)
  } catch {
    // The page shows the balance as unknown; the node module has logged the reason.
    return undefined
  }
}

/** The wallet's name in its metadata. */
const nameOf = ({ metadata }: Pick<Wallet, 'metadata'>) =>
  typeof metadata?.name === 'string' ? metadata.name : undefined
