import { overLimit } from '../../../kernel/errors.ts'
import { formatNano } from '../../../kernel/money.ts'
import type { DevelopmentLedger } from '../../../kernel/ports.ts'
import type { Fields, Route, RouteLimit } from '../../../kernel/route.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import type { CheckoutContext } from '../context.ts'
import {
  cancelCheckout,
  expireCheckout,
  fundAddress,
  payCheckout,
  readBlockHash,
  readFunding,
  readWay,
} from '../developer.ts'
import { openCheckout } from '../domain/open.ts'
import { showRecord } from '../domain/show.ts'
import { badField } from '../errors.ts'
import { readCheckout } from '../wire-fields.ts'

const WAITING_SHOWN_MAX = 100
/** The sample order of the first page. Nobody has the key of its address. */
const COFFEE = {
  address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
  amount: '1',
  title: 'One coffee',
  description: 'A payment to try, with play money.',
}

const LIMIT: RouteLimit = {
  bucket: 'developer',
  perMinute: 120,
  refuse({ perMinute }) {
    const detail = `${perMinute} requests a minute from one address play with the development ledger.`
    return overLimit(detail, 5)
  },
}

/** Lets developers act as payer, merchant and network on the development ledger. */
export function developerRoutes(ctx: CheckoutContext, ledger: DevelopmentLedger): readonly Route[] {
  const does = (path: string, run: (fields: Fields, id: string) => Promise<JsonObject>): Route => ({
    method: 'POST',
    path: `/developer/${path}`,
    access: 'developer',
    limit: LIMIT,
    async run({ fields: read, params: { id = '' } }) {
      const fields = read()
      const json = await run(fields, id)
      // A form is redirected to its page; a program gets the result as JSON.
      const back = readOwnPath(fields.return)
      return back === undefined ? { json } : { goTo: back }
    },
  })
  return [
    { method: 'GET', path: '/developer', access: 'developer', limit: LIMIT, run: () => ({ json: showLedger(ledger) }) },
    does('checkouts/:id/pay', async (fields, id) => {
      const request = { id, way: readWay(fields), plan: readPlan(fields), choice: fields.choice }
      const { hash, amountRaw } = await payCheckout(ctx, ledger, request)
      return { success: true, hash, amount: formatNano(amountRaw), amount_raw: amountRaw.toString() }
    }),
    does('checkouts/:id/expire', async (_fields, id) => ({
      success: true,
      checkout: await showRecord(ctx, await expireCheckout(ctx, id)),
    })),
    does('checkouts/:id/cancel', async (_fields, id) => ({
      success: true,
      checkout: await showRecord(ctx, await cancelCheckout(ctx, id)),
    })),
    does('fund', async (fields) => ({ success: true, hash: await fundAddress(ctx, ledger, readFunding(fields)) })),
    {
      method: 'POST',
      path: '/developer/coffee',
      // The checkout has no owner and anyone may make it; it is paid by a developer's button or by a wallet.
      access: 'open',
      limit: LIMIT,
      async run() {
        const rules = { currencies: ctx.ports.prices.currencies, plainHttpAllowed: true }
        const { checkout } = await openCheckout(ctx, { kind: 'anonymous' }, readCheckout(COFFEE, rules))
        return { goTo: `/pay/${checkout.id}` }
      },
    },
    does('hold', () => {
      ledger.hold()
      return Promise.resolve(showLedger(ledger))
    }),
    does('confirm', async (fields) => {
      const hash = readBlockHash(fields)
      await (hash === undefined ? ledger.release() : ledger.confirm(hash))
      return showLedger(ledger)
    }),
  ]
}

function showLedger(ledger: DevelopmentLedger): JsonObject {
  const waiting = ledger.listWaiting()
  return {
    holds: ledger.holds,
    waiting_count: waiting.length,
    waiting: waiting.slice(0, WAITING_SHOWN_MAX).map(({ hash, from, amountRaw }) => ({
      hash,
      from,
      amount: formatNano(amountRaw),
      amount_raw: amountRaw.toString(),
    })),
  }
}

function readPlan({ plan }: Fields): number | undefined {
  if (plan === undefined || plan === '') return undefined
  if (!/^[0-9]{1,2}$/.test(textOf(plan))) throw badField('plan', 'plan must be the number of a plan, from 0.')
  return Number(plan)
}

/** A path of this gateway to which a form wants to return; undefined for anything that could lead to another site. */
function readOwnPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 512) return undefined
  return /^\/(?:[a-z0-9][\w./-]*)?(?:\?[\w.=&%-]*)?(?:#[\w-]*)?$/i.test(value) ? value : undefined
}
