import type { World } from '../world.ts'

export const title = 'Money for somebody of whom only an email address is known'

interface Mail {
  recipient: string
  text: string
}

export async function run(world: World): Promise<void> {
  const { screen } = world
  const headers = { Authorization: `Bearer ${world.key}` }
  screen.say('Bob wants to send 0.5 nano to alice@example.com. The gateway says where to pay:')
  const { body: payment } = await world.rpc(
    'nano_email',
    {
      emails: ['alice@example.com'],
      amount: '0.5',
      from: 'Bob',
      message: 'Thank you!',
      refund_address: world.createAccount().address,
    },
    headers,
  )
  screen.say('The development ledger pays for Bob:')
  await world.fund(String(payment.address), '0.5')
  screen.say('Now a mail goes out. No mail server is set here, so the gateway keeps it for us to read:')
  const admin = { Authorization: `Bearer ${world.app.createdKey}` }
  const findMail = async () => {
    const response = await fetch(`${world.app.url}/api/mails`, { headers: admin })
    const { mails } = (await response.json()) as { mails: Mail[] }
    return mails.find(({ recipient }) => recipient === 'alice@example.com')
  }
  await world.until(async () => (await findMail()) !== undefined)
  const { text } = (await findMail())!
  screen.quote(text)
  const code = /\/claim#(\S+)/.exec(text)?.[1]
  if (code === undefined) throw new Error('The mail has no link.')
  screen.say('Alice opens the link and says where it should go:')
  const { address } = world.createAccount()
  const { body: share } = await world.request('POST', '/claim', { code, address }, { Accept: 'application/json' })
  if (share.status !== 'claimed') throw new Error(`The share is ${String(share.status)}.`)
  screen.done('Her share is on its way, once and to this address alone.')
}
