import assert from 'node:assert/strict'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { BACKGROUND, readLines } from '../failures/reported.ts'
import { Signer, give } from './blocks.ts'
import { type Gateway, type Reply, bearer, readMetrics } from './gateway.ts'
import { query } from './postgres.ts'
import { until } from './until.ts'

/* Merchants and customers who continue while the store of their gateway restarts or is replaced. */

const CALLERS = 4
const BETWEEN = 15
/** The first request with the key has not ended, and may still be running. */
const STILL_RUNNING = 'idempotency_in_flight'

/** Merchants who make checkouts one after another, retrying each until it is made, and read it back. With `pays`, each is paid at once. */
export async function beginSales(gateway: Gateway, { pays = false } = {}) {
  const { key } = await gateway.join()
  const end = new AbortController()
  const sales = { made: new Set<string>(), away: 0, wrong: [] as string[] }
  const judge = (reply: Reply): boolean => {
    if (reply.status === 200) return true
    const { code } = reply.json()
    if (code === 'store_unavailable' && reply.headers['retry-after'] !== undefined) sales.away++
    else if (code !== STILL_RUNNING) sales.wrong.push(`${reply.status} ${reply.text}`)
    return false
  }
  const sell = async (merchant: number) => {
    for (let sale = 0; !end.signal.aborted; sale++) {
      const headers = { ...bearer(key), 'idempotency-key': `${merchant} ${sale}` }
      let made: Reply
      do {
        if (sales.wrong.length > 0) return
        made = await gateway.call('checkout', { address: new Signer(merchant).address, amount: '1' }, headers)
      } while (!judge(made))
      const { id, address, amount_raw: amount } = made.json()
      sales.made.add(id!)
      if (pays) await give(gateway.app.devnet!.node, fromAddress(address!)!, toRaw(BigInt(amount!)))
      judge(await gateway.rest('GET', `/api/checkouts?limit=1`, key))
      const read = await gateway.call('block_count')
      if (read.status !== 200) sales.wrong.push(`a read of the ledger: ${read.text}`)
    }
  }
  const selling = Array.from({ length: CALLERS }, (_, merchant) => sell(merchant + 1))
  return {
    ...sales,
    get away() {
      return sales.away
    },
    /** Waits for some more to be made. */
    async more() {
      const goal = sales.made.size + BETWEEN
      await until(() => sales.made.size >= goal || sales.wrong.length > 0)
    },
    /** Waits until a request has failed because the store is unreachable. */
    async missed() {
      const before = sales.away
      await until(() => sales.away > before || sales.wrong.length > 0)
    },
    async stop() {
      end.abort()
      await Promise.all(selling)
    },
  }
}

export async function assertNobodyWoken(gateway: Gateway, url: string): Promise<void> {
  const text = await readMetrics(gateway)
  const alarms = text
    .split('\n')
    .filter((line) => line.startsWith(`${BACKGROUND}{`) && /kind="(alarm|failure)"} [^0]/.test(line))
  assert.deepEqual(alarms, [], 'no alarm')
  assert.deepEqual(
    readLines(gateway.log()).filter(({ kind }) => kind !== 'outage' && kind !== 'loss'),
    [],
  )
  assert.deepEqual(await query(url, `select kind, last_error from jobs where status = 'dead'`), [])
}
