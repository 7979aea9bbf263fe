import { exactNano, receiveFunds } from '../../src/exports/x402.ts'
import type { World } from '../world.ts'

export const title = 'A call bought without an account (x402)'

interface Terms {
  x402Version: number
  accepts: { network: string; amount: string; asset: string; payTo: string }[]
}

const fromHeader = (text: string | null) => JSON.parse(Buffer.from(text ?? '', 'base64').toString()) as unknown

export async function run(world: World): Promise<void> {
  const { screen } = world
  const { privateKey, address } = world.createAccount()
  const wallet = { privateKey, rpcUrl: world.app.url }
  screen.say('A program without a key has 0.01 nano of its own, from the development ledger:')
  await world.fund(address, '0.01')
  await receiveFunds(wallet)
  screen.say('It asks for something that has a price. The gateway answers with its terms:')
  const asked = { account: address, count: '1' }
  const refused = await world.rpc('account_history', asked)
  if (refused.status !== 402) throw new Error(`402 was expected, and ${refused.status} came.`)
  const terms = fromHeader(refused.headers.get('payment-required')) as Terms
  const [accepted] = terms.accepts
  screen.say('It signs a block for exactly this price, does not publish it, and sends it along with the same request:')
  const { payload } = await exactNano(wallet).createPaymentPayload(terms.x402Version, accepted!)
  const signature = Buffer.from(JSON.stringify({ x402Version: terms.x402Version, accepted, payload })).toString(
    'base64',
  )
  const paid = await world.rpc('account_history', asked, { 'PAYMENT-SIGNATURE': signature })
  const receipt = fromHeader(paid.headers.get('payment-response')) as { success: boolean; transaction: string }
  if (paid.status !== 200 || !receipt.success) throw new Error('The payment was not taken.')
  screen.done(`Paid and served: block ${receipt.transaction}`)
}
