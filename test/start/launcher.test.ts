import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import '../support/command-line.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'

/* If the machine's Node is too old, the launcher starts the gateway with the bundled one. */

const LAUNCHER = resolve(import.meta.dirname, '../../bin/nano-gateway.cjs')

/** Makes a Node look too old, and reports when the launcher has started a child. */
const OLD_NODE = `
Object.defineProperty(process, 'version', { value: 'v20.0.0' })
const { spawn } = require('node:child_process')
require('node:child_process').spawn = (...given) => {
  const child = spawn(...given)
  process.stderr.write('launched ' + child.pid + '\\n')
  return child
}`

for (const [moment, env] of [
  ['at once', {}],
  ['when it opens its store', {}],
  ['when it listens', {}],
] as const)
  test(`a launcher that is killed ${moment} leaves no gateway on the port and the store ${JSON.stringify(env)}`, async (t) => {
    const folder = openFolder(t)
    const preload = join(folder, 'old-node.cjs')
    writeFileSync(preload, OLD_NODE)
    const port = await freePort()
    const launcher = spawn(process.execPath, ['--require', preload, LAUNCHER, 'start'], {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: join(folder, 'data'),
        PORT: String(port),
        METRICS_PORT: '0',
        DEVNET_PORT: '0',
        DEVNET_WS_PORT: '0',
        WORK_THREADS: '0',
        WORK_CARDS: 'none',
        PRICE_PROVIDERS: 'sandbox',
        DEVNET_TREASURY_NANO: '0',
        ...env,
      },
    })
    let said = ''
    for (const stream of [launcher.stdout, launcher.stderr])
      stream.on('data', (chunk: Buffer) => (said += String(chunk)))
    const child = () => Number(/launched (\d+)/.exec(said)?.[1] ?? 0)
    t.after(() => {
      launcher.kill('SIGKILL')
      if (child() !== 0 && !launcher.stdout.closed) process.kill(child(), 'SIGKILL')
    })
    // Child processes write there as well, so it closes when the last of them has ended.
    const over = once(launcher.stdout, 'close')
    await until(() => child() !== 0)
    if (moment === 'when it opens its store') await until(() => existsSync(join(folder, 'data', 'gateway.db')))
    if (moment === 'when it listens') await until(() => said.includes('Try it:'))
    launcher.kill('SIGKILL')
    await over
    const probe = createServer().listen(port, '127.0.0.1')
    await once(probe, 'listening')
    probe.close()
  })
