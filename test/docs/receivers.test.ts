import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { freePort } from '../support/free-port.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { BODY } from '../support/webhook-vectors.ts'

/* The example receivers in all languages, called by a gateway. */

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const PRICE = '133042000000000000000000000000'

const RECEIVERS: Record<string, (port: string, folder: string) => string[]> = {
  node: () => [process.execPath, 'receiver.ts'],
  python: () => ['python3', '-B', 'receiver.py'],
  php: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  ruby: () => ['ruby', 'receiver.rb'],
  go(_port, folder) {
    // Built first, because `go run` starts a child process that would survive it.
    const built = join(folder, 'receiver')
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOCACHE: join(folder, 'cache') }
    const { status, stderr } = spawnSync('go', ['build', '-o', built, 'receiver.go', 'verify_webhook.go'], {
      cwd: EXAMPLES,
      env,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    return [built]
  },
}

async function open(t: TestContext, language: string) {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-receiver-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const orders = join(folder, 'orders.json')
  writeFileSync(orders, JSON.stringify({ 'A-1': { amount_raw: PRICE }, 'A-2': { amount_raw: PRICE } }))
  const port = String(await freePort())
  const [program, ...words] = RECEIVERS[language]!(port, folder)
  const env = { ...process.env, PORT: port, ORDERS: orders, WEBHOOK_SECRET: SECRET }
  const child = spawn(program!, words, { cwd: EXAMPLES, env, stdio: 'ignore' })
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}/hook`
  const post = async (body: string, headers: Record<string, string>) => (await ask(url, { body, headers })).status
  await until(() =>
    post('', {}).then(
      () => true,
      () => false,
    ),
  )
  const now = () => Math.floor(Date.now() / 1_000)
  return {
    post,
    tell: (body: string, { timestamp = now(), secret = SECRET } = {}) =>
      post(body, signBody({ id: 'evt_1', timestamp, body, secrets: [secret] })),
    now,
    paid: () => {
      const all = JSON.parse(readFileSync(orders, 'utf8')) as Record<string, { paid_by?: string }>
      return [all['A-1']!.paid_by, all['A-2']!.paid_by]
    },
  }
}

for (const language of Object.keys(RECEIVERS)) {
  test(`the receiver in ${language} ships an order once, and only for a genuine payment of its price`, async (t) => {
    const { tell, post, paid, now } = await open(t, language)
    const { hash } = (JSON.parse(BODY) as { block: { hash: string } }).block
    assert.equal(await post(BODY, {}), 401, 'unsigned')
    assert.equal(await tell(BODY, { secret: 'whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90' }), 401, 'forged')
    assert.equal(await tell(BODY, { timestamp: now() - 400 }), 401, 'sent again, much later')
    // One raw less than the price, which a receiver that rounds would accept.
    const less = BODY.replaceAll(PRICE, (BigInt(PRICE) - 1n).toString())
    for (const other of [less, BODY.replace('"confirmed":"true"', '"confirmed":"false"'), BODY.replace('A-1', 'A-9')]) {
      assert.equal(await tell(other), 204)
    }
    assert.equal(await tell('{"id":"evt_2","type":"ping"}'), 204, 'what is none of its business')
    assert.deepEqual(paid(), [undefined, undefined])
    assert.equal(await tell(BODY), 204)
    assert.deepEqual(paid(), [hash, undefined])
    const again = BODY.replace(hash, '0'.repeat(64))
    assert.equal(await tell(again), 204)
    assert.deepEqual(paid(), [hash, undefined], 'once')
  })
}
