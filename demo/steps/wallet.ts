import type { World } from '../world.ts'

export const title = 'A cloud wallet that shares what is left among three'

const SIX_MINUTES = 6 * 60_000

export async function run(world: World): Promise<void> {
  const { screen } = world
  const headers = { authorization: `Bearer ${world.key}` }
  const heirs = [world.createAccount().address, world.createAccount().address, world.createAccount().address]
  const { body: wallet } = await world.rpc('cloud_wallet', { refund_address: heirs, expire: '5 minutes' }, headers)
  const account = String(wallet.address)
  await world.fund(account, '3')
  await world.rpc('cloud_wallet', { receive: true, account }, headers)
  screen.say('Some of it is sent. The Idempotency-Key makes a repeated request the same payment.')
  const send = { send: world.createAccount().address, amount: '0.75', account }
  await world.rpc('cloud_wallet', send, { ...headers, 'idempotency-key': 'payout-17' })
  screen.say('Five minutes go by: the tour turns the clock of its gateway.')
  world.pass(SIX_MINUTES)
  const shares = async () => {
    const response = await fetch(world.app.url, {
      method: 'POST',
      body: JSON.stringify({ action: 'accounts_balances', accounts: heirs }),
    })
    const { balances } = (await response.json()) as { balances: Record<string, { receivable_nano: string }> }
    return heirs.map((heir) => balances[heir]!.receivable_nano)
  }
  await world.until(async () => (await shares()).every((share) => share !== '0'))
  await world.rpc('accounts_balances', { accounts: heirs })
  const [first, ...others] = await shares()
  if (first !== '0.75' || others.some((share) => share !== first)) throw new Error('The shares are not equal.')
  screen.done('2.25 nano were left: each of the three has 0.75 waiting.')
}
