import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { Signer, UNOPENED, frontierAfter, nano } from '../support/blocks.ts'
import { runClient } from './run-client.ts'
import { FRIEND, assertBalance, assertHistory, assertRepresentative, openWorld } from './steps.ts'

type Members = Record<string, string>

interface Api {
  accountBalance(request: object): Promise<Members>
  accountInfo(request: object): Promise<Members>
  pending(request: object): Promise<{ blocks: Record<string, { amount: string; source: string }> }>
  accountHistory(request: object): Promise<{ history: Members[] }>
  blockInfo(request: object): Promise<Members & { contents: Members }>
  workGenerate(request: object): Promise<Members>
  process(request: object): Promise<Members>
}
interface Library {
  Configuration: new (options: object) => object
  NodeRPCsApi: new (configuration: object) => Api
}

test(
  'nano-rpc-fetch, made of a description of the node, reads and publishes',
  runClient('nano-rpc-fetch', async ({ t, steps, access, folder }) => {
    const world = await openWorld(t, access)
    const library = createRequire(join(folder, 'package.json'))('nano-rpc-fetch') as Library
    const api = new library.NodeRPCsApi(new library.Configuration({ basePath: world.at, fetchApi: fetch }))
    // The package does not sign, so the test does.
    const owner = new Signer(8, WORK_THRESHOLDS.dev)
    const account = owner.address
    const publish = async (block: StateBlock, subtype: string) => {
      const { link_as_account: linkAsAccount, ...members } = toBlockJson(block)
      const processRequest = { action: 'process', jsonBlock: 'true', subtype, block: { ...members, linkAsAccount } }
      return (await api.process({ processRequest })).hash!
    }

    const gift = await world.pay(account, 5)
    await steps.step('balance', async () => {
      const balance = await api.accountBalance({ accountBalanceRequest: { action: 'account_balance', account } })
      assert.deepEqual([balance.balance, balance.pending], ['0', `${nano(5)}`])
      const pendingRequest = { action: 'pending', account, count: 5, source: 'true', includeOnlyConfirmed: 'true' }
      assert.equal((await api.pending({ pendingRequest })).blocks[gift]!.amount, `${nano(5)}`)
    })
    const opened = owner.receive(UNOPENED, gift, nano(5))
    const spent = owner.send(frontierAfter(opened), fromAddress(FRIEND)!, nano(2))
    const changed = owner.change(frontierAfter(spent), fromAddress(FRIEND)!)
    await steps.step('work', async () => {
      const workGenerateRequest = { action: 'work_generate', hash: owner.key }
      opened.work = (await api.workGenerate({ workGenerateRequest })).work!
    })
    await steps.step('receive', async () => {
      await publish(opened, 'open')
      assertBalance(world, account, nano(5))
    })
    const sent = await steps.step('send', async () => {
      const hash = await publish(spent, 'send')
      assertBalance(world, account, nano(3))
      return hash
    })
    await steps.step('change', async () => {
      const hash = await publish(changed, 'change')
      assertRepresentative(world, account, FRIEND)
      const accountInfoRequest = { action: 'account_info', account, representative: 'true' }
      const { frontier, representative } = await api.accountInfo({ accountInfoRequest })
      assert.deepEqual([frontier, representative], [hash, FRIEND])
    })
    await steps.step('history', async () => {
      const accountHistoryRequest = { action: 'account_history', account, count: '5' }
      const { history } = await api.accountHistory({ accountHistoryRequest })
      assertHistory(history)
    })
    await steps.step('blocks', async () => {
      const info = await api.blockInfo({ blockInfoRequest: { action: 'block_info', jsonBlock: 'true', hash: sent } })
      assert.deepEqual([info.blockAccount, info.contents.linkAsAccount], [account, FRIEND])
    })
    steps.lacks('signing, websocket', 'it has none')
  }),
)
