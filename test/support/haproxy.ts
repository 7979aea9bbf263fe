import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.ts'
import { openFolder } from './folder.ts'
import { ask } from './gateway.ts'
import { until } from './until.ts'

const configuration = resolve(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg')

/** A real HAProxy with the configuration of deploy/, in front of two gateways on loopback. Returns its address. */
export async function startHaproxy(t: TestContext, ports: readonly number[]): Promise<string> {
  const port = await freePort()
  const file = join(openFolder(t), 'haproxy.cfg')
  const text = readFileSync(configuration, 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('172.30.0.11:8080', `127.0.0.1:${ports[0]}`)
    .replace('172.30.0.12:8080', `127.0.0.1:${ports[1]}`)
  writeFileSync(file, text)
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'ignore'] })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error('HAProxy did not start.')
    return ask(`${url}/health/live`, { method: 'GET' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  })
  return url
}
