import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { verifyWebhook } from './verify-webhook.ts'

/*
 * Receives a gateway's webhooks for a shop whose orders are in a file: {"A-1": {"amount_raw": "1500…"}}. Replace the file with your own database and keep
 * the order of the checks. Run it with `node receiver.ts`.
 */

const { WEBHOOK_SECRET = '', ORDERS = 'orders.json', PORT = '3000' } = process.env
const BODY_BYTES_MAX = 1_000_000

interface Event {
  id: string
  type: string
  checkout_id: string
  payment: { amount_raw: string }
  block: { hash: string; confirmed: string }
  metadata?: { order?: string } | null
}

/** Marks the order as paid, once, and returns a line for the log. */
function take({ id, type, checkout_id, payment, block, metadata }: Event): string {
  if (type !== 'payment.completed') return `${type}: nothing to do`
  const orders = JSON.parse(readFileSync(ORDERS, 'utf8')) as Record<string, { amount_raw: string; paid_by?: string }>
  const order = orders[metadata?.order ?? '']
  if (!order) return `${id}: no such order, checkout ${checkout_id}`
  if (order.paid_by !== undefined) return `${id}: ${metadata!.order} is paid already`
  const isEnough = BigInt(payment.amount_raw) >= BigInt(order.amount_raw)
  if (!isEnough || block.confirmed !== 'true') return `${id}: ${metadata!.order} was not paid in full, look at it`
  order.paid_by = block.hash
  writeFileSync(`${ORDERS}.new`, JSON.stringify(orders))
  renameSync(`${ORDERS}.new`, ORDERS)
  return `${id}: ${metadata!.order} is paid`
}

createServer((request, response) => {
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > BODY_BYTES_MAX) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    let event: Event
    try {
      event = verifyWebhook(Buffer.concat(chunks), request.headers, WEBHOOK_SECRET) as unknown as Event
    } catch (error) {
      response.writeHead(401).end(`${(error as Error).message}\n`)
      return
    }
    console.log(take(event))
    response.writeHead(204).end()
  })
}).listen(Number(PORT), '127.0.0.1')
