import type { World } from '../world.ts'

export const title = 'A username, bought and used'

interface Offer {
  available: boolean
  address: string
  check: string
  plans: { title: string; value: string }[]
}

export async function run(world: World): Promise<void> {
  const { screen } = world
  const headers = { Authorization: `Bearer ${world.key}` }
  screen.say('Is the name free, and what does it cost?')
  const { body } = await world.rpc('get_name', { name: 'alice' })
  const { available, address, check, plans } = body as unknown as Offer
  if (!available) throw new Error('The name is taken.')
  screen.say('The name belongs to the address that pays for it. Here that is a new cloud wallet:')
  const refund = world.createAccount().address
  const { body: wallet } = await world.rpc('cloud_wallet', { refund_address: refund }, headers)
  const account = String(wallet.address)
  const [, plan] = plans
  screen.say('The development ledger gives it 50 nano:')
  await world.fund(account, '50')
  screen.say(`The wallet pays for ${plan!.title}:`)
  await world.rpc('cloud_wallet', { send: address, amount: plan!.value, account }, headers)
  const isPaid = async () => {
    const response = await fetch(check)
    return ((await response.json()) as { status: string }).status === 'complete'
  }
  await world.until(isPaid)
  screen.say(`@alice is leased for ${plan!.title}, and can be used instead of an address:`)
  const { body: balance } = await world.rpc('account_balance', { account: '@alice' })
  if (balance.address !== account) throw new Error('The name stands for another address.')
  screen.done('The name belongs to the address that paid.')
}
