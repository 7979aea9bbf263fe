import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { NO_WORK, Signer, nano, openAccount } from '../support/blocks.ts'
import { CLI } from '../support/command-line.ts'
import { openDevnet } from '../support/devnet.ts'
import { EventRelay } from '../support/event-relay.ts'
import { FaultyNode } from '../support/faulty-node.ts'

/* `nano-gateway nodes check` with unknown nodes. */

interface Checked {
  nodes: { url: string; problems: string[] }[]
  settings: Record<string, string>
}

function check(...words: string[]): Promise<{ code: number; out: string; said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, 'nodes', 'check', ...words], (error, out, said) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, said }),
    )
  })
}

test('nodes check reports which public nodes are usable, why others are not, and the settings', async (t) => {
  const ledger = await openDevnet(t, { thresholds: NO_WORK })
  for (const index of [1, 2]) await openAccount(ledger.node, new Signer(index), nano(1))
  const start = () => FaultyNode.start(t, { ledger, keepAlive: true })
  const [good, other, hiding, busy, mute] = [await start(), await start(), await start(), await start(), await start()]
  const relay = await EventRelay.start(t, ledger.wsUrl)
  const frontier = ledger.node.ledger.store.findAccount(new Signer(1).key)!.head
  for (const node of [good, other]) {
    node.lie('confirmation_history', () => ({ confirmations: [{ hash: frontier }] }))
  }
  hiding.lie('block_info', (answer, body) => (body.includes(frontier) ? { error: 'Block not found' } : answer))
  await busy.behave('status 429', { actions: ['receivable'] })
  await mute.behave('dead')
  const urls = [good.url, relay.url, other.url, hiding.url, busy.url, mute.url]
  const { code, out } = await check(...urls, '--network', 'dev', '--json')
  const { nodes, settings } = JSON.parse(out) as Checked
  assert.deepEqual(
    nodes.map(({ problems }) => problems.join().replaceAll(/\d+\b/g, 'N')),
    ['', '', 'it does not confirm N of N blocks that others do', 'it does not serve receivable', 'refused connection'],
  )
  assert.deepEqual(settings, {
    NODE_NETWORK: 'dev',
    NODE_URLS: `${good.url},${other.url}`,
    NODE_WS_URLS: `${relay.url},`,
    CONFIRM_NODES: '2',
  })
  assert.equal(code, 1, 'some of them cannot be used')

  const table = await check(good.url, relay.url, other.url, '--network', 'dev')
  assert.equal(table.code, 0, table.said)
  assert.match(table.out, /20 of 20 +yes +works +good\n/)
  assert.match(table.out, /CONFIRM_NODES='2'\n$/)

  const alone = await check(good.url)
  assert.match(alone.out, /it is on the network "dev", and we are on live\n\nNone of them can be used/)
  assert.equal(alone.code, 1)
  const wrong = await check(relay.url)
  assert.match(wrong.said, /is not the address of a node\. Write https:/)
})
