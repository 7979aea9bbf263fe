import type { CheckoutRoom } from '../room.ts'
import type { Payment } from '../payments-store.ts'
import { listExported } from '../report-store.ts'
import { CSV_HEADER, toCsvLine } from './csv.ts'

const ROWS_MAX = 50_000
const PAGE = 500

/** Every payment as CSV, newest first, page by page: memory does not grow with the table. */
export async function* exportPayments({ db, names }: CheckoutRoom, owner: string | undefined): AsyncGenerator<string> {
  yield CSV_HEADER
  let after: Payment | undefined
  for (let rows = 0; rows < ROWS_MAX; rows += PAGE) {
    const page = await listExported(db, { owner, after, limit: PAGE })
    if (page.length > 0) yield page.map((row) => toCsvLine(row, names)).join('')
    if (page.length < PAGE) return
    after = page.at(-1)!.payment
  }
}
