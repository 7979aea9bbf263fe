import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { genesisOf } from '../../src/devnet/genesis.ts'
import { parseNano, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer, give } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { blocksOf } from './documents.ts'
import { runScript, tools } from './shell.ts'
import { openFolder } from '../support/folder.ts'

/* Follows the page like an operator, in one shell, with two ledgers that are different networks. */

const blocks = blocksOf('docs/going-live.md').filter(({ fence }) => fence === 'sh operator')
const LIVE = '991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948'

/** Replaces the page's placeholders with this test's values. */
function replace(code: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((text, [example, real]) => {
    assert.ok(text.includes(example), `the page does not say ${example}`)
    return text.replaceAll(example, real)
  }, code)
}

test('following the page to the live network ends with a gateway that was paid, backed up and monitored', async (t) => {
  const ledger = await openDevnet(t)
  const [port, metricsPort] = [String(await freePort()), String(await freePort())]
  const shop = new Signer(77)
  const [rpc, ws] = [new URL(ledger.rpcUrl), new URL(ledger.wsUrl)]
  const script = replace(blocks.map(({ code }) => code).join('\n'), {
    [LIVE]: DEV_NETWORK.genesisHash,
    'NODE_NETWORK=live': 'NODE_NETWORK=dev',
    '10.0.0.5:7076': rpc.host,
    // The same ledger under another host name acts as the second node.
    '10.0.0.6:7076': `localhost:${rpc.port}`,
    '10.0.0.5:7078': ws.host,
    '10.0.0.6:7078': `localhost:${ws.port}`,
    'smtps://user:password@mail.example': '',
    '127.0.0.1:8080': `127.0.0.1:${port}`,
    '127.0.0.1:9464': `127.0.0.1:${metricsPort}`,
    'nano_…': shop.address,
  })
  assert.doesNotMatch(script, /…|10\.0\.0\./, 'everything of the reader is replaced')
  const cwd = openFolder(t)
  const own = { PORT: port, METRICS_PORT: metricsPort, WORK_THREADS: '0', WORK_NODES: 'true' }
  const followed = runScript(t, script, cwd, { ...tools, ...own, PRICE_PROVIDERS: 'sandbox' })
  const said = () => (existsSync(join(cwd, 'gateway.log')) ? readFileSync(join(cwd, 'gateway.log'), 'utf8') : '')
  let ended = false
  void followed.then(() => (ended = true))
  const file = join(cwd, 'checkout.json')
  await until(() => ended || (existsSync(file) && readFileSync(file, 'utf8').endsWith('}')))
  if (!ended) {
    // The payer.
    const { address, amount } = JSON.parse(readFileSync(file, 'utf8')) as { address: string; amount: string }
    await give(ledger.node, fromAddress(address)!, toRaw(parseNano(amount)!))
  }
  const { output, errors, code } = await followed
  assert.equal(code, 0, `${output}\n${errors}\n${said()}`)
  assert.match(output, /^ {2}Nodes +own, second$/m)
  for (const name of ['store_up', 'confirmations_connected', 'upstream_healthy{upstream="own"}']) {
    assert.ok(output.includes(`\ngateway_${name} 1\n`), `${name}\n${output}`)
  }
  assert.doesNotMatch(said(), /"level":50/)
  for (const key of ['keys', 'keys/wallet_keys', 'keys/secret_key']) {
    assert.equal(statSync(join(cwd, key)).mode & 0o077, 0, `${key} is for its owner alone`)
  }
  assert.ok(!existsSync(join(cwd, 'live/devnet.db')), 'no development ledger has run')
})

test('a setting that was misspelt on the way is named by the step that checks them', async (t) => {
  const [, keys, settings] = blocks
  const misspelt = replace(`${keys!.code}${settings!.code}`, { NODE_URLS: 'NODE_URL', FAUCET_NANO: 'FAUCET_NANOS' })
  const { output, errors, code } = await runScript(t, misspelt, openFolder(t), tools)
  assert.notEqual(code, 0)
  for (const told of [
    /NODE_URLS is not set/,
    /Unknown setting NODE_URL\. .* NODE_URLS\?/,
    /Unknown setting FAUCET_NANOS\. .* FAUCET_NANO\?/,
  ]) {
    assert.match(output + errors, told)
  }
})

test('a node of another network is found by the first step, before anything is set up', async (t) => {
  const [ours, other] = [await openDevnet(t), await openDevnet(t, { genesis: genesisOf('another network') })]
  const check = replace(blocks[0]!.code, {
    [LIVE]: DEV_NETWORK.genesisHash,
    'http://10.0.0.5:7076': ours.rpcUrl,
    'http://10.0.0.6:7076': other.rpcUrl,
  })
  const { output, code } = await runScript(t, check, openFolder(t), tools)
  // The reader's shell must stay open.
  assert.equal(code, 0)
  assert.match(output, new RegExp(`^${other.rpcUrl} has another ledger$`, 'm'))
  assert.doesNotMatch(output, new RegExp(`^${ours.rpcUrl} has`, 'm'))

  // Whoever goes on is told by the step that checks the settings.
  const settings = replace(`${blocks[1]!.code}${blocks[2]!.code}`, {
    'NODE_NETWORK=live': 'NODE_NETWORK=dev',
    'http://10.0.0.5:7076': ours.rpcUrl,
    'http://10.0.0.6:7076': other.rpcUrl,
    'ws://10.0.0.5:7078': ours.wsUrl,
    'ws://10.0.0.6:7078': other.wsUrl,
    'smtps://user:password@mail.example': '',
  })
  const checked = await runScript(t, settings, openFolder(t), tools)
  assert.match(checked.output, /^warning +NODE_URLS: second would not be used: the first block of its ledger is/m)
  assert.doesNotMatch(checked.output, /own would not/)
})
