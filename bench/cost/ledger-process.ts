import { join } from 'node:path'
import { familyMicroseconds, familyOf, residentMegabytes } from '../kit/machine.ts'
import { type Bench, freePort, untilAnswers } from '../kit/servers.ts'

export interface LedgerProcess {
  port: number
  url: string
  socketUrl: string
  spent(): number
  /** Resident memory. */
  megabytes(): number
  /** Sends nano from the genesis account and returns the hash of the send. */
  fund(account: string, nano: string): Promise<string>
  end(): Promise<void>
}

/** Starts the development ledger as `nano-gateway devnet` does. */
export async function startLedger(bench: Bench, flags: readonly string[] = []): Promise<LedgerProcess> {
  const [port, socketPort] = [await freePort(), await freePort()]
  const data = join(bench.folder, `ledger-${port}.db`)
  const places = ['--data', data, '--port', String(port), '--ws-port', String(socketPort)]
  const env = { npm_lifecycle_event: undefined }
  const child = bench.spawn(`ledger-${port}`, ['bin/nano-gateway.cjs', 'devnet', ...places, ...flags], env)
  await untilAnswers(port, child)
  const url = `http://127.0.0.1:${port}`
  return {
    port,
    url,
    socketUrl: `ws://127.0.0.1:${socketPort}`,
    spent: () => familyMicroseconds(child.pid!),
    megabytes: () => residentMegabytes(familyOf(child.pid!)),
    async fund(account, nano) {
      const body = JSON.stringify({ action: 'devnet_fund', account, amount_nano: nano })
      const response = await fetch(url, { method: 'POST', body })
      const { hash } = (await response.json()) as { hash?: string }
      if (hash === undefined) throw new Error(`${account} was not funded.`)
      return hash
    },
    end: () => bench.end(child),
  }
}
