import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { give } from '../support/blocks.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

/* People paste the reference's examples first. Each is run and must give the answer shown. */

interface Content {
  content: Record<string, { examples: Record<string, { value: Record<string, unknown> }> }>
}

interface Described {
  paths: { '/': { post: { requestBody: Content; responses: Record<'200', Content> } } }
}

async function readExamples({ url }: Gateway) {
  const reply = await ask(`${url}/openapi.json`, { method: 'GET' })
  const { requestBody, responses } = reply.json<Described>().paths['/'].post
  const [requests, answers] = [requestBody, responses['200']].map(
    ({ content }) => content['application/json']!.examples,
  )
  return Object.entries(requests!).map(([name, { value }]) => ({
    name,
    request: value,
    response: answers![name]!.value,
  }))
}

interface Offer {
  address: string
  check: string
  plans: { value: string }[]
}

const NAMES_DATA = /^(nano_\w{60}|[0-9A-F]{64}|\d{4}-\d\d-\d\d)$/

/** What an answer lacks compared with its example: every field must be there, with the same type. */
function lacks(example: unknown, answer: unknown, path: string): string[] {
  // A null in an example may be anything in the answer.
  if (example === null) return []
  const kind = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)
  if (kind(example) !== kind(answer)) return [`${path} is ${kind(answer)} and not ${kind(example)}`]
  if (Array.isArray(example)) {
    if (example.length === 0) return []
    const [first] = answer as unknown[]
    return first === undefined ? [`${path} is empty`] : lacks(example[0], first, `${path}[0]`)
  }
  if (typeof example !== 'object' || example === null) return []
  const given = answer as Record<string, unknown>
  return Object.entries(example).flatMap(([name, value]) => {
    if (name in given) return lacks(value, given[name], `${path}.${name}`)
    // A map of accounts, blocks or days: any other key will do.
    const other = NAMES_DATA.test(name) ? Object.keys(given).find((key) => NAMES_DATA.test(key)) : undefined
    return other === undefined ? [`${path}.${name} is missing`] : lacks(value, given[other], `${path}.${other}`)
  })
}

/** Makes the objects and the state that some examples need. */
async function prepare(gateway: Gateway, key: Record<string, string>): Promise<Record<string, () => Promise<object>>> {
  const { node } = gateway.app.devnet!
  const shop = fromAddress('nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8')!
  const hash = await node.fund(shop, parseNano('1000')!)
  await gateway.confirmed()
  const sell = async (address: string) => {
    const made = (await gateway.call('checkout', { address, amount: '2' }, key)).json()
    await node.release()
    await give(node, fromAddress(address)!, parseNano(made.amount!)!)
    await until(async () => (await ask(made.check!)).json().status === 'complete')
    return made.id
  }
  return {
    receivable_exists: async () => ({ hash }),
    nano_swap_status: async () => {
      const examples = await readExamples(gateway)
      const { request } = examples.find(({ name }) => name === 'nano_swap')!
      return { id: (await gateway.post(JSON.stringify(request))).json().id }
    },
    async confirmation_info() {
      node.hold()
      const held = await give(node, shop, parseNano('1')!)
      const { previous } = (await gateway.call('block_info', { hash: held })).json<{ contents: { previous: string } }>()
        .contents
      return { root: `${previous}${previous}` }
    },
    async checkout_report() {
      await sell(toAddress(shop))
      return {}
    },
    async checkout_status() {
      const made = await gateway.call('checkout', { address: toAddress(shop), amount: '2' }, key)
      return { id: made.json().id, wait_seconds: 0 }
    },
    async checkout_refund() {
      const { address } = (await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, key)).json()
      return { id: await sell(address!) }
    },
    async update_name() {
      const offer = (await gateway.call('get_name', { name: 'alice' })).json<Offer>()
      await give(node, fromAddress(offer.address)!, parseNano(offer.plans[0]!.value)!)
      await until(async () => (await ask(offer.check)).json().status === 'complete')
      return {}
    },
    async faucet_claim() {
      const open = { nano_address: toAddress(shop) }
      await until(async () => (await gateway.call('faucet_check', open)).json<{ eligible: boolean }>().eligible)
      return open
    },
    async watch() {
      const body = JSON.stringify({ url: 'https://shop.example/hooks' })
      const made = await ask(`${gateway.url}/api/webhook-endpoints`, { headers: key, body })
      return { endpoint: made.json().id }
    },
    async rpc_credits() {
      await gateway.app.usage.flush()
      return {}
    },
  }
}

test('every example of the reference runs on a new ledger and answers what it shows', async (t) => {
  const known = { alias: 'Genesis', website: 'https://nano.org', location: 'Here' }
  const gateway = await openGateway(t, {
    DEVNET_TREASURY_NANO: '1000000',
    KNOWN_NAMES: JSON.stringify({ genesis: toAddress(DEV_NETWORK.genesisAccount) }),
    KNOWN_REPS: JSON.stringify({ [toAddress(DEV_NETWORK.genesisAccount)]: known }),
  })
  const key = { authorization: `Bearer ${gateway.app.createdKey}` }
  const given = await prepare(gateway, key)
  const wrong: string[] = []
  // A block can be published only once and in order, so that example has its own test.
  for (const { name, request, response } of await readExamples(gateway)) {
    if (name === 'process') continue
    const body = { ...request, ...(await given[name]?.()) }
    const reply = await gateway.post(JSON.stringify(body), key)
    if (reply.status !== 200) wrong.push(`${name}: ${reply.text}`)
    else wrong.push(...lacks(response, reply.json<unknown>(), name))
  }
  assert.deepEqual(wrong, [])
})

test('the example of process is a block that the genesis account can begin with', async (t) => {
  const gateway = await openGateway(t)
  const { request, response } = (await readExamples(gateway)).find(({ name }) => name === 'process')!
  assert.deepEqual((await gateway.post(JSON.stringify(request))).json<unknown>(), response)
})
