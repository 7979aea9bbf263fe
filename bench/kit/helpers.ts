import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Asked, Asking } from './asker.ts'
import type { Order, Payment, Word } from './stand-in.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

function start(script: string, args: string[] = []): ChildProcess {
  return fork(pathOf(script), args, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** Resolves with the next message that passes `fits`; rejects if the process ends first. */
function hear<T>(child: ChildProcess, fits: (word: T) => boolean): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      child.off('message', listen)
      child.off('exit', mourn)
    }
    const mourn = () => {
      leave()
      reject(new Error('A helper of the bench ended.'))
    }
    const listen = (word: T) => {
      if (!fits(word)) return
      leave()
      resolve(word)
    }
    child.on('message', listen)
    child.on('exit', mourn)
  })
}

export interface Asker extends Disposable {
  ask(asking: Asking): Promise<Asked>
}

/** Starts the load generator in its own process. A response other than 200 fails the bench. */
export function startAsker(): Asker {
  const child = start('asker.ts')
  return {
    async ask(asking) {
      child.send(asking)
      const asked = await hear<Asked & { failed?: string }>(child, () => true)
      if (asked.failed !== undefined) throw new Error(asked.failed)
      if (asked.errors > 0) throw new Error(`${asked.errors} of ${asking.count} failed: ${asked.firstError}`)
      return asked
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}

export interface StandIn extends Disposable {
  port: number
  url: string
  socketUrl: string
  /** Resolves when a client has subscribed to confirmations. */
  heard(): Promise<void>
  /** Resolves when all were reported. */
  reportStrangers(count: number, eachMillisecond: number): Promise<void>
  reportPayments(payments: Payment[]): Promise<void>
}

export async function startStandIn(as: 'ledger' | 'receiver'): Promise<StandIn> {
  const child = start('stand-in.ts', [as])
  let hearers = 0
  child.on('message', (word: Word) => {
    if ('hearers' in word) hearers = word.hearers
  })
  const word = await hear<Word>(child, (one) => 'ready' in one)
  const { port, socketPort } = word as Extract<Word, { ready: true }>
  const order = async (one: Order) => {
    child.send(one)
    await hear<Word>(child, (word) => 'told' in word)
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${socketPort}`,
    heard: async () => {
      if (hearers === 0) await hear<Word>(child, (word) => 'hearers' in word)
    },
    reportStrangers: (count, eachMillisecond) => order({ tell: 'strangers', count, eachMillisecond }),
    reportPayments: (payments) => order({ tell: 'payments', payments }),
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}
