/*
 * Measures how confirmations reach websocket clients: first many clients that want all of them, next to a baseline that only passes messages on; then many
 * clients with one account each, while a whole network is received. Clients and source share this process, so the gateway's processor time means more than
 * the rates.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { addressOf } from '../test/support/many-checkouts.ts'
import { EventSource } from './kit/event-source.ts'
import { startGateway } from './kit/gateway.ts'
import { startStandIn } from './kit/helpers.ts'
import { processorMicroseconds } from './kit/machine.ts'
import type { Options } from './kit/options.ts'
import { type Report, show, toTable } from './kit/report.ts'
import { Bench, buildGateway, freePort } from './kit/servers.ts'

const ARRIVED_WITHIN = 60_000

class Audience {
  frames = 0
  readonly #sockets: WebSocket[] = []

  /** Connects that many clients. `accountsOf` returns the accounts of each, or undefined for all confirmations. */
  async gather(url: string, count: number, accountsOf: (at: number) => string[] | undefined): Promise<void> {
    for (let at = 0; at < count; at += 100) {
      const some = Array.from({ length: Math.min(100, count - at) }, (_, offset) =>
        this.#join(url, accountsOf(at + offset)),
      )
      await Promise.all(some)
    }
  }

  #join(url: string, accounts: string[] | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, { perMessageDeflate: false })
      this.#sockets.push(socket)
      socket.on('error', reject)
      socket.on('open', () => {
        const options = accounts && { options: { accounts } }
        socket.send(JSON.stringify({ action: 'subscribe', topic: 'confirmation', ack: true, ...options }))
        if (!url.endsWith('/ws')) resolve()
      })
      let joined = false
      socket.on('message', () => {
        if (joined) this.frames++
        else if (url.endsWith('/ws')) resolve()
        else this.frames++
        joined = true
      })
    })
  }

  async until(frames: number): Promise<void> {
    const end = performance.now() + ARRIVED_WITHIN
    while (this.frames < frames && performance.now() < end) await delay(5)
    // Time for unexpected messages to arrive.
    await delay(100)
    if (this.frames !== frames) throw new Error(`${this.frames} frames arrived, ${frames} were due.`)
  }

  leave(): void {
    for (const socket of this.#sockets) socket.terminate()
  }
}

export async function benchWebsocket(options: Options): Promise<Report> {
  buildGateway()
  await using bench = new Bench()
  using ledger = await startStandIn('ledger')
  const source = new EventSource(await freePort())
  const [clients, rounds, own] = options.long ? [1_000, 500, 5_000] : [200, 200, 1_000]
  const fanOut = async (url: string, spentOf: () => number) => {
    const audience = new Audience()
    await audience.gather(url, clients, () => undefined)
    for (let at = 0; at < 20; at++) source.tell()
    await audience.until(20 * clients)
    const spent = spentOf()
    const started = performance.now()
    for (let at = 0; at < rounds; at++) {
      source.tell()
      if (at % 10 === 9) await delay(1)
    }
    await audience.until((20 + rounds) * clients)
    const frames = rounds * clients
    const seconds = (performance.now() - started - 100) / 1_000
    const micros = (spentOf() - spent) / frames
    audience.leave()
    return { perSecond: frames / seconds, micros }
  }

  const port = await freePort()
  const bare = bench.spawn('bare', ['--import', 'tsx', 'bench/kit/bare-broadcast.ts', source.url, String(port)])
  await source.untilReceivedBy(1)
  const peer = await fanOut(`ws://127.0.0.1:${port}`, () => processorMicroseconds([bare.pid!]))
  await bench.end(bare)
  const node = { nodeUrl: ledger.url, nodeWsUrl: source.url }
  const gateway = await startGateway(bench, {
    engine: 'sqlite',
    ...node,
    env: { WS_CLIENTS_MAX: '20000', WS_CLIENTS_PER_ADDRESS_MAX: '0' },
  })
  await source.untilReceivedBy(1)
  const socketUrl = `${gateway.url.replace('http', 'ws')}/ws`
  const ours = await fanOut(socketUrl, () => gateway.spent().gateway)

  const accounts = Array.from({ length: own }, (_, at) => addressOf(`client ${at}`))
  const audience = new Audience()
  const joining = performance.now()
  await audience.gather(socketUrl, own, (at) => [accounts[at]!])
  const joined = (performance.now() - joining) / 1_000
  const spent = gateway.spent().gateway
  let wanted = 0
  const told = await source.stream(options.rate, options.seconds, (at) => {
    if (at % 10 !== 0) return undefined
    wanted++
    return accounts[at % own]
  })
  await audience.until(wanted)
  const heardMicros = (gateway.spent().gateway - spent) / told
  const resident = gateway.resident()
  audience.leave()
  await gateway.close()
  source.close()
  return {
    figures: { frameMicros: ours.micros, heardMicros, ratio: ours.perSecond / peer.perSecond },
    tables: [
      toTable(
        [`${show(clients)} clients who want everything`, 'frames a second', 'CPU µs for a frame'],
        [
          ['bare websocket server', show(peer.perSecond), peer.micros.toFixed(1)],
          ['gateway', show(ours.perSecond), ours.micros.toFixed(1)],
          ['ratio', (ours.perSecond / peer.perSecond).toFixed(2), (ours.micros / peer.micros).toFixed(2)],
        ],
      ),
      toTable(
        [`${show(own)} clients with an account each`, ''],
        [
          ['all subscribed after, s', show(joined)],
          ['confirmations received a second', show(told / options.seconds)],
          ['frames wanted / arrived', `${wanted} / ${audience.frames}`],
          ['CPU µs for a confirmation, one in ten delivered', show(heardMicros)],
          ['resident MB', show(resident)],
        ],
      ),
    ],
  }
}
