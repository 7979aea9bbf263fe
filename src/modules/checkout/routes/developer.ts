import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { formatNano } from '../kernel/money.ts'
import type { BurstLimits, PlayLedger } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  type CheckoutCtx,
  badField,
  cancelCheckout,
  expireCheckout,
  fundAddress,
  payCheckout,
  readBlockHash,
  readFunding,
  readWay,
  showRecord,
} from '../modules/checkout/index.ts'
import type { DeveloperDoor } from './developer-door.ts'
import { type Fields, readForm, readOwnPath } from './forms.ts'
import { answerErrors, readBodies } from './rest.ts'
import { refuseOtherPages } from './session.ts'

const REQUESTS_PER_MINUTE_MAX = 120
const WAITING_SHOWN_MAX = 100

interface DeveloperRoutesOptions {
  ctx: CheckoutCtx
  /** Undefined with real nodes: then nothing of this exists. */
  ledger: PlayLedger | undefined
  door: DeveloperDoor
  burst: BurstLimits
  baseUrl(): string
  ipOf(request: IncomingMessage): string
  onError(error: unknown, requestId: string): void
}

/** Plays payer, merchant and network on the embedded ledger, for whoever tries things out. */
export function mountDeveloper(server: FastifyInstance, options: DeveloperRoutesOptions): void {
  const { ctx, ledger, door, burst, baseUrl, ipOf } = options
  if (!ledger) return
  void server.register(
    (developer, _options, done) => {
      readBodies(developer)
      answerErrors(developer, options)
      developer.addHook('onRequest', async (request, reply) => {
        void reply.header('cache-control', 'no-store')
        // Otherwise any page in the same browser could play with the ledger of this machine.
        refuseOtherPages(request.headers, baseUrl())
        const { allowed } = await burst.take(`developer:${ipOf(request.raw)}`, REQUESTS_PER_MINUTE_MAX)
        if (!allowed) {
          const detail = `${REQUESTS_PER_MINUTE_MAX} requests a minute from one address play with the embedded ledger.`
          throw new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds: 5, body: { detail } })
        }
        await door.require(request)
      })
      const does = (path: string, run: (fields: Fields, id: string) => Promise<JsonObject>) =>
        developer.post(path, async (request, reply) => {
          const fields = readForm(request)
          const result = await run(fields, (request.params as { id?: string }).id ?? '')
          // A form goes back to the page it stands on; a program gets the result.
          const back = readOwnPath(fields.return)
          return back === undefined ? result : reply.redirect(back, 303)
        })

      developer.get('/', () => Promise.resolve(showLedger(ledger)))
      does('/checkouts/:id/pay', async (fields, id) => {
        const request = { id, way: readWay(fields), plan: readPlan(fields), choice: fields.choice }
        const { hash, amountRaw } = await payCheckout(ctx, ledger, request)
        return { success: true, hash, amount: formatNano(amountRaw), amount_raw: amountRaw.toString() }
      })
      does('/checkouts/:id/expire', async (_fields, id) => ({
        success: true,
        checkout: await showRecord(ctx, await expireCheckout(ctx, id)),
      }))
      does('/checkouts/:id/cancel', async (_fields, id) => ({
        success: true,
        checkout: await showRecord(ctx, await cancelCheckout(ctx, id)),
      }))
      does('/fund', async (fields) => ({ success: true, hash: await fundAddress(ctx, ledger, readFunding(fields)) }))
      does('/hold', () => {
        ledger.hold()
        return Promise.resolve(showLedger(ledger))
      })
      does('/confirm', async (fields) => {
        const hash = readBlockHash(fields)
        await (hash === undefined ? ledger.release() : ledger.confirm(hash))
        return showLedger(ledger)
      })
      done()
    },
    { prefix: '/developer' },
  )
}

function showLedger(ledger: PlayLedger): JsonObject {
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
  if (!/^[0-9]{1,2}$/.test(String(plan))) throw badField('plan', 'plan must be the number of a plan, from 0.')
  return Number(plan)
}
