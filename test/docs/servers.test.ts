import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WORK_THRESHOLDS, workValue } from '../../src/kernel/nano/work.ts'
import { freePort } from '../support/free-port.ts'
import { Signer } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { ask } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'
import { blocksWith, commandsOf, headCommandsOf, root } from './documents.ts'
import { exceptionFor } from './exceptions.ts'
import { type Served, tools, runScript, serve } from './shell.ts'
import { openFolder } from '../support/folder.ts'

/*
 * Commands of the documents that start servers (`sh serves`). Each is started unchanged, except that example hosts are replaced by running ones, and must
 * have the effect that its page promises.
 */

/** Every such command of all pages, once; `npm start` without settings has its own test. */
const commands = new Set(
  blocksWith('sh serves')
    .flatMap(({ code }) => commandsOf(code))
    .filter((command) => command !== 'npm start' && !exceptionFor(command)),
)

/** Takes the only command that matches. Commands that were not taken are reported as untested. */
function take(pattern: RegExp): string {
  const found = [...commands].filter((command) => pattern.test(command))
  assert.equal(found.length, 1, `${pattern} fits ${found.length} commands of the documents`)
  commands.delete(found[0]!)
  return found[0]!
}

/** Replaces example values, each of which must occur. */
function replace(command: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((text, [example, real]) => {
    assert.ok(text.includes(example), `${command} does not say ${example}`)
    return text.replaceAll(example, real)
  }, command)
}

/** Starts a server in its own folder. */
async function start(t: TestContext, command: string, settings: Record<string, string> = {}) {
  const folder = openFolder(t)
  // Work threads would be measured at every start.
  const own = {
    DATA_DIR: folder,
    METRICS_PORT: '0',
    PORT: '0',
    WORK_THREADS: '0',
    PRICE_PROVIDERS: 'sandbox',
    ...settings,
  }
  return { folder, served: await serve(t, command, folder, { ...tools, ...own }) }
}

