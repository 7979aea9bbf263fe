import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { ask } from './gateway.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const PROGRAM = '/usr/sbin/nginx'
const configuration = resolve(import.meta.dirname, '../../deploy/nginx')

export interface Member {
  port: number
}

/** Names of the gateways in the configuration, in order. */
const NAMES = ['gateway-a', 'gateway-b']

/** A real nginx with the configuration of deploy/, in front of gateways on loopback. */
export class Nginx {
  readonly url: string
  readonly #folder: string
  readonly #child: ChildProcess

  private constructor(folder: string, port: number, child: ChildProcess) {
    this.#folder = folder
    this.url = `http://127.0.0.1:${port}`
    this.#child = child
  }

  static async start(t: TestContext, members: readonly Member[]): Promise<Nginx> {
    const { folder, port } = await layConfiguration()
    writeUpstream(folder, members)
    const child = spawn(PROGRAM, [...argumentsFor(folder), '-g', 'daemon off;'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const nginx = new Nginx(folder, port, child)
    t.after(() => nginx.#stop())
    await until(async () => {
      if (child.exitCode !== null) throw new Error('nginx did not start.')
      return ask(`${nginx.url}/health/live`, { method: 'GET' }).then(
        ({ status }) => status === 200,
        () => false,
      )
    })
    return nginx
  }

  /** As documented for the restart of a gateway. */
  takeOut(at: number): void {
    writeFileSync(join(this.#folder, 'out', NAMES[at]!), '')
  }

  putBack(at: number): void {
    rmSync(join(this.#folder, 'out', NAMES[at]!))
  }

  async #stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await exited
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

const argumentsFor = (folder: string) => ['-p', folder, '-c', join(folder, 'nginx.conf')]

/** Copies the configuration into a folder, without its gateways; only ports and paths are changed. */
async function layConfiguration(): Promise<{ folder: string; port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-nginx-'))
  // Its workers are other users.
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'out'))
  const port = await freePort()
  const text = readFileSync(join(configuration, 'nginx.conf'), 'utf8')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('worker_processes auto;', 'worker_processes 2;')
    .replaceAll('/etc/nginx/gateway/', `${folder}/`)
    .replaceAll(' /tmp/nginx', ` ${folder}/nginx`)
  writeFileSync(join(folder, 'nginx.conf'), text)
  return { folder, port }
}

/** nginx's own check of the shipped configuration. */
export async function checkShipped(t: TestContext): Promise<string> {
  const { folder } = await layConfiguration()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(join(configuration, 'upstream.conf'), join(folder, 'upstream.conf'))
  return spawnSync(PROGRAM, ['-t', ...argumentsFor(folder)], { encoding: 'utf8' }).stderr
}

function writeUpstream(folder: string, members: readonly Member[]): void {
  const portOf = (at: number) => (members[at] ?? members[0]!).port
  const text = readFileSync(join(configuration, 'upstream.conf'), 'utf8')
    .replaceAll('172.30.0.11:8080', `127.0.0.1:${portOf(0)}`)
    .replaceAll('172.30.0.12:8080', `127.0.0.1:${portOf(1)}`)
  writeFileSync(join(folder, 'upstream.conf'), text)
}
