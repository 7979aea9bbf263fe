import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.ts'
import { ask } from './gateway.ts'
import { programFolder, serverOwner } from './postgres.ts'
import { waitFor } from './until.ts'

const HOST = '127.0.0.1'
/** A failover waits for the leader's key in etcd to expire; Patroni's minimum is 20 seconds. */
const PATIENCE = 180_000
const TTL_SECONDS = 20

interface Role {
  name: string
  role: string
  state: string
}

/** Two PostgreSQL servers managed by Patroni, with one etcd. Every acknowledged change is on both. */
export class Patroni {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nano-gateway-patroni-'))
  readonly #owner = serverOwner()
  readonly #processes = new Map<string, ChildProcess>()
  readonly #ports = new Map<string, { postgres: number; rest: number }>()
  #etcd = 0

  static async start(t: TestContext): Promise<Patroni> {
    const cluster = new Patroni()
    const end = () => cluster.#remove()
    process.once('exit', end)
    t.after(() => {
      process.removeListener('exit', end)
      end()
    })
    if (cluster.#owner) chownSync(cluster.#folder, cluster.#owner.uid, cluster.#owner.gid)
    await cluster.#startEtcd()
    for (const name of ['one', 'two']) {
      cluster.#ports.set(name, { postgres: await freePort(), rest: await freePort() })
      cluster.startMember(name)
      await cluster.untilRole(name, name === 'one' ? 'leader' : 'sync_standby')
    }
    return cluster
  }

  /** All servers, sorted by name. */
  get hosts(): string {
    return [...this.#ports.values()].map(({ postgres }) => `${HOST}:${postgres}`).join()
  }

  urlOf(name: string): string {
    return `postgres://postgres@${HOST}:${this.#ports.get(name)!.postgres}`
  }

  /** Starts a member, also again after it was killed. */
  startMember(name: string): void {
    const file = join(this.#folder, `${name}.yml`)
    writeFileSync(file, JSON.stringify(this.#configurationOf(name)))
    this.#spawn(name, '/usr/bin/patroni', [file])
  }

  /** Simulates a power loss of its machine: the server and its Patroni end at once. */
  async killMember(name: string): Promise<void> {
    const child = this.#processes.get(name)!
    const exited = once(child, 'exit')
    child.ref()
    child.kill('SIGKILL')
    await exited
    this.#killServer(name)
  }

  /** Makes the leader hand over, as before maintenance. */
  async switchover(leader: string, candidate: string): Promise<void> {
    const { rest } = this.#ports.get(leader)!
    const body = JSON.stringify({ leader, candidate })
    const { status, text } = await ask(`http://${HOST}:${rest}/switchover`, { body })
    if (status !== 200) throw new Error(`Patroni refused to hand over: ${text}`)
  }

  async untilRole(name: string, role: string): Promise<void> {
    const isSo = async () => {
      if (this.#processes.get(name)!.exitCode !== null) throw new Error(`Patroni has ended: ${tell()}`)
      return (await this.#readRoles()).some((member) => member.name === name && member.role === role)
    }
    const tell = () => readFileSync(this.#logOf(name), 'utf8').slice(-2_000)
    await waitFor(`${name} is ${role}`, isSo, { patience: PATIENCE, tell })
  }

  async #readRoles(): Promise<Role[]> {
    for (const { rest } of this.#ports.values()) {
      try {
        const { members } = (await ask(`http://${HOST}:${rest}/cluster`, { method: 'GET' })).json<{ members: Role[] }>()
        return members.filter(({ state }) => state === 'running' || state === 'streaming')
      } catch {
        // It is down: the other one knows.
      }
    }
    return []
  }

  async #startEtcd(): Promise<void> {
    const peers = await freePort()
    this.#etcd = await freePort()
    const clients = `http://${HOST}:${this.#etcd}`
    const peer = `http://${HOST}:${peers}`
    const flags = {
      'data-dir': join(this.#folder, 'etcd'),
      'listen-client-urls': clients,
      'advertise-client-urls': clients,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
    }
    this.#spawn(
      'etcd',
      '/usr/bin/etcd',
      Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
    )
    const isUp = async () => (await ask(`${clients}/health`, { method: 'GET' }).catch(() => undefined))?.status === 200
    await waitFor('etcd answers', isUp, { patience: PATIENCE })
  }

  #spawn(name: string, program: string, args: string[]): void {
    const log = openSync(this.#logOf(name), 'a')
    const child = spawn(program, args, { ...this.#owner, cwd: this.#folder, stdio: ['ignore', log, log] })
    child.on('error', () => undefined)
    // It must not keep a finished run alive.
    child.unref()
    this.#processes.set(name, child)
  }

  #logOf = (name: string) => join(this.#folder, `${name}.log`)

  #configurationOf(name: string) {
    const { postgres, rest } = this.#ports.get(name)!
    const [server, api] = [`${HOST}:${postgres}`, `${HOST}:${rest}`]
    return {
      scope: 'gateway',
      name,
      restapi: { listen: api, connect_address: api },
      etcd3: { host: `${HOST}:${this.#etcd}` },
      bootstrap: {
        dcs: {
          ttl: TTL_SECONDS,
          loop_wait: 1,
          retry_timeout: 3,
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, wal_log_hints: 'on' } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      },
      postgresql: {
        listen: server,
        connect_address: server,
        data_dir: join(this.#folder, name),
        bin_dir: programFolder(),
        pgpass: join(this.#folder, `${name}.pgpass`),
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
        parameters: { unix_socket_directories: '' },
        pg_hba: [`host all all ${HOST}/32 trust`, `host replication all ${HOST}/32 trust`],
      },
    }
  }

  #killServer(name: string): void {
    const file = join(this.#folder, name, 'postmaster.pid')
    if (!existsSync(file)) return
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }

  #remove(): void {
    for (const child of this.#processes.values()) child.kill('SIGKILL')
    for (const name of this.#ports.keys()) this.#killServer(name)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