const call = async (url: string, action: string, fields: object = {}) => {
  const reply = await ask(url, { body: JSON.stringify({ action, ...fields }) })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

const metrics = async ({ banner }: Served) => {
  const [, url = ''] = /^ {2}Metrics +(\S+)$/m.exec(banner) ?? []
  return (await ask(url, { method: 'GET' })).text.split('\n')
}

test('the ledger starts alone on the ports that were asked for, and answers as a node does', async (t) => {
  const [port, wsPort] = [String(await freePort()), String(await freePort())]
  const command = replace(take(/nano-gateway devnet /), { ' 7076': ` ${port}`, ' 7078': ` ${wsPort}` })
  const { served } = await start(t, command)
  assert.equal(served.url, `http://127.0.0.1:${port}`)
  assert.equal(
    (await call(served.url, 'block_count')).cemented,
    '23',
    'what every ledger begins with, and ten accounts',
  )
  const client = await WsClient.connect(t, `ws://127.0.0.1:${wsPort}`)
  // It waits for the answer to a ping.
  assert.deepEqual(await client.settle(), [])
  assert.equal(await served.stop(), 0)
})

test('a gateway uses its nodes with their names, weights, roles, websockets and headers', async (t) => {
  const [main, second] = [await openDevnet(t), await openDevnet(t)]
  const rescue = await openRecordingNode(t)
  const command = replace(take(/^NODE_URLS=/), {
    'http://10.0.0.5:7076': main.rpcUrl,
    'http://10.0.0.6:7076': second.rpcUrl,
    'ws://10.0.0.5:7078': main.wsUrl,
    'ws://10.0.0.6:7078': second.wsUrl,
    'https://rpc.example': rescue.url,
    '…': 'secret-of-the-reader',
  })
  const { served } = await start(t, command, { NODE_NETWORK: 'dev' })
  assert.match(served.banner, /^ {2}Nodes +main, second, rescue$/m)
  await until(async () => {
    const lines = await metrics(served)
    const isWell = (name: string) => lines.includes(`gateway_upstream_healthy{upstream="${name}"} 1`)
    return ['main', 'second', 'rescue'].every(isWell) && lines.includes('gateway_confirmations_connected 1')
  })
  await call(served.url, 'account_balance', { account: new Signer(1).address })
  assert.ok(
    rescue.raw.every((request) => /"authorization","Bearer secret-of-the-reader"/i.test(request)),
    rescue.raw[0],
  )
  // If the other nodes are slow, the rescue node is asked as well, but never first.
  const answeredFirst = /^gateway_upstream_reads_total\{upstream="rescue",hedged="false"\}/
  assert.ok(
    !(await metrics(served)).some((line) => answeredFirst.test(line)),
    'a fallback is not asked while others are well',
  )
  assert.equal(await served.stop(), 0)
})

test('a work server finds work by itself, and for the gateway that names it', async (t) => {
  const port = String(await freePort())
  const there = replace(take(/nano-gateway work /), { '10.0.0.7': '127.0.0.1', ' 7000': ` ${port}` })
  const { served: server } = await start(t, there)
  assert.equal((await call(server.url, 'status')).queue_size, '0')
  const here = replace(take(/^WORK_URLS=/), { '10.0.0.7:7000': `127.0.0.1:${port}` })
  // The work server assumes that any node but the development ledger is on the live network.
  const devnet = await openDevnet(t)
  const { served } = await start(t, here, { NODE_URLS: devnet.rpcUrl, NODE_WS_URLS: devnet.wsUrl })
  assert.match(served.banner, new RegExp(`^ {2}Work +127\\.0\\.0\\.1:${port}$`, 'm'))
  // This gateway has no threads, so the work comes from the work server.
  const hash = '04270D7F11C4B2B472F2854C5A59F2A7E84226CE9ED799DE75744BD7D85FC9D9'
  const { work } = await call(served.url, 'work_generate', { hash, subtype: 'receive' })
  assert.ok(workValue(hash, work!) >= WORK_THRESHOLDS.live.receive)
  assert.deepEqual([await served.stop(), await server.stop()], [0, 0])
})

interface Sale {
  items: { body: { action: string }; accepts: { amount: string; payTo: string }[] }[]
}

test('a gateway sells what its settings say, at its price, and the example buys it', async (t) => {
  const { address } = new Signer(9)
  const listed = async ({ url }: Served) => {
    const { items } = (await ask(`${url}/.well-known/x402`, { method: 'GET' })).json<Sale>()
    return items.map(({ body, accepts: [terms] }) => [body.action, terms!.amount, terms!.payTo])
  }
  const [mille, tenth] = [String(10n ** 27n), String(10n ** 26n)]
  const both = replace(take(/^X402_PAY_TO=\S+ X402_ACTIONS=/), { 'nano_…': address })
  const one = replace(take(/^X402_PAY_TO=\S+ npm start$/), { 'nano_…': address })
  const first = await start(t, both)
  assert.deepEqual(await listed(first.served), [
    ['work_generate', mille, address],
    ['account_history', tenth, address],
  ])
  assert.equal(await first.served.stop(), 0)
  // The development ledger computes the work that is bought.
  const { served, folder } = await start(t, one, { WORK_NODES: 'true' })
  assert.deepEqual(await listed(served), [['work_generate', mille, address]])
  await buy(t, served.url, folder)
  assert.equal(await served.stop(), 0)
})

/** Follows the comment at the top of the example. */
async function buy(t: TestContext, url: string, folder: string): Promise<void> {
  const commands = headCommandsOf('examples/pay-per-request.mjs')
  assert.equal(commands.length, 3)
  const script = commands.join('\n')
  const { output, errors, code } = await runScript(t, script, root, {
    ...tools,
    DATA_DIR: folder,
    NANO_GATEWAY_URL: url,
  })
  assert.equal(code, 0, `${output}\n${errors}`)
  assert.match(output, /^200 \{/m)
  assert.match(output, /^paid: \{/m)
}

test('no other command of the documents starts something that serves', () => {
  assert.deepEqual([...commands], [])
})
