import { actorOf } from '../../../kernel/actor.ts'
import type { Db } from '../../../kernel/db.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { badField } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { openCheckout, readCheckout } from '../../checkout/index.ts'
import { posPaused, saleKeyUsed, totalChanged } from '../errors.ts'
import type { PosContext } from '../context.ts'
import { type PosSale, findSaleByKey, insertSale } from '../sales-store.ts'
import type { PointOfSale } from '../point-of-sale.ts'
import { formatUnits, parseUnits, tipOn } from './units.ts'

const KEY = /^[\w-]{16,64}$/
const LINES_MAX = 100
const QUANTITY_MAX = 999
const DESCRIPTION_MAX = 1_000
/** Short, because the customer is at the till. */
const LASTS = '15 minutes'

type Body = Readonly<Record<string, unknown>>

interface Line {
  title: string
  price: string
  quantity: number
}

interface Asked {
  key: string
  lines: Line[]
  totalUnits: bigint
  total: string
  tipUnits: bigint
}

/** Makes the checkout of one tap, or finds the one that it has made already. */
export async function sell(context: PosContext, pos: PointOfSale, body: Body): Promise<PosSale> {
  const { checkouts: ctx } = context
  const asked = readSale(pos, body)
  const known = await findMade(ctx.db, pos, asked)
  if (known) return known
  if (pos.isPaused) throw posPaused()
  const { ports } = ctx
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  const request = readCheckout(toCheckoutBody(pos, asked), rules)
  try {
    await openCheckout(ctx, callerOf(pos), request, sellOnce(context, pos, asked))
  } catch (error) {
    // The same tap was sent twice at once, and the other request has made it.
    if (!isUniqueViolation(error)) throw error
  }
  // Read in a transaction, because the other request may not have committed yet.
  const made = await ctx.db.transaction().execute((tx) => findMade(tx, pos, asked))
  if (!made) throw new Error(`The sale of ${pos.id} was made and is not there.`)
  return made
}

async function findMade(db: Db, pos: PointOfSale, { key, totalUnits }: Asked): Promise<PosSale | undefined> {
  const made = await findSaleByKey(db, pos.id, key)
  if (made && made.totalUnits !== totalUnits) throw saleKeyUsed()
  return made
}

/**
 * The caller that makes a sale's checkout. The checkout belongs to the merchant; the point of sale stands in place of a key, because everyone with
 * its link can make checkouts, as everyone can with a public key. Such checkouts are counted separately.
 */
const callerOf = ({ owner, id }: PointOfSale) =>
  ({
    kind: 'account',
    accountId: owner,
    role: 'user',
    prepaid: false,
    access: 'secret-key',
    keyId: id,
    actor: actorOf.payer(),
    rights: undefined,
  }) as const

/** Stores the sale in the transaction that makes its checkout, so that both exist or neither does. */
function sellOnce({ checkouts: { clock } }: PosContext, pos: PointOfSale, asked: Asked): Idempotency {
  const { key: saleKey, totalUnits, tipUnits } = asked
  return {
    key: saleKey,
    resumed: false,
    made: undefined,
    record: (tx, made) =>
      insertSale(tx, {
        checkoutId: textOf(made.id),
        posId: pos.id,
        saleKey,
        totalUnits,
        tipUnits,
        createdAt: clock.now(),
      }),
  }
}

function toCheckoutBody(pos: PointOfSale, { lines, total, tipUnits }: Asked): JsonObject {
  const { id, title, currency, address } = pos
  const description = lines.map((line) => `${line.quantity} × ${line.title}`).join('\n')
  const tip = tipUnits === 0n ? {} : { tip: formatUnits(currency, tipUnits)! }
  const items = lines.map((line): JsonObject => ({ ...line }))
  // A long order does not fit into metadata; the description lists it as well.
  const listed = JSON.stringify(items).length <= 3_000 && items.length <= 40 ? { items } : {}
  return {
    address,
    currency,
    amount: total,
    title,
    ...(description !== '' && { description: description.slice(0, DESCRIPTION_MAX) }),
    metadata: { point_of_sale: { id, ...tip, ...listed } },
    expire: LASTS,
  }
}

/** Reads the cashier's entries. The price is computed here, and must equal the total that the page showed. */
function readSale(pos: PointOfSale, body: Body): Asked {
  const { currency } = pos
  const key = typeof body.key === 'string' ? body.key : ''
  if (!KEY.test(key)) throw badField('key', 'key must be 16 to 64 letters, digits and dashes, new for each sale.')
  const lines = readLines(pos, body.items)
  const typed = readUnits(currency, 'amount', body.amount) ?? 0n
  const sum = lines.reduce((all, { price, quantity }) => all + parseUnits(currency, price)! * BigInt(quantity), typed)
  if (sum === 0n) throw badField('amount', 'Enter an amount.', 'invalid_amount')
  const tipUnits = readTip(pos, body.tip, sum)
  const totalUnits = sum + tipUnits
  const total = formatUnits(currency, totalUnits)
  if (total === undefined) throw badField('amount', 'This is more than the total supply of nano.', 'invalid_amount')
  if (readUnits(currency, 'total', body.total) !== totalUnits) throw totalChanged(total)
  return { key, lines, totalUnits, total, tipUnits }
}

function readUnits(currency: string, field: string, value: unknown): bigint | undefined {
  if (given(value) === undefined) return undefined
  const units = typeof value === 'string' ? parseUnits(currency, value.trim()) : undefined
  if (units === undefined) throw badField(field, 'Invalid amount number', 'invalid_amount')
  return units
}

function readLines({ items }: PointOfSale, value: unknown): Line[] {
  const lines = given(value) ?? []
  if (!Array.isArray(lines) || lines.length > LINES_MAX) {
    throw badField('items', `items must be a list of up to ${LINES_MAX} lines.`)
  }
  return lines.map((line: unknown, at): Line => {
    const { item, quantity } = (typeof line === 'object' && line !== null ? line : {}) as Body
    const chosen = Number.isInteger(item) ? items[item as number] : undefined
    if (!chosen) throw badField(`items[${at}]`, 'Item not found.')
    const isCount = Number.isInteger(quantity) && Number(quantity) >= 1 && Number(quantity) <= QUANTITY_MAX
    if (!isCount) throw badField(`items[${at}].quantity`, `quantity must be from 1 to ${QUANTITY_MAX}.`)
    return { ...chosen, quantity: Number(quantity) }
  })
}

function readTip({ tips, currency }: PointOfSale, value: unknown, sum: bigint): bigint {
  if (given(value) === undefined || value === 0) return 0n
  if (!tips.some((percent) => percent === value)) throw badField('tip', 'tip must be one of the offered tips.')
  return tipOn(currency, sum, value as number)
}
