import type { World } from '../world.ts'

export const title = 'A cloud wallet that shares what is left among three'

const SIX_MINUTES = 6 * 60_000

export async function run(world: World): Promise<void> {
  const { screen } = world
  const headers = { Authorization: `Bearer ${world.key}` }
  const heirs = [world.createAccount().address, world.createAccount().address, world.createAccount().address]
  screen.say('A wallet for five minutes. What is left in it then goes to three addresses:')
  const { body: wallet } = await world.rpc('cloud_wallet', { refund_address: heirs, expire: '5 minutes' }, headers)
  const account = String(wallet.address)
  screen.say('The development ledger sends 3 nano to it, and the wallet receives them:')
  await world.fund(account, '3')
  await world.rpc('cloud_wallet', { receive: true, account }, headers)
  screen.say('It sends 0.75 of them. If this request is repeated with the same Idempotency-Key, nothing is sent twice:')
  const send = { send: world.createAccount().address, amount: '0.75', account }
  await world.rpc('cloud_wallet', send, { ...headers, 'Idempotency-Key': 'payout-17' })
  screen.say('Five minutes pass: the tour sets the clock of its gateway forward. What have the three now?')
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
