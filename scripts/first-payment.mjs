// The first steps of a new user, on any system: starts the built gateway, gets test money, pays, and checks that the payment arrived.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const MERCHANT = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'
const PAID_WITHIN = 60_000
const LOOK_EVERY = 200

const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-first-payment-'))
const env = { ...process.env, DATA_DIR: folder, HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn' }

/** Runs the command line as `npx nano-gateway` would. */
function run(...args) {
  const child = spawn(process.execPath, [join(root, 'bin', 'nano-gateway.cjs'), ...args], { env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  return { child, said: () => said, ended: once(child, 'close').then(([code]) => code) }
}

/** Resolves with the address once the process listens; fails if it ends first. */
async function listening({ child, said, ended }) {
  const found = async () => {
    for (;;) {
      const url = /^ {2}RPC +(http:\S+)\s/m.exec(said())?.[1]
      if (url) return url
      await once(child.stdout, 'data')
    }
  }
  const over = ended.then((code) => {
    throw new Error(`The gateway ended with ${code}:\n${said()}`)
  })
  return Promise.race([found(), over])
}

async function ask(url, body) {
  const reply = await fetch(url, body && { method: 'POST', body: JSON.stringify(body) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${text}`)
  return JSON.parse(text)
}

async function untilPaid(check) {
  const until = Date.now() + PAID_WITHIN
  for (;;) {
    const { status } = await ask(check)
    if (status === 'complete') return
    if (Date.now() > until) throw new Error(`The checkout is ${status} after ${PAID_WITHIN / 1000} seconds.`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY))
  }
}

const gateway = run('start')
try {
  const url = await listening(gateway)
  const checkout = await ask(url, { action: 'checkout', address: MERCHANT, amount: '1.5', title: 'Coffee' })
  console.log(`${url} asks for ${checkout.amount} nano.`)
  const payment = run('devnet', 'fund', checkout.address, checkout.amount)
  if ((await payment.ended) !== 0) throw new Error(`The payment failed:\n${payment.said()}`)
  await untilPaid(checkout.check)
  console.log('Paid, and seen.')
} finally {
  gateway.child.kill()
  await gateway.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
