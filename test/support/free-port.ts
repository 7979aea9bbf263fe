import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'
/** Below the system's range of automatic ports, so that a free port stays free until it is used. */
const LOWEST = 12_000
const HIGHEST = 32_000
const TRIES_MAX = 100

const given = new Set<number>()

/** A free port that the system does not assign automatically. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error('No port is free.')
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)))
  })
}
