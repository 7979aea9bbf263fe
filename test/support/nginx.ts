import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  /** Marked in the configuration, so that no new request goes there. */
  down?: boolean
}

/** A real nginx with the configuration that we hand to operators, in front of gateways on loopback. */
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

  /** Reads the list anew and waits until no worker with the old one takes requests. */
  async reload(members: readonly Member[]): Promise<void> {
    const old = this.#workers()
    writeUpstream(this.#folder, members)
    this.#child.kill('SIGHUP')
    await until(() => old.every(isLeaving) && this.#workers().some((worker) => !old.includes(worker)))
  }

  #workers(): number[] {
    const { pid } = this.#child
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
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

/** The configuration in a folder of its own, without its gateways; only where it listens and writes is another place. */
async function layConfiguration(): Promise<{ folder: string; port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-nginx-'))
  // Its workers are other users.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const text = readFileSync(join(configuration, 'nginx.conf'), 'utf8')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('worker_processes auto;', 'worker_processes 2;')
    .replaceAll(' /tmp/nginx', ` ${folder}/nginx`)
  writeFileSync(join(folder, 'nginx.conf'), text)
  return { folder, port }
}

/** What nginx says about the configuration with the gateways that it is shipped with. */
export async function checkShipped(t: TestContext): Promise<string> {
  const { folder } = await layConfiguration()
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(join(configuration, 'upstream.conf'), join(folder, 'upstream.conf'))
  return spawnSync(PROGRAM, ['-t', ...argumentsFor(folder)], { encoding: 'utf8' }).stderr
}

function writeUpstream(folder: string, members: readonly Member[]): void {
  const lines = members.map(
    ({ port, down }) => `  server 127.0.0.1:${port} max_fails=1 fail_timeout=2s${down ? ' down' : ''};`,
  )
  // As shipped, a connection that nobody uses ends well before a gateway that stops would end it; here both are shorter.
  const text = readFileSync(join(configuration, 'upstream.conf'), 'utf8').replace(
    'keepalive_timeout 4s;',
    'keepalive_timeout 100ms;',
  )
  const others = text.split('\n').filter((line) => !line.trimStart().startsWith('server '))
  const at = others.findIndex((line) => line.startsWith('upstream ')) + 1
  writeFileSync(join(folder, 'upstream.conf'), others.toSpliced(at, 0, ...lines).join('\n'))
}

/** Gone, or finishing what it has; nginx writes that into the name of the process. */
function isLeaving(worker: number): boolean {
  const file = `/proc/${worker}/cmdline`
  return !existsSync(file) || !/worker process(?! is shutting down)/.test(readOrNothing(file))
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
