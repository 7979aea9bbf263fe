import type { CheckoutRoom } from '../room.ts'
import type { Payment } from '../payments-store.ts'
import { type Refund, listExportedRefunds } from '../refunds/store.ts'
import { listCheckoutsById, listExported } from '../report-store.ts'
import { CSV_HEADER, toCsvLine, toRefundLine } from './csv.ts'

const ROWS_MAX = 50_000
const PAGE = 500
/** Characters that are written at once. */
const CHUNK = 65_536

/** Every payment and every refund as CSV, newest first, page by page: memory does not grow with the tables. */
export async function* exportPayments(ctx: CheckoutRoom, owner: string | undefined): AsyncGenerator<string> {
  yield CSV_HEADER
  const [payments, refunds] = [paymentLines(ctx, owner), refundLines(ctx, owner)]
  let [payment, refund] = [await payments.next(), await refunds.next()]
  let text = ''
  while (payment.done !== true || refund.done !== true) {
    if (refund.done === true || (payment.done !== true && payment.value.at > refund.value.at)) {
      if (payment.done !== true) text += payment.value.line
      payment = await payments.next()
    } else {
      text += refund.value.line
      refund = await refunds.next()
    }
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

interface Line {
  at: number
  line: string
}

async function* paymentLines({ db, names }: CheckoutRoom, owner: string | undefined): AsyncGenerator<Line, undefined> {
  let after: Payment | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listExported(db, { owner, after, limit: PAGE })
    for (const row of page) yield { at: row.payment.createdAt, line: toCsvLine(row, names) }
    if (page.length < PAGE) return undefined
    after = page.at(-1)!.payment
  }
  return undefined
}

async function* refundLines({ db, names }: CheckoutRoom, owner: string | undefined): AsyncGenerator<Line, undefined> {
  let after: Refund | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listExportedRefunds(db, { owner, after, limit: PAGE })
    const checkouts = await listCheckoutsById(db, [...new Set(page.map(({ checkoutId }) => checkoutId))])
    for (const refund of page) {
      const checkout = checkouts.get(refund.checkoutId)!
      yield { at: refund.createdAt, line: toRefundLine({ refund, checkout }, names) }
    }
    if (page.length < PAGE) return undefined
    after = page.at(-1)
  }
  return undefined
}
