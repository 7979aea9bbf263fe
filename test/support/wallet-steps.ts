import { OPERATOR } from '../../src/kernel/actor.ts'
import type { TestContext } from 'node:test'
import { AppError } from '../../src/kernel/errors.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, hashBlock } from '../../src/kernel/nano/block.ts'
import { toSigningKey } from '../../src/kernel/nano/keys.ts'
import { sendFromWallet } from '../../src/modules/wallets/domain/send.ts'
import { getEncryptedKey } from '../../src/modules/wallets/keys-store.ts'
import { findWalletByAddress } from '../../src/modules/wallets/store.ts'
import { Signer, frontierOf, nano, publish } from './blocks.ts'
import { testRandom } from './random.ts'
import { type Instance, type WalletWorld, type WorldOptions, openWalletWorld } from './wallet-world.ts'

export const SHOP = new Signer(1).address
export const ALICE = new Signer(2).address

type Terms = Parameters<WalletWorld['create']>[1]

/** One process with an empty wallet. */
export async function openWallet(t: TestContext, options: Partial<WorldOptions> = {}, terms?: Terms) {
  const world = await openWalletWorld(t, { random: testRandom, ...options })
  const instance = await world.start()
  return { world, instance, wallet: await world.create(instance, terms) }
}

/** The same with 4 nano, after it has sent one to the shop. */
export async function openUsedWallet(t: TestContext, options: Partial<WorldOptions> = {}, terms?: Terms) {
  const opened = await openWallet(t, options, terms)
  const { world, instance, wallet } = opened
  await world.deposit(wallet, nano(5))
  await world.finish(send(world, instance, wallet))
  await comeToRest(world, instance, wallet)
  return opened
}

/** A client that sends and waits for the answer. */
export const send = (
  world: WalletWorld,
  { ctx }: Instance,
  from: string,
  amount: bigint | 'all' = nano(1),
  key?: string,
) =>
  sendFromWallet(ctx, {
    actor: OPERATOR,
    accountId: world.accountId,
    from,
    destination: SHOP,
    amount: amount === 'all' ? amount : toRaw(amount),
    idempotencyKey: key,
  })

export const statusOf = async ({ db }: WalletWorld, address: string) => {
  const wallet = await db.selectFrom('wallets').selectAll().where('address', '=', address).executeTakeFirstOrThrow()
  return wallet.status
}

export const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

/** A send is answered when it is published; its job runs until the confirmation. */
export async function comeToRest(world: WalletWorld, { wallets }: Instance, address: string): Promise<void> {
  const { id } = (await findWalletByAddress(world.db, address))!
  await world.finish(wallets.context.queue.advance(id))
}

/** A thief with the wallet's key who sends everything away. */
export async function steal(world: WalletWorld, { ctx }: Instance, address: string): Promise<string> {
  const { id } = (await findWalletByAddress(world.db, address))!
  const key = toSigningKey(ctx.vault.open({ walletId: id, address }, await getEncryptedKey(world.db, id)))
  const { previous, balance, representative } = frontierOf(world.ledger, fromAddress(address)!)
  const draft: StateBlock = {
    type: 'state',
    account: key.publicKey,
    previous,
    representative,
    balance: toRaw(balance - nano(1)),
    link: fromAddress(ALICE)!,
    signature: '',
    work: '0'.repeat(16),
  }
  return publish(world.ledger, { ...draft, signature: key.sign(hashBlock(draft)) })
}
