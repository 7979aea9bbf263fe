// Counts the files of src that run during one payment and one wallet send, from V8's coverage.
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const load = (file) => import(pathToFileURL(join(import.meta.dirname, '..', file)).href)
const { openGateway } = await load('test/support/gateway.ts')
const { until } = await load('test/support/until.ts')
const { clientWith } = await load('test/support/wallet-client.ts')
const { openReceiver } = await load('test/support/webhook-steps.ts')
const { fromAddress } = await load('src/kernel/nano/address.ts')
const { Signer } = await load('test/support/blocks.ts')

const BLOCK = { DEVNET_CONFIRM_MS: '0' }

export async function walkThrough(root) {
  const engine = new Session()
  engine.connect()
  await engine.post('Profiler.enable')
  await engine.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const source = pathToFileURL(`${root}/src/`).href
  /** Files of the development ledger, and loading a file, do not count. */
  const during = async (run) => {
    await engine.post('Profiler.takePreciseCoverage')
    await run()
    const { result } = await engine.post('Profiler.takePreciseCoverage')
    return result
      .filter(({ url, functions }) => url.startsWith(source) && functions.some(isCalled))
      .map(({ url }) => `src/${url.slice(source.length)}`)
      .filter((file) => !file.startsWith('src/devnet/'))
      .sort()
  }
  const isCalled = ({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0
  const ends = []
  const life = { after: (end) => ends.unshift(end) }
  try {
    return [
      { name: 'a payment', files: await walkPayment(life, during) },
      { name: 'a wallet send', files: await walkSend(life, during) },
    ]
  } finally {
    for (const end of ends) await end()
  }
}

/** From the confirmed block to the delivered webhook. */
async function walkPayment(life, during) {
  const gateway = await openGateway(life, BLOCK)
  const receiver = await openReceiver(life)
  const { node } = gateway.app.devnet
  const { address } = new Signer(1)
  const fields = { address, amount: '1', webhook_url: receiver.url }
  const made = (await gateway.rest('POST', '/api/checkouts', gateway.app.createdKey, fields)).json()
  node.hold()
  const hash = await node.fund(fromAddress(address), BigInt(made.amount_raw))
  const isIn = (table, state) => async () => {
    const rows = await gateway.ctx.db.selectFrom(table).selectAll().execute()
    return rows.some((row) => row.status === state || row.state === state)
  }
  await until(isIn('checkouts', 'detected'))
  return during(async () => {
    await node.confirm(hash)
    await until(isIn('deliveries', 'delivered'))
  })
}

/** From the request to its answer. */
async function walkSend(life, during) {
  const gateway = await openGateway(life, BLOCK)
  const client = clientWith(gateway, gateway.app.createdKey)
  const from = await client.create()
  await client.deposit(from, '2')
  await client.ask({ receive: true, account: from })
  const to = new Signer(2).address
  return during(() => client.ask({ send: to, amount: '1', account: from }))
}
