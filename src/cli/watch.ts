import { WebSocket } from 'ws'
import { systemClock } from '../infra/clock.ts'
import { formatNano } from '../kernel/money.ts'
import { show } from './show-answer.ts'

interface Frame {
  topic?: string
  time?: string
  message?: { account?: string; amount?: string; hash?: string; block?: Record<string, string> }
}

const AGAIN_FIRST = 1_000
const AGAIN_MAX = 30_000

/** Prints each confirmation of these accounts until the command is stopped. Reconnects after a broken connection. */
export async function watchAccounts(url: URL, accounts: readonly string[], json: boolean): Promise<void> {
  const address = url.href.replace(/^http/, 'ws')
  for (let pause = AGAIN_FIRST; ; pause = Math.min(2 * pause, AGAIN_MAX)) {
    const isOpened = await listen(address, accounts, json)
    if (isOpened) pause = AGAIN_FIRST
    console.error(`The connection ended. What is confirmed meanwhile is not shown; again in ${pause / 1000} seconds.`)
    await new Promise<void>((resolve) => void systemClock.after(pause, resolve))
  }
}

/** Follows one connection to its end; returns whether it was ever open. */
function listen(address: string, accounts: readonly string[], json: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(address)
    let isOpened = false
    socket.on('open', () => {
      isOpened = true
      socket.send(JSON.stringify({ action: 'subscribe', topic: 'confirmation', ack: true, options: { accounts } }))
    })
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame & { ack?: string }
      if (frame.ack === 'subscribe') console.error(`Watching ${accounts.map(show).join(', ')}. Ctrl+C ends it.`)
      if (frame.topic === 'confirmation') console.log(json ? JSON.stringify(frame) : showConfirmation(frame))
    })
    // The `close` event follows and handles it.
    socket.on('error', (error) => console.error(error.message))
    socket.on('close', () => resolve(isOpened))
  })
}

function showConfirmation({ time = '0', message = {} }: Frame): string {
  const { account = '', amount = '0', hash = '', block = {} } = message
  const when = new Date(Number(time)).toISOString().slice(11, 19)
  const nano = /^\d+$/.test(amount) ? formatNano(BigInt(amount)) : amount
  const to = block.subtype === 'send' && block.link_as_account ? ` to ${block.link_as_account}` : ''
  return show(`${when}  ${block.subtype ?? 'block'} ${nano} nano  ${account}${to}  ${hash}`)
}
