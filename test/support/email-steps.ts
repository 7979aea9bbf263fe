import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { parseNano, type Raw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, fundsOf, give } from './blocks.ts'
import { TestClock, turnPacedBy, turningWhenStuck } from './clock.ts'
import { type Gateway, type Reply, ask, bearer, openGateway } from './gateway.ts'
import { type MailServer, openMailServer } from './mail-server.ts'

export const sender = new Signer(61).address
export const alice = new Signer(62).address
export const mallory = new Signer(63).address

export interface Made {
  id: string
  address: string
  browser: string
  check: string
  subtotal: number
  service_fee: number
  amount: number
  amount_raw: string
  special_message: string
  qrcode: string
  link: string
  emails: { email: string; amount: number; amount_raw: string }[]
  expiration: string
  refund_address: string
  expires_unix: number
  created_at: number
  status: string
}

export interface World {
  gateway: Gateway
  clock: TestClock
  mails: MailServer
  key: string
  accountId: string
  join: Gateway['join']
  /** Makes a payment that must succeed. */
  open(fields?: object, key?: string): Promise<Made>
  call(fields: object, key?: string): Promise<Reply>
  /** A confirmed deposit. */
  fund(address: string, amount: string | Raw): Promise<string>
  /** An address's balance plus everything receivable. */
  fundsOf(address: string): bigint
  /** The public status. */
  check(made: Made): Promise<Record<string, unknown> & { status: string }>
  /** Advances the clock until a condition is true, but never past unfinished work. */
  turnUntil(isSo: () => boolean | Promise<boolean>): Promise<void>
  untilStatus(made: Made, status: string): Promise<void>
  /** Waits until no wallet has pending work. */
  settle(): Promise<void>
  /** Claims with the code of a mail; without an address it only reads the share. */
  claim(code: string, address?: string): Promise<Reply>
  /** Lets the payment expire. Advancing the clock by weeks would end all leases. */
  letExpire(made: Made): Promise<void>
  rest(method: string, path: string, key?: string): Promise<Reply>
}

/** A whole gateway on the development ledger, with a real mail server and a test clock. */
export async function openWorld(t: TestContext, env: Record<string, string> = {}): Promise<World> {
  const clock = new TestClock()
  const mails = await openMailServer(t)
  const settings = {
    SMTP_URL: mails.url,
    MAIL_FROM: 'nano-gateway <noreply@gateway.test>',
    ...env,
  }
  const gateway = await openGateway(t, settings, clock)
  const { db } = gateway.app.store
  const { join } = gateway
  const { key, accountId } = await join()
  const { node } = gateway.app.devnet!
  const call: World['call'] = (fields, as = key) => gateway.call('nano_email', fields, as === '' ? {} : bearer(as))
  const turnUntil: World['turnUntil'] = (isSo) => turnPacedBy({ clock, db }, isSo)
  const world: World = {
    gateway,
    clock,
    mails,
    key,
    accountId,
    join,
    call,
    async open(fields = {}, as) {
      const reply = await call({ refund_address: sender, amount: '2', emails: ['alice@example.com'], ...fields }, as)
      if (reply.status !== 200) throw new Error(reply.text)
      return reply.json<Made>()
    },
    fund: (address, amount) =>
      give(node, fromAddress(address)!, typeof amount === 'string' ? parseNano(amount)! : amount),
    fundsOf: (address) => fundsOf(node, address),
    check: async ({ check }) => (await ask(check, { method: 'GET' })).json(),
    turnUntil,
    untilStatus: (made, status) => turnUntil(async () => (await world.check(made)).status === status),
    settle: () =>
      turnUntil(async () => {
        const blocks = await db
          .selectFrom('wallet_blocks')
          .select('id')
          .where('status', 'in', ['queued', 'signed', 'broadcast'])
          .execute()
        const ending = await db.selectFrom('wallets').select('id').where('status', '=', 'expiring').execute()
        return blocks.length + ending.length === 0
      }),
    claim(code, address) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ code, ...(address !== undefined && { address }) })
      return turningWhenStuck(clock, ask(`${gateway.url}/claim`, { headers, body }))
    },
    letExpire: async ({ id }) => {
      const now = clock.now()
      await db.updateTable('email_payments').set({ due_at: now, fund_by: now }).where('id', '=', id).execute()
      const funded = db.updateTable('email_payments').set({ expires_at: now }).where('id', '=', id)
      await funded.where('status', '=', 'funded').execute()
    },
    rest: (method, path, as = key) => gateway.rest(method, path, as),
  }
  return world
}

/** The code after the `#` of a mailed link. */
export function codeOf({ text }: { text: string }): string {
  return /\/claim#([\w-]{43})$/m.exec(text)![1]!
}

/** A funded payment whose mails were sent. */
export async function openFunded(t: TestContext, fields: object = {}, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const made = await world.open(fields)
  await world.fund(made.address, BigInt(made.amount_raw) as Raw)
  // A mail arrives a moment before its server acknowledges it.
  await world.turnUntil(async () => {
    const { recipients } = await world.check(made)
    return (recipients as { sent: number } | undefined)?.sent === made.emails.length
  })
  return { world, made, code: codeOf(world.mails.received[0]!) }
}

/** The same for Alice and others, with a sender who gets mails. */
export async function fundedForAlice(t: TestContext, fields: object = {}, env?: Record<string, string>) {
  const world = await openWorld(t, env)
  const made = await world.open({ email_receipt: 'sender@example.com', ...fields })
  await world.fund(made.address, BigInt(made.amount_raw) as Raw)
  await world.turnUntil(() => world.mails.received.length >= 1 + made.emails.length)
  return { world, made, code: codeOf(world.mails.to('alice@example.com')[0]!) }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }

/** Sends the form as a browser without scripts. */
export const submit = ({ gateway, clock }: World, fields: Record<string, string>, path = '/claim') =>
  turningWhenStuck(clock, ask(`${gateway.url}${path}`, { headers: FORM, body: new URLSearchParams(fields).toString() }))

export const decline = ({ gateway }: World, code: string) =>
  ask(`${gateway.url}/claim/decline`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })

/** All deposits must be with the recipients, the sender, the treasury, or in the wallet, to the raw. */
export async function assertAccounted(
  world: World,
  made: Made,
  deposited: bigint,
  others: string[] = [],
): Promise<void> {
  const treasury = await world.gateway.app.store.db
    .selectFrom('wallets')
    .select('address')
    .where('purpose', '=', 'treasury')
    .executeTakeFirstOrThrow()
  const places = [made.address, sender, treasury.address, ...others]
  const held = places.reduce((sum, address) => sum + world.fundsOf(address), 0n)
  assert.equal(held, deposited, 'not one raw was lost or made')
}
