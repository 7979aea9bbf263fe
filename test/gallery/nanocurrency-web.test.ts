import assert from 'node:assert/strict'
import { test } from 'node:test'
import { block, tools, wallet } from 'nanocurrency-web'
import { nano } from '../support/blocks.ts'
import { WsClient } from '../support/ws-client.ts'
import { runClient } from './run-client.ts'
import { assertBalance, assertRepresentative, openWorld } from './steps.ts'

interface Confirmation {
  topic: string
  message: { account: string; amount: string; hash: string; block: { subtype: string } }
}
type Account = ReturnType<typeof wallet.legacyAccounts>[number]
type Signed = ReturnType<typeof block.send>
type Members = Record<string, string>

/* A program as written for a node: the library builds and signs blocks, and the node does the rest. */
test(
  'nanocurrency-web signs what a program of its own sends',
  runClient('nanocurrency-web', async ({ t, steps, access }) => {
    const world = await openWorld(t, access)
    const call = async <T = Members>(action: string, parameters: object): Promise<T> => {
      const response = await fetch(world.at, { method: 'POST', body: JSON.stringify({ action, ...parameters }) })
      return (await response.json()) as T
    }
    const events = await WsClient.connect(t, world.wsAt)
    events.send({ action: 'subscribe', topic: 'confirmation' })
    await events.settle()

    const [alice, bob] = wallet.legacyAccounts('1'.repeat(64), 0, 1) as [Account, Account]
    const representative = tools.publicKeyToAddress('2'.repeat(64))

    const info = (account: Account) => call('account_info', { account: account.address, representative: 'true' })
    const workFor = async (root: string) => (await call('work_generate', { hash: root })).work!
    const confirmed = async (hash: string, account: Account, subtype: string, amount: bigint) => {
      const { topic, message } = await events.next<Confirmation>()
      assert.deepEqual(
        [topic, message.hash, message.account, message.block.subtype, message.amount],
        ['confirmation', hash, account.address, subtype, `${amount}`],
      )
      assert.equal((await call('block_info', { hash })).confirmed, 'true')
    }
    const publish = async (signed: Signed, subtype: string) => {
      const { hash, error } = await call('process', { json_block: 'true', subtype, block: signed })
      assert.ok(hash, error)
      return hash
    }
    const receiveAll = async (account: Account, subtype: 'open' | 'receive', amount: bigint) => {
      const request = { account: account.address, threshold: '1' }
      const { blocks } = await call<{ blocks: Members }>('receivable', request)
      for (const [transactionHash, amountRaw] of Object.entries(blocks)) {
        const opened = subtype === 'open' ? undefined : await info(account)
        const signed = block.receive(
          {
            walletBalanceRaw: opened?.balance ?? '0',
            toAddress: account.address,
            representativeAddress: opened?.representative ?? representative,
            frontier: opened?.frontier ?? '0'.repeat(64),
            transactionHash,
            amountRaw,
            work: await workFor(opened?.frontier ?? account.publicKey),
          },
          account.privateKey,
        )
        assert.ok(tools.verifyBlock(account.publicKey, signed))
        await confirmed(await publish(signed, subtype), account, 'receive', amount)
      }
      assert.equal((await call<{ blocks: unknown }>('receivable', request)).blocks, '')
    }
    const send = async (from: Account, to: Account, amount: bigint) => {
      const { balance, frontier, representative } = await info(from)
      const signed = block.send(
        {
          walletBalanceRaw: balance!,
          fromAddress: from.address,
          toAddress: to.address,
          representativeAddress: representative!,
          frontier: frontier!,
          amountRaw: amount.toString(),
          work: await workFor(frontier!),
        },
        from.privateKey,
      )
      await confirmed(await publish(signed, 'send'), from, 'send', amount)
    }

    await steps.step('receive', async () => {
      for (const [account, amount] of [
        [alice, 10],
        [bob, 2],
      ] as const) {
        const hash = await world.pay(account.address, amount)
        assert.equal((await events.next<Confirmation>()).message.hash, hash)
        await receiveAll(account, 'open', nano(amount))
      }
    })
    await steps.step('send', async () => {
      await send(alice, bob, nano(3))
      await receiveAll(bob, 'receive', nano(3))
      await send(bob, alice, nano(5))
      await receiveAll(alice, 'receive', nano(5))
    })
    await steps.step('change', async () => {
      const { balance, frontier } = await info(alice)
      const change = block.representative(
        {
          walletBalanceRaw: balance!,
          address: alice.address,
          representativeAddress: bob.address,
          frontier: frontier!,
          work: await workFor(frontier!),
        },
        alice.privateKey,
      )
      await confirmed(await publish(change, 'change'), alice, 'change', 0n)
      assertRepresentative(world, alice.address, bob.address)
      assert.equal((await call('account_weight', { account: bob.address })).weight, `${nano(12)}`)
    })
    assertBalance(world, alice.address, nano(12))
    assertBalance(world, bob.address, 0n)
    assert.deepEqual(await events.settle(), [])
    steps.lacks('balance, history, work, websocket', 'it only signs; the test sends these requests itself')
  }),
)
